package dev.tenon.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.raft.StateUsage;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionFootprint;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Where transactions that have ended take more than half of the room, the log forgets the oldest of them, and none that
 * is young.
 */
class EarlyForgettingTest {
    private static final int ROOM = 200_000;
    private static final int ONE = 1_000;
    /** More than a pass purges at a time. */
    private static final int MANY = 160;

    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final MemoryBackend memory = MemoryBackend.on(clock);
    private final TransactionStore log = memory.transactions();
    private final Kept kept = new Kept();
    private final QuotaBackend backend = new QuotaBackend(
            kept,
            Quotas.within(
                    Limits.DEFAULT.with(LimitedResource.STATE, new Share(ROOM, ROOM)), () -> QuotaBackend.kept(kept)));

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void theOldestGoUntilTheRestTakesHalf() {
        IntStream.range(0, MANY).forEach(i -> end("early" + i));
        begin("open");
        clock.advance(TransactionQuota.REMEMBERED.minusSeconds(1));
        end("late");
        backend.runOnce();
        assertThat(found("early")).as("a client may still ask for them").isEqualTo(MANY);

        clock.advance(Duration.ofSeconds(2));
        backend.runOnce();
        assertThat(endedBytes()).isLessThanOrEqualTo(ROOM / 2);
        assertThat(found("early")).isLessThan(MANY);
        assertThat(log.find(new TransactionId("late"))).isPresent();
        assertThat(log.find(new TransactionId("open"))).isPresent();
    }

    @Test
    void whereThereIsRoomNothingIsForgottenEarly() {
        IntStream.range(0, 10).forEach(i -> end("early" + i));
        clock.advance(Duration.ofHours(1));
        backend.runOnce();
        assertThat(found("early")).isEqualTo(10);
    }

    private TransactionRecord begin(String gid) {
        TransactionDraft draft = new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.SAGA,
                "shop",
                "",
                "p".repeat(ONE),
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of());
        return log.begin(draft, Optional.of("me"), Duration.ofHours(1)).transaction();
    }

    private void end(String gid) {
        TransactionRecord tx = begin(gid);
        TransactionRecord aborting =
                log.update(tx, tx.in(TransactionState.ABORTING), List.of()).orElseThrow();
        log.update(aborting, aborting.in(TransactionState.ABORTED), List.of()).orElseThrow();
    }

    private long found(String prefix) {
        return IntStream.range(0, MANY)
                .filter(i -> log.find(new TransactionId(prefix + i)).isPresent())
                .count();
    }

    private long endedBytes() {
        return IntStream.range(0, MANY)
                .mapToObj(i -> log.find(new TransactionId("early" + i)))
                .flatMap(Optional::stream)
                .mapToLong(TransactionFootprint::of)
                .sum();
    }

    /** A backend that keeps everything in this process. */
    private final class Kept implements ServerBackend {
        @Override
        public Optional<StateUsage> usage() {
            return Optional.of(new StateUsage(0, endedBytes(), 0, 0, 0, 0));
        }

        @Override
        public Optional<TransactionStore> transactions() {
            return Optional.of(log);
        }

        @Override
        public LockStore lockStore() {
            return memory.lockStore();
        }

        @Override
        public RangeStore ranges() {
            return memory.ranges();
        }

        @Override
        public WorkerIdSource workerIds(String group) {
            return memory.workerIds(group);
        }

        @Override
        public DefinitionStore definitions() {
            return memory.definitions();
        }

        @Override
        public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
            return CompletableFuture.completedStage(false);
        }

        @Override
        public void close() {}
    }
}
