package dev.tenon.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * What the keys and channels of locks are called. Names fall into {@value #BUCKETS} buckets, by CRC-32 of their UTF-8
 * form; the bucket is the hash tag, so that the keys of one lock and the fence that it shares with its bucket are in
 * one slot of a cluster, and there are never more fences than buckets.
 */
final class RedisLockKeys {
    /** Stored data depends on it: it can never change. */
    private static final int BUCKETS = 256;

    private static final String LOCK = "lock:";

    private final String keyPrefix;
    private final String channelPrefix;

    RedisLockKeys(String keyPrefix) {
        this.keyPrefix = keyPrefix;
        this.channelPrefix = keyPrefix + ":session:";
    }

    /** The KEYS of every lock script, in their order. */
    List<String> of(String name) {
        String tag = tag(name);
        return List.of(
                tag + LOCK + name,
                tag + "queue:" + name,
                tag + "waits:" + name,
                tag + "deadlines:" + name,
                tag + "fence");
    }

    /** Who began to hold together: see {@code quorum-take.lua}. */
    String group(String name) {
        return tag(name) + "group:" + name;
    }

    /** The pattern of SCAN for locks whose name begins with {@code namePrefix}; it may match other keys too. */
    String pattern(String namePrefix) {
        return "{" + literal(keyPrefix) + ":*}:" + LOCK + literal(namePrefix) + "*";
    }

    /** The name of the lock that a key is of, if it is of one. */
    Optional<String> nameOf(String key) {
        int at = key.indexOf("}:" + LOCK);
        String name = at < 0 ? "" : key.substring(at + 2 + LOCK.length());
        return key.equals(tag(name) + LOCK + name) ? Optional.of(name) : Optional.empty();
    }

    String channelPrefix() {
        return channelPrefix;
    }

    String channel(String sessionId) {
        return channelPrefix + sessionId;
    }

    /** The bucket of a name, as its keys begin: names with the same are in one slot. */
    String tag(String name) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return "{" + keyPrefix + ":" + crc.getValue() % BUCKETS + "}:";
    }

    private static String literal(String text) {
        return text.replaceAll("([\\\\*?\\[\\]])", "\\\\$1");
    }
}
