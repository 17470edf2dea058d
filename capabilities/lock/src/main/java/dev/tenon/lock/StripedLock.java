package dev.tenon.lock;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/**
 * A fixed number of locks for any number of keys: each key belongs to one stripe, by a hash that is the same in every
 * process and version (CRC-32 of its UTF-8 bytes, modulo the number of stripes). Two keys may share a stripe, and
 * exclude each other then; never hold one while you wait for another, but take both {@linkplain #ofAll at once}. All
 * processes must agree on the number. Thread-safe.
 */
public final class StripedLock {
    /** The most stripes. */
    public static final int STRIPES_MAX = 100_000;

    private final Locks locks;
    private final String name;
    private final int stripes;
    private final LockOptions options;

    StripedLock(Locks locks, String name, int stripes, LockOptions options) {
        if (stripes < 1 || stripes > STRIPES_MAX) {
            throw new IllegalArgumentException("Stripes must be between 1 and " + STRIPES_MAX + ": " + stripes);
        }
        this.locks = locks;
        this.name = name;
        this.stripes = stripes;
        this.options = options;
        stripe(stripes - 1); // refuses a name that is too long
    }

    /** The lock of this key. No round trip. */
    public DistributedLock of(String key) {
        return stripe(stripeOf(key));
    }

    /** The locks of these keys together: at most 100 different stripes. No round trip. */
    public DistributedMultiLock ofAll(Collection<String> keys) {
        List<String> names =
                keys.stream().map(key -> nameOf(stripeOf(key))).distinct().toList();
        return locks.multiLock(names, options);
    }

    /** The stripe of this key, from 0. */
    public int stripeOf(String key) {
        CRC32 hash = new CRC32();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % stripes);
    }

    /** The lock of one stripe, from 0. Its name is that of the striped lock, {@code #}, and the number. */
    public DistributedLock stripe(int index) {
        if (index < 0 || index >= stripes) {
            throw new IllegalArgumentException("There are stripes 0 to " + (stripes - 1) + ", not " + index);
        }
        return locks.lock(nameOf(index), options);
    }

    /** All stripes, beginning with that of this key. */
    IntStream from(String key) {
        int first = stripeOf(key);
        return IntStream.range(0, stripes).map(i -> (first + i) % stripes);
    }

    @Override
    public String toString() {
        return "StripedLock[" + name + ", " + stripes + "]";
    }

    private String nameOf(int index) {
        return name + "#" + index;
    }
}
