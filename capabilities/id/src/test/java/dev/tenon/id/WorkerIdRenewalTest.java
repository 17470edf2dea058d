package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The renewals of a worker ID in the background, and what must not end them. */
class WorkerIdRenewalTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final IdLayout ONE_WORKER =
            IdLayout.builder().workerBits(0).sequenceBits(12).build();

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final TableWorkerIds store = new TableWorkerIds(clock);

    private LeasedWorkerId lease() {
        return WorkerId.builder(store, ONE_WORKER)
                .owner("me")
                .leaseTime(LEASE)
                .time(clock)
                .unscheduled()
                .leased();
    }

    private static List<Supplier<TenonException>> unexpected() {
        return List.of(
                () -> {
                    throw new IllegalStateException("a driver's own");
                },
                () -> {
                    throw new OutOfMemoryError("unable to create native thread");
                });
    }

    @Test
    void whatNobodyExpectsOfAStoreDoesNotLeaveThePass() {
        for (Supplier<TenonException> failure : unexpected()) {
            try (LeasedWorkerId worker = lease()) {
                SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
                long last = ids.nextId();
                store.failWith(failure);
                clock.advance(LEASE.dividedBy(3));
                worker.runOnce();
                store.failWith(null);
                worker.runOnce();
                clock.advance(LEASE.dividedBy(2));
                assertThat(store.leased(0)).isTrue();
                int calls = store.calls();
                assertThat(ids.nextId()).isGreaterThan(last);
                assertThat(store.calls()).as("renewed in the background").isEqualTo(calls);
                clock.advance(Duration.ofSeconds(1));
            }
        }
    }

    @Test
    void whatNobodyExpectsOfAStoreDoesNotEndTheRenewals() {
        for (Supplier<TenonException> failure : unexpected()) {
            TableWorkerIds real = new TableWorkerIds(TimeSource.system());
            try (WorkerId worker = WorkerId.builder(real, ONE_WORKER)
                    .leaseTime(Duration.ofSeconds(1))
                    .lease()) {
                AtomicInteger failures = new AtomicInteger();
                real.failWith(() -> {
                    failures.incrementAndGet();
                    return failure.get();
                });
                await().atMost(Duration.ofSeconds(60)).until(() -> failures.get() > 1);
                real.failWith(null);
                Instant fence = real.fence(0);
                await().atMost(Duration.ofSeconds(60)).until(() -> real.fence(0).isAfter(fence.plusMillis(1500)));
                assertThat(worker.value()).isZero();
            }
        }
    }

    @Test
    void aRenewalThatACloseOvertakesClaimsNothing() {
        AtomicReference<Runnable> before = new AtomicReference<>(() -> {});
        WorkerId.Builder builder = WorkerId.builder(store, ONE_WORKER)
                .owner("me")
                .leaseTime(LEASE)
                .time(clock)
                .unscheduled();
        builder.conversation = new Semaphore(1) {
            @Override
            public boolean tryAcquire() {
                before.getAndSet(() -> {}).run();
                return super.tryAcquire();
            }
        };
        LeasedWorkerId worker = builder.leased();
        SnowflakeGenerator ids = SnowflakeGenerator.create(ONE_WORKER, worker);
        ids.nextId();
        before.set(worker::close);
        worker.runOnce();
        assertThat(WorkerCensus.of(store, ONE_WORKER).leased()).isZero();
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }
}
