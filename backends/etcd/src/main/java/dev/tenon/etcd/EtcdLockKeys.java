package dev.tenon.etcd;

import com.google.protobuf.ByteString;

/**
 * The keys of locks.
 *
 * <pre>
 * PREFIX/locks/cells/NAME           the whole state of a lock, while somebody holds it or waits for it
 * PREFIX/locks/processes/PROCESS    there while the process is present
 * PREFIX/locks/mail/PROCESS         the latest that the process was told; there as long
 * </pre>
 */
final class EtcdLockKeys {
    private final String registers;
    private final String processes;
    private final String notices;

    EtcdLockKeys(String keyPrefix) {
        this.registers = keyPrefix + "/locks/cells/";
        this.processes = keyPrefix + "/locks/processes/";
        this.notices = keyPrefix + "/locks/mail/";
    }

    String register(String name) {
        return registers + name;
    }

    String name(ByteString register) {
        return register.toStringUtf8().substring(registers.length());
    }

    String process(String process) {
        return processes + process;
    }

    String processIn(ByteString key) {
        return key.toStringUtf8().substring(processes.length());
    }

    String processes() {
        return processes;
    }

    String notices(String process) {
        return notices + process;
    }

    /** Where the registers begin that follow a name, or those of a prefix. */
    ByteString from(String prefix, String after) {
        ByteString first = ByteString.copyFromUtf8(registers + prefix);
        ByteString next = ByteString.copyFromUtf8(registers + after + "\0");
        boolean later = ByteString.unsignedLexicographicalComparator().compare(next, first) > 0;
        return after.isEmpty() || !later ? first : next;
    }

    ByteString end(String prefix) {
        return endOf(registers + prefix);
    }

    /** What comes behind all keys that begin so. UTF-8 has no byte 255, so that the last one can always grow. */
    static ByteString endOf(String prefix) {
        byte[] bytes = ByteString.copyFromUtf8(prefix).toByteArray();
        bytes[bytes.length - 1]++;
        return ByteString.copyFrom(bytes);
    }
}
