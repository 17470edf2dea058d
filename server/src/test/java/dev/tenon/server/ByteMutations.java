package dev.tenon.server;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/**
 * Bytes that are changed in one to four places, as a fuzzer without feedback does it. The same seed gives the same
 * changes.
 */
final class ByteMutations {
    private static final int CHANGES_MAX = 4;
    private static final int RUN_MAX = 40;
    /** What parsers tend to trip over. */
    private static final byte[] ODD = {
        0, 1, 9, '\n', '\r', ' ', '"', '%', '/', ':', ';', '=', '[', '\\', '{', '}', 0x7f, (byte) 0x80, (byte) 0xff
    };

    private final Random random;

    ByteMutations(Random random) {
        this.random = random;
    }

    /** A changed copy. */
    byte[] mutated(byte[] valid) {
        byte[] changed = valid;
        for (int left = 1 + random.nextInt(CHANGES_MAX); left > 0; left--) {
            changed = changedOnce(changed);
        }
        return changed;
    }

    private byte[] changedOnce(byte[] before) {
        int from = random.nextInt(before.length + 1);
        int to = Math.min(before.length, from + random.nextInt(RUN_MAX));
        return switch (random.nextInt(7)) {
            case 0 -> with(before, from, (byte) (1 << random.nextInt(8)), true);
            case 1 -> with(before, from, ODD[random.nextInt(ODD.length)], false);
            case 2 -> spliced(before, from, to, new byte[0]);
            case 3 -> spliced(before, from, from, noise());
            case 4 -> spliced(before, from, from, copy(before, from, to));
            case 5 ->
                spliced(before, from, to, String.valueOf(random.nextLong()).getBytes(StandardCharsets.US_ASCII));
            default -> copy(before, 0, random.nextInt(8) == 0 ? from : before.length);
        };
    }

    private byte[] noise() {
        byte[] noise = new byte[random.nextInt(RUN_MAX)];
        random.nextBytes(noise);
        return noise;
    }

    private static byte[] with(byte[] before, int at, byte value, boolean flips) {
        byte[] after = before.clone();
        if (at < after.length) {
            after[at] = flips ? (byte) (after[at] ^ value) : value;
        }
        return after;
    }

    private static byte[] copy(byte[] all, int from, int to) {
        return Arrays.copyOfRange(all, from, to);
    }

    private static byte[] spliced(byte[] before, int from, int to, byte[] between) {
        ByteArrayOutputStream after = new ByteArrayOutputStream();
        after.write(before, 0, from);
        after.writeBytes(between);
        after.write(before, to, before.length - to);
        return after.toByteArray();
    }
}
