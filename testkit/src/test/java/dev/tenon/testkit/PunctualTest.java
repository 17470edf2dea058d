package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PunctualTest {
    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void whatFailsWhileTheStoreIsInTimeHasFailed() {
        assertThatThrownBy(() -> Punctual.judge(Duration.ofMinutes(1), () -> "", () -> {
                    runs.incrementAndGet();
                    throw new AssertionError("wrong");
                }))
                .hasMessage("wrong");
        assertThat(runs).hasValue(1);
    }

    @Test
    void whatFailsWhileTheStoreIsLateIsTriedAgain() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Punctual.judge(Duration.ofNanos(1), () -> late(asked), () -> {
            asked.await();
            if (runs.incrementAndGet() < 3) {
                throw new AssertionError("too late");
            }
        });
        assertThat(runs).hasValue(3);
    }

    @Test
    void aStoreThatNeverAnswersFailsInTheEnd() {
        CountDownLatch asked = new CountDownLatch(1);
        assertThatThrownBy(() -> Punctual.judge(
                        Duration.ofNanos(1),
                        () -> late(asked),
                        () -> assertThat(runs.incrementAndGet()).isNegative()))
                .isInstanceOf(AssertionError.class);
        assertThat(runs).hasValue(6);
    }

    private static Object late(CountDownLatch asked) throws InterruptedException {
        asked.countDown();
        new CountDownLatch(1).await();
        return "";
    }
}
