package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Folders that earlier versions of Tenon wrote are opened, and everything is in them. Each was written at noon of
 * 2026-11-21 by its clock, up to a snapshot and then some entries more, and its process was killed; the name says the
 * version of its snapshot. The commits that wrote them: bef66244 (2, and entries of version 2, which had no sender),
 * b9638204 (3), 29161d9b (4, with transactions) and 8086eb20 (5, with what is known of transactions in trouble).
 *
 * <p>A format that changes gets a new version, and a folder of the last one here.
 */
class OlderFolderTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration LEFT = HOUR.minusSeconds(1);

    private final RaftOptions options = RaftOptions.DEFAULT.withTime(new ManualClock(NOON.plus(HOUR.minus(LEFT))));
    private final RecordedEvents events = new RecordedEvents();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void everythingIsThereAndGoesOn(int snapshot) throws IOException {
        unpack(snapshot);
        try (RaftBackend backend = RaftBackend.open(folder, options)) {
            // Once by the snapshot, and once by the log behind it.
            assertThat(backend.definitions().all())
                    .containsOnlyKeys("orders", "filler", "bills")
                    .containsEntry("orders", "early text")
                    .containsEntry("bills", "late text");
            assertThat(backend.ranges().definition("numbers")).contains(new RangeDefinition(7, 5, 10_000));
            assertThat(backend.ranges().next("numbers", 1).first()).isEqualTo(7 + 13 * 5);
            WorkerClaim claim = new WorkerClaim("w1", "me", "twitter", 4, HOUR, NOON, HOUR);
            assertThat(backend.workerIds("g").claim(claim).claim()).isEqualTo(1);
            assertThatThrownBy(() ->
                            backend.workerIds("g").claim(new WorkerClaim("w9", "me", "twitter", 4, HOUR, NOON, HOUR)))
                    .isInstanceOf(WorkerIdsForgottenException.class);

            long early = holder(backend, "early");
            long late = holder(backend, "late");
            assertThat(early).isLessThan(late);
            assertThat(again(backend, "early", "r1")).isEqualTo(new Outcome.Granted(early, LEFT));
            assertThat(again(backend, "late", "r3")).isEqualTo(new Outcome.Granted(late, LEFT));
            assertThat(join(backend.lockStore().attach("s2", events))).isTrue();
            assertThat(join(backend.lockStore().release(List.of(new Release("early", early)))))
                    .containsExactly(Released.HANDED_OVER);
            Grant grant = events.awaitGrantOf("r2", Duration.ofSeconds(30));
            assertThat(grant.token()).isGreaterThan(late);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void transactionsAreThereAndGoOn(int snapshot) throws IOException {
        unpack(snapshot);
        try (RaftBackend backend = RaftBackend.open(folder, options)) {
            for (String gid : List.of("early", "late")) {
                TransactionRecord found =
                        backend.transactions().find(new TransactionId(gid)).orElseThrow();
                assertThat(found.payload()).isEqualTo("payload of " + gid);
                assertThat(found.branches()).hasSize(2);
                assertThat(found.state()).isEqualTo(TransactionState.ACTIVE);
                assertThat(backend.transactions().update(found, found.in(TransactionState.COMMITTED), List.of()))
                        .isPresent();
            }
        }
    }

    @Test
    void whatIsKnownOfATransactionInTroubleIsThere() throws IOException {
        unpack(5);
        try (RaftBackend backend = RaftBackend.open(folder, options)) {
            assertThat(progress(backend, "early").trouble()).contains(new Trouble(NOON, Optional.of(NOON)));
            assertThat(progress(backend, "late").trouble()).isEmpty();
        }
    }

    private static TransactionRecord.Progress progress(RaftBackend backend, String gid) {
        return backend.transactions().find(new TransactionId(gid)).orElseThrow().progress();
    }

    private static long holder(RaftBackend backend, String lock) {
        LockView view = backend.locks().inspect(lock).orElseThrow();
        return view.holder().orElseThrow().token();
    }

    private static Outcome again(RaftBackend backend, String lock, String request) {
        return join(backend.lockStore()
                .acquire(new Acquire(lock, "s1", request, "owner", Optional.of(HOUR), Duration.ZERO)));
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    private void unpack(int snapshot) throws IOException {
        String name = "older/snapshot-" + snapshot + ".zip";
        try (InputStream packed = Objects.requireNonNull(OlderFolderTest.class.getResourceAsStream(name), name);
                ZipInputStream files = new ZipInputStream(packed)) {
            for (ZipEntry entry = files.getNextEntry(); entry != null; entry = files.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(Objects.requireNonNull(file.getParent(), "parent"));
                Files.copy(files, file);
            }
        }
    }
}
