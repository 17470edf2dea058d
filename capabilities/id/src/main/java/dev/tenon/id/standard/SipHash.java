package dev.tenon.id.standard;

import java.util.random.RandomGenerator;

/**
 * SipHash-2-4 of one word: a keyed function whose values can neither be told from random ones nor computed without its
 * 128-bit key (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). A message of up to 7 bytes with its
 * length on top is one word. Immutable.
 */
final class SipHash {
    private final long key0;
    private final long key1;
    private final long key2;
    private final long key3;

    SipHash(RandomGenerator keys) {
        this(keys.nextLong(), keys.nextLong());
    }

    SipHash(long k0, long k1) {
        this.key0 = k0 ^ 0x736f6d6570736575L;
        this.key1 = k1 ^ 0x646f72616e646f6dL;
        this.key2 = k0 ^ 0x6c7967656e657261L;
        this.key3 = k1 ^ 0x7465646279746573L;
    }

    long of(long word) {
        long v0 = key0;
        long v1 = key1;
        long v2 = key2;
        long v3 = key3 ^ word;
        for (int round = 0; round < 6; round++) {
            if (round == 2) {
                v0 ^= word;
                v2 ^= 0xff;
            }
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
