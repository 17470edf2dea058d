package dev.tenon.zookeeper;

import dev.tenon.Names;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** Where each thing is kept. A name becomes one path component that ZooKeeper and its shell can take. */
record ZooKeeperPaths(String base) {
    private static final String PLAIN = "-_.:@+,=~";
    /** In no component. */
    private static final char BETWEEN = '&';

    private static final int BUCKETS = 256;

    /** There when all others are. Older versions wrote to it to learn the time of the ensemble. */
    String clock() {
        return base + "/clock";
    }

    String ranges() {
        return base + "/ranges";
    }

    String range(String name) {
        return ranges() + "/" + component(Names.requireValid("sequence name", name));
    }

    /** Written to whenever the time of the ensemble is asked for. */
    String workers() {
        return base + "/workers";
    }

    String group(String group) {
        return workers() + "/" + component(Names.requireValid("worker group", group));
    }

    String versions() {
        return base + "/versions";
    }

    String version(String name) {
        return versions() + "/" + component(Names.requireValid("sequence name", name));
    }

    /** Written to whenever a transaction's number is asked for. */
    String transactions() {
        return base + "/transactions";
    }

    String definitions() {
        return base + "/definitions";
    }

    String definition(String name) {
        String component = component(Names.requireValid("definition name", name));
        return definitions() + "/" + Integer.toHexString(bucket(name)) + "/" + component;
    }

    String locks() {
        return base + "/locks";
    }

    String lockRegisters() {
        return locks() + "/cells";
    }

    /**
     * The nodes among which the registers are spread, as the answer that lists a node's children is limited to 1 MB.
     */
    List<String> lockBuckets() {
        return IntStream.range(0, BUCKETS).mapToObj(this::lockBucket).toList();
    }

    String lockRegister(String name) {
        return lockBucket(bucket(name)) + "/" + component(name);
    }

    private static int bucket(String name) {
        int hash = name.hashCode();
        return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & (BUCKETS - 1);
    }

    private String lockBucket(int number) {
        return lockRegisters() + "/" + Integer.toHexString(number);
    }

    /** Below it, a node for each process that is there. */
    String lockProcesses() {
        return locks() + "/processes";
    }

    String lockProcess(String process) {
        return lockProcesses() + "/" + component(process);
    }

    /** Below it, notices come and go. */
    String lockNoticesRoot() {
        return locks() + "/mail";
    }

    String lockNotices(String process) {
        return lockNoticesRoot() + "/" + component(process);
    }

    String lockNotice(String process, String name, String text) {
        return lockNotices(process) + "/" + component(name) + BETWEEN + component(text);
    }

    /** The name and the text of a notice, from the last component of its path. */
    static List<String> notices(String component) {
        int between = component.indexOf(BETWEEN);
        if (between < 0) {
            throw new IllegalArgumentException("no notice: " + component);
        }
        return List.of(name(component.substring(0, between)), name(component.substring(between + 1)));
    }

    /** The last component of a path. */
    static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** What {@link #component} made this component of. */
    static String name(String component) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(component.length());
        for (int i = 0; i < component.length(); i++) {
            char c = component.charAt(i);
            if (c == '%') {
                bytes.write(Integer.parseInt(component, i + 1, i + 3, 16));
                i += 2;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /**
     * The name with every byte of its UTF-8 form that is no letter or digit of ASCII, and none of {@value #PLAIN}, as
     * %XX. ZooKeeper refuses slashes, private-use characters and surrogates, and the names "." and "..", so a leading
     * dot is written as %2E. No two names become one: % itself is escaped.
     */
    static String component(String name) {
        StringBuilder path = new StringBuilder(name.length() + 16);
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain =
                    c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || PLAIN.indexOf(c) >= 0;
            if (plain && !(c == '.' && path.length() == 0)) {
                path.append(c);
            } else {
                path.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            }
        }
        return path.toString();
    }
}
