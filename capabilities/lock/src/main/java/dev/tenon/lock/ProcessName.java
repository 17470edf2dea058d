package dev.tenon.lock;

import dev.tenon.Names;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * What a process calls itself in a store: {@code host/pid}, and {@code host/pid/thread} for one that asks for a lock.
 */
final class ProcessName {
    private ProcessName() {}

    static String current() {
        long pid = ProcessHandle.current().pid();
        try {
            return InetAddress.getLocalHost().getHostName() + "/" + pid;
        } catch (UnknownHostException hostHasNoName) {
            return "localhost/" + pid;
        }
    }

    static String withThread(String owner, Thread thread) {
        StringBuilder name = new StringBuilder(owner).append('/');
        String threadName = thread.getName();
        for (int i = 0; i < threadName.length() && name.length() < Names.LENGTH_MAX; i++) {
            char c = threadName.charAt(i);
            name.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
        }
        name.setLength(Math.min(name.length(), Names.LENGTH_MAX));
        return name.toString();
    }
}
