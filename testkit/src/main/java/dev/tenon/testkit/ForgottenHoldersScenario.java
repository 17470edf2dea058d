package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.duplicates.ExactIdSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A real store of worker IDs that fails while two processes issue IDs with worker IDs of it, and a third that starts
 * right after, while all of them go on: no ID comes twice. Each process has a connection of its own. Takes a little
 * longer than {@link #LEASE}. For one use by one thread.
 */
public final class ForgottenHoldersScenario implements AutoCloseable {
    /** Of every process; its renewals come after a third of it. */
    public static final Duration LEASE = Duration.ofSeconds(12);

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final int BURST = 32;
    private static final int IDS_MIN = 2_000;
    /** So few IDs a millisecond that two with one worker ID are sure to meet. */
    private static final IdLayout LAYOUT =
            IdLayout.builder().workerBits(3).sequenceBits(4).build();

    private final ReentrantLock lock = new ReentrantLock();
    private final ExactIdSet ids = new ExactIdSet();
    private final AtomicLong duplicates = new AtomicLong();
    private final List<Issuer> issuers = new ArrayList<>();
    private final Supplier<Connection> store;

    /** @param store connects a process of its own; waits until there is a store */
    public ForgottenHoldersScenario(Supplier<Connection> store) {
        this.store = store;
    }

    /** One process's connection to the store. */
    public interface Connection extends AutoCloseable {
        /** The worker IDs of the one group of this scenario, in this store. */
        WorkerIdSource workerIds();

        @Override
        void close();
    }

    /**
     * What came of it.
     *
     * @param toldOne how often the first process was told that it had been forgotten
     * @param toldOther the second one, likewise
     * @param waited how long the third had to wait for its worker ID
     */
    public record Outcome(int toldOne, int toldOther, Duration waited) {}

    /**
     * Runs it.
     *
     * @param between what to do between the starts of the first and the second process, such as a backup of the store
     * @param fault what happens to the store then; returns when it answers again
     */
    public Outcome run(Runnable between, Runnable fault) {
        Issuer first = start(true);
        between.run();
        Issuer second = start(false);
        awaitIds();
        int firstId = first.worker().value();
        int secondId = second.worker().value();

        fault.run();

        long began = System.nanoTime();
        Issuer third = start(false);
        Duration waited = Duration.ofNanos(System.nanoTime() - began);
        awaitIds();
        assertThat(duplicates).as("IDs that came twice").hasValue(0);
        assertThat(List.of(first.worker().value(), second.worker().value()))
                .as("who runs keeps what it has")
                .containsExactly(firstId, secondId);
        assertThat(third.worker().value()).isNotIn(firstId, secondId);
        return new Outcome(first.told.get(), second.told.get(), waited);
    }

    /** Until every process has issued many more IDs than now. */
    private void awaitIds() {
        List<Long> before = issuers.stream().map(issuer -> issuer.issued.get()).toList();
        for (int i = 0; i < issuers.size(); i++) {
            Issuer issuer = issuers.get(i);
            long enough = before.get(i) + IDS_MIN;
            await().atMost(PATIENCE).until(() -> issuer.issued.get() >= enough || duplicates.get() > 0);
        }
    }

    private Issuer start(boolean newStore) {
        Issuer issuer = new Issuer();
        issuers.add(issuer);
        issuer.start(newStore);
        return issuer;
    }

    @Override
    public void close() {
        issuers.forEach(Issuer::close);
    }

    private void record(long[] burst, int count) {
        lock.lock();
        try {
            for (int i = 0; i < count; i++) {
                if (!ids.add(burst[i])) {
                    duplicates.incrementAndGet();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** A process that issues IDs. */
    private final class Issuer implements AutoCloseable {
        private final AtomicInteger told = new AtomicInteger();
        private final AtomicLong issued = new AtomicLong();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final CompletableFuture<WorkerId> worker = new CompletableFuture<>();
        private final Connection connection = store.get();
        private @Nullable Thread thread;

        void start(boolean newStore) {
            Thread started = DaemonThreads.of("issuer-" + issuers.size(), () -> issue(newStore));
            thread = started;
            started.start();
            worker(); // has one
        }

        WorkerId worker() {
            try {
                return worker.join();
            } catch (CompletionException e) {
                throw new AssertionError("a process got no worker ID: " + e.getCause(), e.getCause());
            }
        }

        private void issue(boolean newStore) {
            SnowflakeGenerator generator;
            try {
                WorkerId.Builder builder = WorkerId.builder(connection.workerIds(), LAYOUT)
                        .leaseTime(LEASE)
                        .whenForgotten(forgotten -> told.incrementAndGet());
                WorkerId leased = (newStore ? builder.newStore() : builder).lease();
                generator = SnowflakeGenerator.create(LAYOUT, leased);
                worker.complete(leased);
            } catch (RuntimeException | Error e) {
                worker.completeExceptionally(e);
                return;
            }
            long[] burst = new long[BURST];
            while (!ended.get()) {
                int count = 0;
                try {
                    for (; count < BURST; count++) {
                        burst[count] = generator.nextId();
                    }
                } catch (TenonException e) {
                    // Without a store for too long: none is issued, which is right.
                }
                record(burst, count);
                issued.addAndGet(count);
                TimeSource.system().park(PAUSE);
            }
        }

        @Override
        public void close() {
            ended.set(true);
            Thread running = thread;
            if (running != null) {
                try {
                    running.join(PATIENCE.toMillis());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            if (worker.isDone() && !worker.isCompletedExceptionally()) {
                worker.join().close();
            }
            connection.close();
        }
    }
}
