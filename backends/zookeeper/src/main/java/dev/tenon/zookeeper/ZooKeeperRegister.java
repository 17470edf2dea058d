package dev.tenon.zookeeper;

import dev.tenon.lock.engine.Register;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.zookeeper.data.Stat;

/**
 * The content of a register's node: a line of its own, and below it the text. The line has, in hexadecimal, the number
 * that tells this node from those that were at the same path before, and the number of the change that made the
 * register: another node may since have taken the place of the first, as that had used up its versions.
 *
 * @param guard 1 to {@link #GUARD_MAX}
 * @param created the change that made the register; 0: the one that made the node
 */
record ZooKeeperRegister(long guard, long created, String text) {
    /** How often a node is changed at most: its number and this count are one version, of 63 bits. */
    static final int COUNT_MAX = (1 << 24) - 1;

    static final long GUARD_MAX = (1L << 39) - 1;

    private static final int COUNT_BITS = 24;

    /** A register's node as it was read. */
    record Read(ZooKeeperRegister content, Stat stat) {
        Register register(String name) {
            return content.register(name, stat);
        }

        long guard() {
            return content.guard();
        }
    }

    static Read of(String path, ZooKeeperCall.Node node) {
        String all = new String(node.data(), StandardCharsets.UTF_8);
        int line = all.indexOf('\n');
        try {
            String[] numbers = all.substring(0, line).split(" ", -1);
            long guard = Long.parseLong(numbers[0], 16);
            long created = numbers.length > 1 ? Long.parseLong(numbers[1], 16) : 0;
            return new Read(new ZooKeeperRegister(guard, created, all.substring(line + 1)), node.stat());
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw ZooKeeperText.corrupt(path, e);
        }
    }

    byte[] data() {
        String first = Long.toHexString(guard) + (created == 0 ? "" : " " + Long.toHexString(created));
        return (first + "\n" + text).getBytes(StandardCharsets.UTF_8);
    }

    Register register(String name, Stat stat) {
        return new Register(
                name,
                Optional.of(text),
                guard << COUNT_BITS | stat.getVersion(),
                created == 0 ? stat.getCzxid() : created,
                stat.getMzxid());
    }

    /** The number of the node that has this version; 0 for none. */
    static long guard(long version) {
        return version >>> COUNT_BITS;
    }

    /** ZooKeeper's own version of the node that has this version. */
    static int count(long version) {
        return (int) (version & COUNT_MAX);
    }
}
