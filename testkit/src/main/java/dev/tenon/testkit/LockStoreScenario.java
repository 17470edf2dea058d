package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/** Two sessions, a fresh name, and short words for what the contracts of {@link LockStore} do with them. */
abstract class LockStoreScenario implements PunctualScenario {
    static final Duration LEASE = Duration.ofSeconds(60);
    static final Duration SHORT = Duration.ofMillis(300);
    static final Duration WAIT = Duration.ofSeconds(60);
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Of what a store takes for a hand-over to be claimed, a part that one of several calls may take. */
    private static final Duration IN_TIME = LockMachine.CLAIM_LEASE.dividedBy(5);

    RecordedEvents aliceEvents = new RecordedEvents();
    RecordedEvents bobEvents = new RecordedEvents();
    String alice = "";
    String bob = "";
    String name = "";

    /** The store under test, as one process has it. */
    protected abstract LockStore store();

    /** The same locks, as another process has them; the same store where there can be no other process. */
    protected LockStore otherStore() {
        return store();
    }

    @BeforeEach
    void openSessions() {
        aliceEvents = new RecordedEvents();
        bobEvents = new RecordedEvents();
        alice = open(store(), aliceEvents);
        bob = open(otherStore(), bobEvents);
        name = "contract:" + UUID.randomUUID();
    }

    @Override
    public Duration inTime() {
        return IN_TIME;
    }

    @Override
    public Object askStore() {
        return join(store().inspect("punctual"));
    }

    @Override
    public void startAnew() {
        openSessions();
    }

    /**
     * Runs what needs its calls before {@link #SHORT} is over, with a fresh name, until the store was in time for them.
     */
    void whileCallsAreInTime(Punctual.Attempt attempt) throws Exception {
        Punctual.judge(SHORT.dividedBy(3), () -> join(store().inspect(name)), () -> {
            name = "contract:" + UUID.randomUUID();
            attempt.run();
        });
    }

    long acquireWhenFree(LockStore store, String session) {
        return await().atMost(PATIENCE)
                                .until(
                                        () -> join(store.acquire(request(session, LEASE, Duration.ZERO))),
                                        Outcome.Granted.class::isInstance)
                        instanceof Outcome.Granted granted
                ? granted.token()
                : 0;
    }

    LockView.HolderView holder() {
        return join(store().inspect(name)).orElseThrow().holder().orElseThrow();
    }

    Released release(LockStore store, long token) {
        return join(store.release(List.of(new Release(name, token)))).get(0);
    }

    Acquire request(String session, Duration lease, Duration wait) {
        return request(name, session, lease, wait);
    }

    static Acquire request(String name, String session, Duration lease, Duration wait) {
        return new Acquire(name, session, nextRequest(), "owner of " + session, Optional.of(lease), wait);
    }

    static String nextRequest() {
        return "request-" + UUID.randomUUID();
    }

    static String open(LockStore store, RecordedEvents events) {
        String id = UUID.randomUUID().toString();
        return join(store.open(spec(id), events)).id();
    }

    static SessionSpec spec(String id) {
        return new SessionSpec(id, "owner of " + id, Duration.ofMinutes(5));
    }

    static Outcome.Granted granted(CompletionStage<Outcome> stage) {
        Outcome outcome = join(stage);
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return (Outcome.Granted) outcome;
    }

    static Outcome.Queued queued(CompletionStage<Outcome> stage) {
        Outcome outcome = join(stage);
        assertThat(outcome).isInstanceOf(Outcome.Queued.class);
        return (Outcome.Queued) outcome;
    }

    static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
