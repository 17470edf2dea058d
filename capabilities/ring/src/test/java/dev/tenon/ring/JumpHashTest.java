package dev.tenon.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.Arrays;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JumpHashTest {
    /** The golden values that Guava and the ports in other languages check against. */
    @Test
    void givesThePublishedValues() {
        assertThat(LongStream.range(0, 20).mapToInt(key -> JumpHash.bucket(key, 100)))
                .containsExactly(0, 55, 62, 8, 45, 59, 86, 97, 82, 59, 73, 37, 17, 56, 86, 21, 90, 37, 38, 83);
    }

    @ParameterizedTest
    @CsvSource({
        "10863919174838991,   11,     6",
        "2016238256797177309, 11,     3",
        "1673758223894951030, 11,     5",
        "2,                   100001, 80343",
        "2201,                100001, 22152",
        "2202,                100001, 15018"
    })
    void givesThePublishedValuesOfSingleKeys(long key, int buckets, int expected) {
        assertThat(JumpHash.bucket(key, buckets)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesToPlaceAKeyInNoBucket(int buckets) {
        assertThatIllegalArgumentException().isThrownBy(() -> JumpHash.bucket(1L, buckets));
        assertThatIllegalArgumentException().isThrownBy(() -> JumpHash.bucket("key", buckets));
    }

    @Test
    @SuppressWarnings("DataFlowIssue")
    void refusesNull() {
        assertThatNullPointerException().isThrownBy(() -> JumpHash.bucket(null, 3));
    }

    @Property
    void aNewBucketTakesKeysAndNoOtherKeyMoves(
            @ForAll long key, @ForAll @IntRange(min = 1, max = 100_000) int buckets) {
        int before = JumpHash.bucket(key, buckets);
        int after = JumpHash.bucket(key, buckets + 1);
        assertThat(before).isBetween(0, buckets - 1);
        assertThat(after).isIn(before, buckets);
    }

    @Property
    void everyNumberOfBucketsWorks(@ForAll long key, @ForAll @IntRange(min = 1) int buckets) {
        assertThat(JumpHash.bucket(key, buckets)).isBetween(0, buckets - 1);
    }

    @Test
    void bucketsAreEven() {
        int[] keys = new int[10];
        for (int i = 0; i < 100_000; i++) {
            keys[JumpHash.bucket("key-" + i, keys.length)]++;
        }
        // Binomial: standard deviation 95 round 10 000; five of them.
        assertThat(Arrays.stream(keys).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(9_500, 10_500));
    }
}
