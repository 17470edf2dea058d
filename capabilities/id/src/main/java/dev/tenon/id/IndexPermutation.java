package dev.tenon.id;

import java.security.SecureRandom;

/**
 * A secret order of the numbers 0 to n − 1: each has one place, which is computed and not stored. A Feistel network
 * over the next power of four, with a keyed hash as its round function; results outside the range go through it again
 * until they are inside (cycle walking, Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002), four times
 * at the very most on average. Immutable.
 */
final class IndexPermutation {
    /** Luby and Rackoff need 4 for large halves; halves as small as ours need more. */
    private static final int ROUNDS = 10;

    private final long count;
    private final int halfBits;
    private final long halfMask;
    private final long key0;
    private final long key1;

    IndexPermutation(long count, SecureRandom random) {
        this.count = count;
        int bits = Math.max(2, Long.SIZE - Long.numberOfLeadingZeros(count - 1));
        this.halfBits = (bits + 1) / 2;
        this.halfMask = IdLayout.mask(halfBits);
        this.key0 = random.nextLong();
        this.key1 = random.nextLong();
    }

    /** The number at place {@code index}. */
    long at(long index) {
        long number = index;
        do {
            number = encrypt(number);
        } while (number >= count);
        return number;
    }

    private long encrypt(long number) {
        long left = number >>> halfBits;
        long right = number & halfMask;
        for (int round = 0; round < ROUNDS; round++) {
            long mixed = left ^ (hash((long) round << halfBits | right) & halfMask);
            left = right;
            right = mixed;
        }
        return left << halfBits | right;
    }

    /** SipHash-1-3 (Aumasson and Bernstein, 2012) of one word, without its length block: all inputs have one length. */
    private long hash(long word) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L ^ word;
        for (int round = 0; round < 4; round++) {
            if (round == 1) {
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
