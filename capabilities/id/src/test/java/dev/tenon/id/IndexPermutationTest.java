package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.BitSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class IndexPermutationTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    @Property(tries = 300)
    void eachNumberHasOnePlace(@ForAll @IntRange(min = 1, max = 5000) int count) {
        IndexPermutation permutation = new IndexPermutation(count, RANDOM);
        BitSet seen = new BitSet(count);
        for (int i = 0; i < count; i++) {
            long number = permutation.at(i);
            assertThat(number).isBetween(0L, count - 1L);
            seen.set((int) number);
        }
        assertThat(seen.cardinality()).isEqualTo(count);
    }

    @Test
    void theGreatestRangeStaysInItself() {
        long count = 1L << 31;
        IndexPermutation permutation = new IndexPermutation(count, RANDOM);
        for (long i = 0; i < 10_000; i++) {
            assertThat(permutation.at(count - 1 - i)).isBetween(0L, count - 1);
        }
    }

    /** Over keys, each number is as likely as any other at a place, and after another number. */
    @Test
    void noPlaceAndNoSuccessorIsFavoured() {
        for (int count : new int[] {2, 3, 7, 16, 100}) {
            int keys = count * 400;
            int[] atFirst = new int[count];
            int[] atLast = new int[count];
            int[] difference = new int[count];
            for (int k = 0; k < keys; k++) {
                IndexPermutation permutation = new IndexPermutation(count, RANDOM);
                long first = permutation.at(0);
                atFirst[(int) first]++;
                atLast[(int) permutation.at(count - 1)]++;
                difference[(int) Math.floorMod(permutation.at(1) - first, (long) count)]++;
            }
            assertUniform(atFirst, 0);
            assertUniform(atLast, 0);
            assertThat(difference[0]).isZero();
            assertUniform(difference, 1);
        }
    }

    /** Within one long segment under one key: neither its place nor the number before tells anything of a number. */
    @Test
    void aNumberIsIndependentOfItsPlaceAndOfTheOneBefore() {
        int count = 200_000;
        int cells = 16;
        IndexPermutation permutation = new IndexPermutation(count, RANDOM);
        int[] byPlace = new int[cells * cells];
        int[] bySuccession = new int[cells * cells];
        int[] lowBits = new int[cells * cells];
        long before = permutation.at(0);
        int near = 0;
        for (int i = 1; i < count; i++) {
            long number = permutation.at(i);
            int cell = (int) (number * cells / count);
            byPlace[(int) ((long) i * cells / count) * cells + cell]++;
            bySuccession[(int) (before * cells / count) * cells + cell]++;
            lowBits[(int) (before % cells) * cells + (int) (number % cells)]++;
            near += Math.abs(number - before) <= 100 ? 1 : 0;
            before = number;
        }
        assertUniform(byPlace, 0);
        assertUniform(bySuccession, 0);
        assertUniform(lowBits, 0);
        assertThat(near).as("expected: 200 of 200,000").isBetween(110, 290);
    }

    @Test
    void anotherKeyIsAnotherOrder() {
        int count = 10_000;
        int same = 0;
        for (int k = 0; k < 20; k++) {
            IndexPermutation one = new IndexPermutation(count, RANDOM);
            IndexPermutation other = new IndexPermutation(count, RANDOM);
            for (int i = 0; i < count; i++) {
                same += one.at(i) == other.at(i) ? 1 : 0;
            }
        }
        assertThat(same).as("one of each pair of orders, as chance has it").isBetween(1, 60);
    }

    private static void assertUniform(int[] counts, int from) {
        double total = Arrays.stream(counts).sum();
        double expected = total / (counts.length - from);
        double chiSquare = Arrays.stream(counts)
                .skip(from)
                .mapToDouble(n -> (n - expected) * (n - expected) / expected)
                .sum();
        double freedom = counts.length - from - 1.0;
        // Six deviations above the mean; for few degrees of freedom the tail is longer.
        assertThat(chiSquare).isLessThan(freedom + 6 * Math.sqrt(2 * freedom) + 20);
    }
}
