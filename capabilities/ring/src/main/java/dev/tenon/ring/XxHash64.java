package dev.tenon.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * XXH64, written from the <a href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">xxHash
 * specification</a> (Yann Collet, version 0.2.0). The step numbers below are those of its section on XXH64.
 */
final class XxHash64 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE = 32;

    private XxHash64() {}

    static long hash(byte[] input, long seed) {
        int stripesEnd = input.length / STRIPE * STRIPE;
        // Steps 1 to 3; an input shorter than a stripe starts from the seed alone.
        long acc = (stripesEnd == 0 ? seed + PRIME_5 : stripes(input, stripesEnd, seed)) + input.length;
        return avalanche(remainder(input, stripesEnd, acc));
    }

    /** Steps 1 to 3: four lanes over all whole stripes, then their convergence. */
    private static long stripes(byte[] input, int end, long seed) {
        long acc1 = seed + PRIME_1 + PRIME_2;
        long acc2 = seed + PRIME_2;
        long acc3 = seed;
        long acc4 = seed - PRIME_1;
        for (int at = 0; at < end; at += STRIPE) {
            acc1 = round(acc1, longAt(input, at));
            acc2 = round(acc2, longAt(input, at + 8));
            acc3 = round(acc3, longAt(input, at + 16));
            acc4 = round(acc4, longAt(input, at + 24));
        }
        long acc = Long.rotateLeft(acc1, 1)
                + Long.rotateLeft(acc2, 7)
                + Long.rotateLeft(acc3, 12)
                + Long.rotateLeft(acc4, 18);
        acc = merge(acc, acc1);
        acc = merge(acc, acc2);
        acc = merge(acc, acc3);
        return merge(acc, acc4);
    }

    /** Step 5: what is left after the last whole stripe, by eights, then at most one four, then bytes. */
    private static long remainder(byte[] input, int from, long start) {
        long acc = start;
        int at = from;
        for (; at + 8 <= input.length; at += 8) {
            acc = Long.rotateLeft(acc ^ round(0, longAt(input, at)), 27) * PRIME_1 + PRIME_4;
        }
        if (at + 4 <= input.length) {
            long lane = Integer.toUnsignedLong((int) INTS.get(input, at));
            acc = Long.rotateLeft(acc ^ (lane * PRIME_1), 23) * PRIME_2 + PRIME_3;
            at += 4;
        }
        for (; at < input.length; at++) {
            acc = Long.rotateLeft(acc ^ (Byte.toUnsignedLong(input[at]) * PRIME_5), 11) * PRIME_1;
        }
        return acc;
    }

    /** Step 6. */
    private static long avalanche(long mixed) {
        long acc = mixed;
        acc = (acc ^ (acc >>> 33)) * PRIME_2;
        acc = (acc ^ (acc >>> 29)) * PRIME_3;
        return acc ^ (acc >>> 32);
    }

    private static long round(long acc, long lane) {
        return Long.rotateLeft(acc + lane * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long acc, long lane) {
        return (acc ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }

    private static long longAt(byte[] input, int at) {
        return (long) LONGS.get(input, at);
    }
}
