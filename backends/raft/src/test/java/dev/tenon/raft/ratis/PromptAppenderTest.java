package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Ratis' own signal does not do. */
@Timeout(60)
class PromptAppenderTest {
    private final AtomicBoolean needed = new AtomicBoolean(true);
    private final PromptAppender.KeptSignal signal = new PromptAppender.KeptSignal(needed::get);

    @Test
    void aSignalThatComesBeforeTheWaitIsNotLost() throws InterruptedException {
        signal.signal();

        assertThat(signal.await(1, TimeUnit.HOURS)).isTrue();
    }

    @Test
    void manySignalsAreOne() throws InterruptedException {
        signal.signal();
        signal.signal();

        assertThat(signal.await(1, TimeUnit.HOURS)).isTrue();
        assertThat(signal.await(1, TimeUnit.MILLISECONDS)).isFalse();
    }

    @Test
    void whoDoesNotWaitTakesNothing() throws InterruptedException {
        signal.signal();

        assertThat(signal.await(0, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(signal.await(1, TimeUnit.HOURS)).isTrue();
    }

    @Test
    void whoSleepsIsNotWokenForNothing() throws Exception {
        needed.set(false);
        Thread[] sleeper = new Thread[1];
        CompletableFuture<Boolean> woken = asleep(sleeper);

        signal.signal();

        assertThat(sleeper[0].getState()).isEqualTo(Thread.State.TIMED_WAITING);
        assertThat(woken).isNotDone();
        needed.set(true);
        signal.signal();
        assertThat(woken.get()).isTrue();
    }

    @Test
    void whatComesWhileNobodySleepsIsKeptWhateverItIs() throws InterruptedException {
        needed.set(false);

        signal.signal();

        assertThat(signal.await(1, TimeUnit.HOURS)).isTrue();
    }

    /** A thread that waits for the signal, and sleeps. */
    private CompletableFuture<Boolean> asleep(Thread[] sleeper) {
        CompletableFuture<Boolean> woken = new CompletableFuture<>();
        sleeper[0] = new Thread(() -> {
            try {
                woken.complete(signal.await(1, TimeUnit.HOURS));
            } catch (InterruptedException e) {
                woken.completeExceptionally(e);
            }
        });
        sleeper[0].setDaemon(true);
        sleeper[0].start();
        await().until(() -> sleeper[0].getState() == Thread.State.TIMED_WAITING);
        return woken;
    }
}
