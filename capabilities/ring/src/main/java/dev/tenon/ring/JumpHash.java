package dev.tenon.ring;

import java.nio.charset.StandardCharsets;

/**
 * Jump consistent hash: key to bucket number, without memory and in {@code O(ln buckets)} steps. When the number of
 * buckets grows from {@code n} to {@code n + 1}, a key stays where it is or moves to the new bucket, and only
 * {@code 1/(n + 1)} of the keys move. Buckets have numbers instead of names, so only the last one can leave; where any
 * node may leave, use {@link HashRing} or {@link RendezvousHash}.
 *
 * <p>Source: John Lamping, Eric Veach, <a href="https://arxiv.org/abs/1406.2294">A Fast, Minimal Memory, Consistent
 * Hash Algorithm</a>, 2014. The numbers are those of every implementation of the paper, Guava's {@code consistentHash}
 * among them. Thread-safe: no state.
 */
public final class JumpHash {
    private static final long LCG_MULTIPLIER = 2_862_933_555_777_941_757L;

    private JumpHash() {}

    /**
     * The bucket of a key that is a number. The paper's generator spreads even consecutive keys.
     *
     * @param buckets how many there are, 1 or more
     * @return 0 to {@code buckets - 1}
     * @throws IllegalArgumentException if there is no bucket
     */
    public static int bucket(long key, int buckets) {
        if (buckets < 1) {
            throw new IllegalArgumentException("Buckets must be at least 1: " + buckets);
        }
        long random = key;
        long bucket = -1;
        long next = 0;
        while (next < buckets) {
            bucket = next;
            random = random * LCG_MULTIPLIER + 1;
            next = (long) ((bucket + 1) * ((double) (1L << 31) / ((random >>> 33) + 1)));
        }
        return (int) bucket;
    }

    /**
     * The bucket of a text key: {@link #bucket(long, int)} of the XXH64 (seed 0) of its UTF-8 bytes.
     *
     * @param buckets how many there are, 1 or more
     * @return 0 to {@code buckets - 1}
     * @throws IllegalArgumentException if there is no bucket
     */
    public static int bucket(String key, int buckets) {
        return bucket(XxHash64.hash(key.getBytes(StandardCharsets.UTF_8), 0), buckets);
    }
}
