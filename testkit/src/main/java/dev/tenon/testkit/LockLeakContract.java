package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What is left in a store of locks that nobody uses any more: nothing, but for a bounded number of fences. Five
 * thousand names, {@code -Dtenon.names}.
 */
public abstract class LockLeakContract {
    private static final int NAMES = Integer.getInteger("tenon.names", 5_000);
    private static final int AT_ONCE = 1000;
    private static final int ABANDONED = 100;
    private static final Duration LEASE = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final String session = UUID.randomUUID().toString();

    /** The store under test, in a place of its own. */
    protected abstract LockStore store();

    /**
     * Sweeps, where the store does not do it by itself at once, and counts what is there of locks: rows, keys or nodes,
     * all but the fences.
     */
    protected abstract long leftBehind();

    /** How many fences there are. */
    protected abstract long fences();

    /** How many there may be, however many names there were. */
    protected abstract long fencesMax();

    @Test
    void manyNamesLeaveNothingBehind() {
        join(store().open(new SessionSpec(session, "leak", LEASE), new RecordedEvents()));
        for (int from = 0; from < NAMES; from += AT_ONCE) {
            List<CompletionStage<List<Released>>> releases = new ArrayList<>();
            for (int i = from; i < from + AT_ONCE; i++) {
                String name = "leak/" + i;
                releases.add(store().acquire(request(name, LEASE, Duration.ZERO, Terms.EXCLUSIVE))
                        .thenCompose(outcome -> store().release(List.of(new Release(name, token(outcome))))));
            }
            releases.forEach(release -> assertThat(join(release)).containsExactly(Released.FREED));
        }
        abandonSome();
        String kept = "leak/kept";
        long token = token(join(store().acquire(request(kept, LEASE, Duration.ZERO, Terms.EXCLUSIVE))));
        long ofOne = 8; // a lock is some rows, keys or nodes, whatever it has been through
        await().atMost(PATIENCE).until(() -> leftBehind() <= ofOne);
        assertThat(join(store().inspect(kept)).orElseThrow().isHeldUnder(token)).isTrue();
        assertThat(join(store().release(List.of(new Release(kept, token))))).containsExactly(Released.FREED);
        await().atMost(PATIENCE).until(() -> leftBehind() == 0);
        assertThat(fences()).isLessThanOrEqualTo(fencesMax());
    }

    /** Holders and waiters of every kind whose time runs out. */
    private void abandonSome() {
        List<CompletionStage<Outcome>> calls = new ArrayList<>();
        for (int i = 0; i < ABANDONED; i++) {
            String held = "abandoned/" + i;
            calls.add(store().acquire(request(held, SHORT, Duration.ZERO, Terms.EXCLUSIVE)));
            Acquire waiting = request(held, SHORT, SHORT.multipliedBy(5), Terms.EXCLUSIVE);
            calls.add(store().acquire(waiting));
            if (i % 2 == 0) {
                join(store().cancel(new Cancel(held, waiting.requestId())));
            }
            String read = "read/" + i;
            calls.add(store().acquire(request(read, SHORT, Duration.ZERO, Terms.of(LockMode.SHARED))));
            calls.add(store().acquire(request(read, SHORT, SHORT, Terms.EXCLUSIVE.withLockDelay(SHORT))));
            calls.add(store().acquire(request("permits/" + i, SHORT, SHORT, Terms.of(LockMode.permits(1, 2)))));
        }
        calls.forEach(LockLeakContract::join);
    }

    private Acquire request(String name, Duration lease, Duration wait, Terms terms) {
        return new Acquire(name, session, UUID.randomUUID().toString(), "owner", Optional.of(lease), wait, terms);
    }

    private static long token(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
