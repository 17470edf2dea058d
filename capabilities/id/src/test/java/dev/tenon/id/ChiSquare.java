package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Whether numbers are spread evenly over shards. */
final class ChiSquare {
    private static final int PER_SHARD = 100;

    /** How many numbers in a row are one behind the other, in the tests of this package. */
    private static final int TOGETHER_MAX = 16;

    private ChiSquare() {}

    /** Takes a hundred numbers a shard and compares how many fell on each with what chance gives. */
    static void assertEven(String what, int shards, LongSupplier numbers) {
        int[] counts = new int[shards];
        for (int i = 0; i < shards * PER_SHARD; i++) {
            counts[(int) (numbers.getAsLong() % shards)]++;
        }
        double chiSquare = Arrays.stream(counts)
                .mapToDouble(count -> (count - PER_SHARD) * (double) (count - PER_SHARD) / PER_SHARD)
                .sum();
        // The mean of the distribution is the degrees of freedom; the deviation its root, times √2, and wider by the
        // root of
        // how many come together, as only the place of the first of them is by chance.
        double freedom = shards - 1;
        assertThat(chiSquare)
                .as(what + " %% " + shards)
                .isLessThan(freedom + 8 * Math.sqrt(2 * freedom * TOGETHER_MAX));
    }
}
