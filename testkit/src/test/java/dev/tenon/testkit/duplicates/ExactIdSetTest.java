package dev.tenon.testkit.duplicates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class ExactIdSetTest {
    @Test
    void isASetOfLongsAsAnyOther() {
        Random random = new Random(1);
        List<LongUnaryOperator> shapes = List.of(
                i -> random.nextInt(50_000),
                i -> i * 3 % 40_000,
                i -> random.nextLong(),
                i -> i % 2 == 0 ? Long.MIN_VALUE + i % 1000 : Long.MAX_VALUE - i % 1000,
                i -> -random.nextInt(500),
                i -> (i >> 12) << 22 | i & 4095,
                i -> (i % 7) << 57);
        ExactIdSet exact = new ExactIdSet();
        Set<Long> model = new HashSet<>();
        for (LongUnaryOperator shape : shapes) {
            for (long i = 0; i < 100_000; i++) {
                long id = shape.applyAsLong(i);
                assertThat(exact.add(id)).isEqualTo(model.add(id));
                assertThat(exact.contains(id)).isTrue();
            }
            assertThat(exact.size()).isEqualTo(model.size());
        }
        for (int i = 0; i < 100_000; i++) {
            long id = random.nextBoolean() ? random.nextInt(100_000) : random.nextLong();
            assertThat(exact.contains(id)).isEqualTo(model.contains(id));
        }
    }

    @Test
    void findsTheOneDuplicateAmongTwentyMillion() {
        ExactIdSet exact = new ExactIdSet();
        long first = 123L << 40;
        for (long id = first; id < first + 20_000_000; id++) {
            if (!exact.add(id)) {
                throw new AssertionError(id + " was not there");
            }
        }
        assertThat(exact.add(first + 7_654_321)).isFalse();
        assertThat(exact.add(first - 1)).isTrue();
        assertThat(exact.size()).isEqualTo(20_000_001);
    }
}
