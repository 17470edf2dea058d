package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.TestPort;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder that was restored goes on above everything that was given out, also after the backup. */
class RaftBackupTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);

    @TempDir
    Path parent;

    private RaftBackend backend;

    @BeforeEach
    void open() {
        backend = RaftBackend.open(parent.resolve("old"), RaftOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void whatIsGivenOutAfterARestoreIsAboveWhatWasGivenOutAfterTheBackup() throws IOException {
        openSession("s1");
        long before = token("a", "r1");
        backend.ranges().define("orders", new RangeDefinition(10, 5, 1_000_000));
        backend.ranges().next("orders", 3);
        backend.definitions().putIfAbsent("orders", "{}");
        WorkerIdSource workers = backend.workerIds("g");
        WorkerSlot first = workers.claim(claim("c1"));
        workers.release(first, Instant.now());
        Path file = backup();

        long after = 0;
        for (int i = 0; i < 50; i++) {
            after = token("after" + i, "r" + i);
        }
        IdRange late = backend.ranges().next("orders", 20);
        WorkerSlot lateSlot = workers.claim(claim("c2"));
        WorkerSlot neverInBackup = workers.claim(claim("c3"));
        backend.close();

        Path restored = parent.resolve("new");
        RaftBackup.read(file).restore(restored, Instant.now(), 100);
        backend = RaftBackend.open(restored, RaftOptions.DEFAULT);
        assertThat(backend.definitions().all()).containsOnlyKeys("orders");
        assertThat(backend.ranges().next("orders", 1).first())
                .isGreaterThan(late.last())
                .isEqualTo(10 + 3 * 5 + 100 * 5);
        assertThat(join(backend.lockStore().keepAlive("s1"))).isFalse();
        openSession("s1");
        assertThat(token("a", "r1")).isGreaterThan(after).isGreaterThan(before);
        assertThat(token("never seen", "r2")).isGreaterThan(after);
        workersGoOn(lateSlot, neverInBackup);

        long latest = token("b", "r3");
        backend.close();
        backend = RaftBackend.open(restored, RaftOptions.DEFAULT);
        assertThat(token("c", "r4")).isGreaterThan(latest);
        assertThat(backend.ranges().next("orders", 1).first()).isEqualTo(10 + 3 * 5 + 101 * 5);
    }

    @Test
    void whatWasUndecidedInABackupWaitsForAnOperatorAndWhatWasDecidedGoesOn() throws IOException {
        TransactionStore log = backend.transactions();
        TransactionRecord open = log.begin(TransactionCommands.draft("open", ""), Optional.of("me"), HOUR)
                .transaction();
        TransactionRecord begun = log.begin(TransactionCommands.draft("decided", ""), Optional.empty(), Duration.ZERO)
                .transaction();
        log.update(begun, begun.in(TransactionState.ABORTING), List.of()).orElseThrow();
        Path file = backup();
        TransactionRecord late =
                log.update(open, open.in(TransactionState.COMMITTED), List.of()).orElseThrow();
        backend.close();

        RaftBackup.read(file).restore(parent.resolve("new"), Instant.now(), 100);
        backend = RaftBackend.open(parent.resolve("new"), RaftOptions.DEFAULT);
        TransactionRecord now = backend.transactions().find(open.gid()).orElseThrow();
        assertThat(now.state()).isEqualTo(TransactionState.ACTIVE);
        assertThat(now.suspended().orElseThrow()).contains("backup");
        assertThat(now.progress().version()).isGreaterThan(late.progress().version());
        assertThat(backend.transactions().update(late, late, List.of())).isEmpty();
        assertThat(backend.transactions().claim(new Claim("shop", "me", HOUR, 10)))
                .extracting(TransactionRecord::gid)
                .containsExactly(begun.gid());
    }

    private void workersGoOn(WorkerSlot late, WorkerSlot neverInBackup) {
        assertThatThrownBy(() -> backend.workerIds("g").claim(claim("c4")))
                .isInstanceOf(WorkerIdsForgottenException.class)
                .hasMessageContaining("restored");
        WorkerIdSource workers = backend.ownWorkerIds("g");
        WorkerSlot fresh = workers.claim(claim("c4"));
        WorkerSlot second = workers.claim(claim("c5"));
        for (WorkerSlot before : List.of(late, neverInBackup)) {
            assertThat(workers.renew(before, LEASE, Instant.now().plus(LEASE)))
                    .as("a claim of before, %s", before)
                    .isFalse();
        }
        // Those that nobody had, and nobody is likely to have had since, come first: they need not wait for any clock.
        assertThat(List.of(fresh, second)).allSatisfy(slot -> {
            assertThat(slot.workerId()).isGreaterThanOrEqualTo(64);
            assertThat(workers.renew(slot, LEASE, Instant.now().plus(LEASE))).isTrue();
        });
    }

    /** Its first node, as one of several; the second with an empty folder, which the log reaches as a snapshot. */
    @Test
    void aRestoredNodeLetsOthersJoin() throws IOException {
        backend.ranges().next("orders", 5);
        Path file = backup();
        backend.close();
        RaftBackup.read(file).restore(parent.resolve("n1"), Instant.now(), 10);
        try (TestPort one = TestPort.reserve();
                TestPort two = TestPort.reserve()) {
            Map<String, String> peers = Map.of("n1", "127.0.0.1:" + one.number(), "n2", "127.0.0.1:" + two.number());
            backend = member("n1", peers);
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(BackendUnavailableException.class)
                    .untilAsserted(
                            () -> assertThat(backend.ranges().next("orders", 1).first())
                                    .isGreaterThan(15));
            try (RaftBackend joining = member("n2", peers)) {
                await().atMost(PATIENCE)
                        .ignoreExceptions()
                        .untilAsserted(() -> backend.members().add("n2", peers.get("n2")));
                assertThat(joining.ranges().next("orders", 1).first()).isGreaterThan(16);
                assertThat(join(joining.backup())).isNotEmpty();
            }
        }
    }

    private RaftBackend member(String name, Map<String, String> peers) {
        return RaftBackend.open(parent.resolve(name), RaftOptions.DEFAULT.withCluster(new RaftCluster(name, peers)));
    }

    @Test
    void aBackupHasEveryWriteThatWasAnsweredBefore() throws IOException {
        for (int i = 1; i <= 20; i++) {
            backend.ranges().next("n", 1);
            RaftBackup backup = RaftBackup.read(backup());
            assertThat(backup.sequences()).containsExactly(new RaftBackup.Sequence("n", i));
            assertThat(backup.index()).isPositive();
        }
    }

    @Test
    void aDamagedACutAndAnUnknownBackupAreRefused() throws IOException {
        backend.ranges().next("n", 1);
        byte[] whole = Files.readAllBytes(backup());
        for (int at = 0; at < whole.length; at += 7) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            refused(damaged, "can't be used");
            refused(Arrays.copyOf(whole, at), "can't be used");
        }
        refused(Arrays.copyOf(whole, whole.length + 1), "checksum");
    }

    private void refused(byte[] bytes, String why) throws IOException {
        Path file = Files.write(parent.resolve("file"), bytes);
        assertThatThrownBy(() -> RaftBackup.read(file))
                .isInstanceOf(DataFolderException.class)
                .hasMessageContaining(why)
                .hasMessageContaining("use another backup");
    }

    @Test
    void aFolderWithSomethingInItIsLeftAlone() throws IOException {
        RaftBackup backup = RaftBackup.read(backup());
        Path folder = Files.createDirectories(parent.resolve("full"));
        Files.writeString(folder.resolve("thesis.txt"), "precious");
        assertThatThrownBy(() -> backup.restore(folder, Instant.now(), 0)).hasMessageContaining("not empty");
        assertThatThrownBy(() -> backup.restore(folder.resolve("thesis.txt"), Instant.now(), 0))
                .hasMessageContaining("not empty");
        assertThatThrownBy(() -> backup.restore(parent.resolve("old"), Instant.now(), 0))
                .hasMessageContaining("not empty");
        assertThat(folder).isDirectoryContaining("glob:**/thesis.txt");
        Path empty = Files.createDirectories(parent.resolve("empty"));
        assertThatThrownBy(() -> backup.restore(empty, backup.taken().minusSeconds(1), 0))
                .hasMessageContaining("clock");
        backup.restore(empty, Instant.now(), 0);
        assertThat(parent).isDirectoryNotContaining("glob:**.restoring");
    }

    /** A million grants, or claims of one worker ID, in each second since. */
    @Test
    void tokensAndClaimsAreRaisedByTheTimeThatHasPassed() throws IOException {
        openSession("s1");
        long token = token("a", "r1");
        backend.workerIds("few").claim(claim("c1", 8));
        RaftBackup backup = RaftBackup.read(backup());
        Path folder = parent.resolve("later");
        Instant later = backup.taken().plus(Duration.ofDays(30));
        backup.restore(folder, later, 0);
        backend.close();
        backend = RaftBackend.open(folder, RaftOptions.DEFAULT);
        openSession("s1");
        long steps = TimeUnit.DAYS.toMicros(30);
        assertThat(token("b", "r1"))
                .isGreaterThan(token + steps * LockMachine.TOKEN_STRIDE)
                .as("still a number in JavaScript")
                .isLessThan(1L << 53);
        WorkerSlot slot = backend.ownWorkerIds("few").claim(claim("c2", 8));
        assertThat(slot.claim()).isGreaterThan(steps);
        assertThat(slot.floor()).isAfter(later);
    }

    @Test
    void aSequenceThatHasNotSoManyNumbersIsUsedUp() {
        RangeDefinition definition = new RangeDefinition(1, 10, 95);
        assertThat(skipped(definition, 41, 0)).isEqualTo(41);
        assertThat(skipped(definition, 41, 1)).isEqualTo(51);
        assertThat(skipped(definition, 41, 5)).isEqualTo(91);
        assertThat(skipped(definition, 41, Long.MAX_VALUE)).isEqualTo(91);
        assertThat(skipped(definition, -9, 2)).isEqualTo(11);
        assertThat(skipped(RangeDefinition.DEFAULT, Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(skipped(RangeDefinition.DEFAULT, 0, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    private static long skipped(RangeDefinition definition, long last, long skip) {
        return RestoredState.raised(new RangeTable.Entry("n", definition, last), skip)
                .last();
    }

    @Test
    void aNodeTellsHowItIs() {
        openSession("s1");
        token("a", "r1");
        RaftStatus status = backend.status();
        assertThat(status.leads()).isTrue();
        assertThat(status.term()).isPositive();
        assertThat(status.applied()).isPositive().isLessThanOrEqualTo(status.committed());
        assertThat(status.last()).isGreaterThanOrEqualTo(status.committed());
        assertThat(status.load().held()).isEqualTo(1);
        assertThat(status.load().sessions()).isEqualTo(1);
        assertThat(status.disk().syncs()).isPositive();
        assertThat(status.disk().p99()).isPositive();
        token("b", "r2");
        assertThat(backend.status().disk().syncs()).isGreaterThan(status.disk().syncs());
    }

    private Path backup() throws IOException {
        return Files.write(parent.resolve("backup"), join(backend.backup()));
    }

    private void openSession(String id) {
        join(backend.lockStore().open(new SessionSpec(id, "owner", HOUR), new RecordedEvents()));
    }

    private long token(String name, String requestId) {
        Outcome outcome = join(backend.lockStore()
                .acquire(new Acquire(name, "s1", requestId, "owner", Optional.of(HOUR), Duration.ZERO)));
        return ((Outcome.Granted) outcome).token();
    }

    private static WorkerClaim claim(String requestId) {
        return claim(requestId, 1024);
    }

    private static WorkerClaim claim(String requestId, int capacity) {
        return new WorkerClaim(requestId, "owner", "layout", capacity, LEASE, Instant.now(), LEASE).inNewStore();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
