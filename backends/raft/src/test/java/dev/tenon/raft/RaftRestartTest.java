package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.TenonException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaftRestartTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final RecordedEvents events = new RecordedEvents();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private RaftBackend backend;

    @BeforeEach
    void open() {
        backend = RaftBackend.open(folder, RaftOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        backend.close();
    }

    @Test
    void locksAndTheirQueuesAreThereAfterARestart() {
        openSession("s1", HOUR);
        openSession("s2", HOUR);
        long token = granted(acquire("s1", "r1", Duration.ZERO)).token();
        assertThat(acquire("s2", "r2", HOUR)).isInstanceOf(Outcome.Queued.class);

        restart();
        assertThat(granted(acquire("s1", "r1", Duration.ZERO)).token()).isEqualTo(token);
        assertThat(join(backend.lockStore().attach("s2", events))).isTrue();
        assertThat(join(backend.lockStore().release(List.of(new Release("l", token)))))
                .containsExactly(Released.HANDED_OVER);
        Grant grant = events.awaitGrantOf("r2", PATIENCE);
        assertThat(grant.token()).isGreaterThan(token);
    }

    @Test
    void tokensGoOnGrowingForANameThatWasForgotten() {
        openSession("s1", HOUR);
        long token = granted(acquire("s1", "r1", Duration.ZERO)).token();
        join(backend.lockStore().release(List.of(new Release("l", token))));
        restart();
        assertThat(granted(acquire("s1", "r2", Duration.ZERO)).token()).isGreaterThan(token);
    }

    @Test
    void onlyASessionThatExistsCanBeAttached() {
        assertThat(join(backend.lockStore().attach("nobody", events))).isFalse();
        openSession("s1", HOUR);
        restart();
        assertThat(join(backend.lockStore().attach("s1", events))).isTrue();
        assertThat(join(backend.lockStore().keepAlive("s1"))).isTrue();
        join(backend.lockStore().closeSession("s1"));
        assertThat(join(backend.lockStore().attach("s1", events))).isFalse();
        assertThat(join(backend.lockStore().keepAlive("s1"))).isFalse();
    }

    @Test
    void aSessionThatNobodyKeepsAliveEndsAfterTheRestartAndIsTold() {
        openSession("s1", Duration.ofSeconds(10)); // which a machine that stands still does not use up
        openSession("s2", HOUR);
        granted(acquire("s1", "r1", Duration.ZERO));
        acquire("s2", "r2", HOUR);
        restart();
        RecordedEvents lost = new RecordedEvents();
        assertThat(join(backend.lockStore().attach("s1", lost))).isTrue();
        assertThat(join(backend.lockStore().attach("s2", events))).isTrue();
        events.awaitGrantOf("r2", PATIENCE);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lost.lostSessions()).containsExactly("s1"));
    }

    @Test
    void aSessionOutlivesTheHoursThatItsNodeWasDownAndALeaseOfItsOwnDoesNot() {
        ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
        RaftOptions options = RaftOptions.DEFAULT.withTime(clock);
        backend.close();
        backend = RaftBackend.open(folder, options);
        openSession("s1", Duration.ofSeconds(30));
        openSession("s2", HOUR);
        long bound =
                granted(acquire("bound", "s1", Optional.empty(), Duration.ZERO)).token();
        long held = granted(acquire("held", "s1", Optional.of(HOUR.multipliedBy(3)), Duration.ZERO))
                .token();
        granted(acquire("over", "s1", Optional.of(HOUR), Duration.ZERO));
        acquire("bound", "s2", Optional.of(HOUR), HOUR.multipliedBy(9));
        clock.advance(Duration.ofSeconds(20));
        backend.close();
        clock.advance(HOUR.multipliedBy(2));

        backend = RaftBackend.open(folder, options);
        clock.advance(Duration.ofSeconds(29));
        assertThat(join(backend.lockStore().keepAlive("s1"))).isTrue();
        assertThat(holder("bound")).contains(bound);
        assertThat(holder("held")).contains(held);
        assertThat(holder("over")).isEmpty();
        // Nobody keeps it alive from now on.
        clock.advance(Duration.ofSeconds(30));
        assertThat(join(backend.lockStore().keepAlive("s1"))).isFalse();
        assertThat(holder("bound")).isPresent().get().isNotEqualTo(bound);
        assertThat(holder("held")).isEmpty();
    }

    @Test
    void closingTheStoreEndsItsSessionsAndClosingTheBackendDoesNot() {
        openSession("s1", HOUR);
        granted(acquire("s1", "r1", Duration.ZERO));
        restart();
        assertThat(join(backend.lockStore().inspect("l"))).isPresent();
        openSession("s2", HOUR);
        backend.lockStore().close();
        assertThat(join(backend.lockStore().keepAlive("s2"))).isFalse();
        assertThat(join(backend.lockStore().keepAlive("s1"))).isTrue();
    }

    @Test
    void rangesWorkerIdsAndDefinitionsAreThereAfterARestart() {
        RangeDefinition definition = new RangeDefinition(7, 5, 1_000);
        backend.ranges().define("r", definition);
        IdRange range = backend.ranges().next("r", 10);
        Instant now = Instant.now();
        WorkerClaim claim = new WorkerClaim("w1", "me", "twitter", 4, HOUR, now, HOUR).inNewStore();
        WorkerSlot slot = backend.workerIds("g").claim(claim);
        backend.definitions().putIfAbsent("d", "text");

        restart();
        assertThat(backend.ranges().definition("r")).contains(definition);
        assertThat(backend.ranges().next("r", 1).first()).isEqualTo(range.last() + 5);
        assertThat(backend.workerIds("g").claim(claim)).isEqualTo(slot);
        assertThat(backend.workerIds("g").renew(slot, HOUR, now.plus(HOUR))).isTrue();
        assertThat(backend.definitions().all()).containsOnlyKeys("d").containsValue("text");
    }

    @Test
    void transactionsAreThereAfterARestartAndASnapshot() {
        backend.close();
        RaftOptions options = RaftOptions.DEFAULT.withSnapshotLogBytes(20_000);
        backend = RaftBackend.open(folder, options);
        List<TransactionRecord> written = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TransactionDraft draft = TransactionCommands.draft("t" + i, "x".repeat(3000));
            TransactionRecord tx =
                    backend.transactions().begin(draft, Optional.of("me"), HOUR).transaction();
            TransactionEvent event = new TransactionEvent(tx.createdAt(), "looked at", "me", "");
            TransactionRecord after =
                    i % 2 == 0 ? tx.in(TransactionState.COMMITTED) : tx.due(tx.createdAt(), Optional.empty());
            written.add(backend.transactions().update(tx, after, List.of(event)).orElseThrow());
        }
        restart();
        for (TransactionRecord tx : written) {
            assertThat(backend.transactions().find(tx.gid())).contains(tx);
            assertThat(backend.transactions().history(tx.gid())).hasSize(1);
        }
        assertThat(backend.transactions().claim(new Claim("shop", "me", HOUR, 100)))
                .hasSize(10);
        assertThat(backend.transactions().purge(Duration.ofMillis(1), 100)).isEqualTo(10);
    }

    @Test
    void aNodeThatLooksForWorkAndFindsNoneWritesNothing() throws IOException {
        TransactionDraft draft = TransactionCommands.draft("t", "");
        backend.transactions().begin(draft, Optional.of("me"), HOUR);
        Instant before = backend.transactions().now();
        long size = backend.status().last();
        for (int i = 0; i < 100; i++) {
            assertThat(backend.transactions().claim(new Claim("shop", "me", HOUR, 100)))
                    .isEmpty();
            assertThat(backend.transactions().now()).isAfterOrEqualTo(before);
        }
        assertThat(backend.status().last()).isEqualTo(size);
    }

    @Test
    void snapshotsAreTakenAndTheLogIsCut() throws IOException {
        backend.close();
        RaftOptions options = RaftOptions.DEFAULT.withSnapshotLogBytes(20_000);
        backend = RaftBackend.open(folder, options);
        assertThat(backend.latestSnapshot()).isEmpty();
        openSession("s1", HOUR);
        long token = granted(acquire("s1", "r1", Duration.ZERO)).token();
        String text = "x".repeat(9_000);
        for (int i = 0; i < 1500; i++) {
            backend.definitions().putIfAbsent("d" + i % 10, text);
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(sizeOf("current")).isLessThan(10 << 20));
        assertThat(files("sm")).anyMatch(f -> f.matches("snapshot\\.\\d+_\\d+"));
        assertThat(files("current")).noneMatch(f -> f.startsWith("log_0-"));
        assertThat(backend.latestSnapshot().orElseThrow()).isPositive();

        restart();
        assertThat(granted(acquire("s1", "r1", Duration.ZERO)).token()).isEqualTo(token);
        assertThat(backend.definitions().find("d9")).contains(text);
        assertThat(backend.definitions().all()).hasSize(10);
    }

    @Test
    void twoBackendsInOneProcessDoNotSeeEachOther(@TempDir Path other) {
        try (RaftBackend second = RaftBackend.open(other, RaftOptions.DEFAULT)) {
            assertThat(backend.ranges().next("r", 5).first()).isEqualTo(1);
            assertThat(second.ranges().next("r", 5).first()).isEqualTo(1);
            assertThat(backend.ranges().next("r", 5).first()).isEqualTo(6);
        }
        assertThat(backend.ranges().next("r", 5).first()).isEqualTo(11);
    }

    @Test
    void aClosedBackendSaysSo() {
        backend.close();
        backend.close();
        assertThatThrownBy(() -> backend.ranges().next("r", 1)).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aThreadThatIsInterruptedDoesNoHarmToTheLog() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> backend.ranges().next("r", 1)).hasMessageContaining("Interrupted");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(backend.ranges().next("r", 1).first()).isBetween(1L, 2L);
    }

    private void restart() {
        backend.close();
        open();
    }

    private void openSession(String id, Duration ttl) {
        join(backend.lockStore().open(new SessionSpec(id, "owner", ttl), events));
    }

    /** What is applied while it closes must not ask for a snapshot that nobody would take. */
    @Test
    void aNodeIsClosedAmongEntriesThatMakeASnapshotDue() {
        for (int round = 0; round < 5; round++) {
            RaftBackend busy = RaftBackend.open(folder.resolve("busy"), RaftOptions.DEFAULT.withSnapshotLogBytes(1));
            CountDownLatch drawn = new CountDownLatch(20);
            List<CompletableFuture<Void>> callers = Stream.generate(() -> CompletableFuture.runAsync(
                            () -> {
                                while (true) {
                                    busy.ranges().next("r", 1);
                                    drawn.countDown();
                                }
                            },
                            threads))
                    .limit(3)
                    .toList();
            await().atMost(PATIENCE).until(() -> drawn.getCount() == 0);
            assertThat(CompletableFuture.runAsync(busy::close, threads)).succeedsWithin(PATIENCE);
            assertThat(callers)
                    .allSatisfy(caller -> assertThat(caller)
                            .failsWithin(PATIENCE)
                            .withThrowableOfType(ExecutionException.class)
                            .withCauseInstanceOf(TenonException.class));
        }
    }

    private Outcome acquire(String session, String requestId, Duration wait) {
        return join(
                backend.lockStore().acquire(new Acquire("l", session, requestId, "owner", Optional.of(HOUR), wait)));
    }

    private Outcome acquire(String name, String session, Optional<Duration> lease, Duration wait) {
        return join(backend.lockStore().acquire(new Acquire(name, session, session + name, "owner", lease, wait)));
    }

    private Optional<Long> holder(String name) {
        return join(backend.lockStore().inspect(name)).flatMap(LockView::holder).map(LockView.HolderView::token);
    }

    private static Outcome.Granted granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return (Outcome.Granted) outcome;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    private List<String> files(String part) throws IOException {
        try (Stream<Path> files = Files.list(part(part))) {
            return files.map(f -> f.getFileName().toString()).toList();
        }
    }

    private long sizeOf(String part) throws IOException {
        long size = 0;
        for (String file : files(part)) {
            size += Files.size(part(part).resolve(file));
        }
        return size;
    }

    private Path part(String part) throws IOException {
        try (Stream<Path> groups = Files.list(folder.resolve("raft"))) {
            return groups.findFirst().orElseThrow().resolve(part);
        }
    }
}
