package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture.Backend;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A server of the suite's own, a process with a straight line to it, and one whose line can fail. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before the tests
abstract class FaultScenario {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final Duration LONG_LEASE = Duration.ofMinutes(2);

    TestServer server;
    String place;
    Backend direct;
    Locks there;
    FaultProxy line;
    Backend behindLine;
    Locks here;
    String name;

    /** The kind of store. */
    protected abstract LockStoreFixture fixture();

    @BeforeAll
    void startServer() {
        server = fixture().start();
        place = fixture().newPlace(server);
        direct = opened(fixture(), place);
        there = Locks.over(direct.store());
    }

    @BeforeEach
    void openLine() {
        name = "faults:" + UUID.randomUUID();
        line = FaultProxy.to(server.socket());
        behindLine = opened(fixture(), LockStoreFixture.through(line.address(), place, server.socket()));
        here = Locks.over(behindLine.store());
    }

    @AfterEach
    void closeLine() {
        line.heal();
        here.close();
        behindLine.close();
        line.close();
    }

    @AfterAll
    void stopServer() {
        there.close();
        direct.close();
        server.close();
    }

    /** What a machine that stood still has kept from connecting in time connects later. */
    static Backend opened(LockStoreFixture fixture, String place) {
        return await().atMost(PATIENCE.multipliedBy(2))
                .ignoreExceptionsMatching(e -> isUnknown(e) || e instanceof BackendUnavailableException)
                .until(() -> fixture.open(place), open -> true);
    }

    LockStore store() {
        return behindLine.store();
    }

    Duration shortLease() {
        Duration wanted = Duration.ofMillis(600);
        Duration least = direct.store().traits().leastLease();
        return least.compareTo(wanted) > 0 ? least : wanted;
    }

    static String open(LockStore store, RecordedEvents events) {
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "faults", Duration.ofMinutes(5));
        return eventually(() -> store.open(spec, events)).id();
    }

    static Acquire request(String lock, String session, Duration wait) {
        String id = UUID.randomUUID().toString();
        return new Acquire(lock, session, id, "owner " + id, Optional.of(LONG_LEASE), wait);
    }

    static Release granted(String lock, Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return new Release(lock, ((Outcome.Granted) outcome).token());
    }

    Optional<LockView> seen(String lock) {
        return eventually(() -> direct.store().inspect(lock));
    }

    void awaitQueueOf(int length) {
        soon().until(() -> seen(name).map(v -> v.queue().size()).orElse(0) == length);
    }

    static ConditionFactory soon() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5));
    }

    /** The answer, once there is one: what is asked for must bear to be repeated. */
    static <T> T eventually(Supplier<CompletionStage<T>> call) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return join(call.get());
            } catch (CompletionException e) {
                boolean passing = isUnknown(e.getCause()) || e.getCause() instanceof BackendUnavailableException;
                if (!passing || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    static boolean isUnknown(@Nullable Throwable failure) {
        return failure instanceof OutcomeUnknownException;
    }

    /** The failure of a call, which must have ended in time; null if it was answered. */
    static @Nullable Throwable failureOf(CompletionStage<?> call) {
        CompletableFuture<?> future = call.toCompletableFuture();
        return future.handle((answer, failure) -> failure instanceof CompletionException ? failure.getCause() : failure)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}
