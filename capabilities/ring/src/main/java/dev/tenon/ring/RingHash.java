package dev.tenon.ring;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** How a {@link HashRing} places keys and the points of its nodes on the circle of 2<sup>32</sup> positions. */
public enum RingHash {
    /**
     * The default: position of a key is the upper half of the <a
     * href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">XXH64</a> (seed 0) of its UTF-8 bytes, and
     * point {@code i} of a node is that of {@code label + "-" + i}. A node of weight {@code w} has {@code w} times the
     * points of one of weight 1, whatever the others weigh.
     */
    XXH64 {
        @Override
        long position(byte[] bytes) {
            return XxHash64.hash(bytes, 0) >>> 32;
        }

        @Override
        int points(int perWeight, int weight, int totalWeight, int nodes) {
            return Math.multiplyExact(perWeight, weight);
        }

        @Override
        void place(String label, int points, long[] into, int from) {
            for (int i = 0; i < points; i++) {
                into[from + i] = position(utf8(label + "-" + i));
            }
        }
    },

    /**
     * The ring of <a href="https://github.com/RJ/ketama">libketama</a>, spymemcached and other memcached clients, for
     * sharing data with them. MD5 of {@code label + "-" + i} gives four points, its four little-endian words; a key
     * lies at the first word of its own MD5. With 160 points a node and labels of the form {@code host:port} keys land
     * where those clients put them.
     *
     * <p>Equal weights give each node all its points. Unequal weights share out {@code points * nodes} in proportion,
     * as those clients do, so that here a joining node changes the number of points of all others a little.
     */
    KETAMA {
        @Override
        long position(byte[] bytes) {
            return word(md5(bytes), 0);
        }

        @Override
        int points(int perWeight, int weight, int totalWeight, int nodes) {
            if ((long) weight * nodes == totalWeight) {
                return perWeight;
            }
            // Single precision and its rounding are part of the format: the clients compute it so.
            float share = (float) weight / totalWeight;
            return (int) Math.floor((float) (share * perWeight / 4 * nodes + 0.000_000_000_1)) * 4;
        }

        @Override
        void place(String label, int points, long[] into, int from) {
            for (int i = 0; i < points; i += 4) {
                byte[] digest = md5(utf8(label + "-" + i / 4));
                for (int word = 0; word < 4; word++) {
                    into[from + i + word] = word(digest, word);
                }
            }
        }
    };

    /** Where a key lies, 0 to 2<sup>32</sup> - 1. */
    abstract long position(byte[] bytes);

    /** How many points a node has; 0 if its share is too small for this scheme. */
    abstract int points(int perWeight, int weight, int totalWeight, int nodes);

    /** Writes the positions of a node's points, {@code points} of them, to {@code into} at {@code from}. */
    abstract void place(String label, int points, long[] into, int from);

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] md5(byte[] bytes) {
        try {
            // The format asks for MD5; nothing here is a secret.
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This JVM has no MD5, which ketama needs; use RingHash.XXH64", e);
        }
    }

    private static long word(byte[] digest, int word) {
        return Integer.toUnsignedLong(
                ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getInt(word * 4));
    }
}
