package dev.tenon.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.LockEvent.Kind;
import dev.tenon.lock.LockEvent.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Listeners that are slow, or make mistakes. */
class LockEventsTest {
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final List<Long> told = Collections.synchronizedList(new ArrayList<>());

    private final Executor callbacks = Callbacks.threads();

    private static LockEvent event(long token) {
        return new LockEvent(Kind.GRANTED, "x", token, "me", Optional.empty());
    }

    @Test
    void whoIsTooSlowMissesTheLatestAndIsToldHowMany() {
        CountDownLatch slow = new CountDownLatch(1);
        Subscription subscription = new Subscription(
                event -> {
                    untilOpen(slow);
                    told.add(event.token());
                },
                closed -> {},
                callbacks);
        LongStream.range(0, 10_007).forEach(token -> subscription.offer(event(token)));
        assertThat(subscription.dropped()).isEqualTo(7);
        slow.countDown();
        await().atMost(WAIT).until(() -> told.size() == 10_000);
        assertThat(told).isSorted().startsWith(0L).endsWith(9_999L);
        subscription.offer(event(20_000));
        await().atMost(WAIT).until(() -> told.contains(20_000L));
    }

    @Test
    void aMistakeOfTheListenerIsNotTheLast() {
        Subscription subscription = new Subscription(
                event -> {
                    told.add(event.token());
                    if (event.token() == 1) {
                        throw new IllegalStateException("a listener's mistake, as this test wants it");
                    }
                },
                closed -> {},
                callbacks);
        subscription.offer(event(1));
        subscription.offer(event(2));
        await().dontCatchUncaughtExceptions().atMost(WAIT).until(() -> told.equals(List.of(1L, 2L)));
    }

    @Test
    void nothingIsToldAfterTheEnd() {
        LockEvents events = new LockEvents(callbacks);
        Subscription ended = events.listen(event -> told.add(event.token()));
        ended.close();
        ended.close();
        ended.offer(event(1));
        Subscription other = new Subscription(event -> told.add(event.token()), closed -> {}, callbacks);
        other.offer(event(2));
        await().atMost(WAIT).until(() -> told.equals(List.of(2L)));
    }

    private static void untilOpen(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
