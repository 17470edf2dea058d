package dev.tenon.client;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Asks a cluster through a {@link TenonClient}, which looks for a node that answers by itself: again, while nobody
 * does. For one thread; several may share the client, with locks of their own.
 */
final class ClusterGrpcClient implements ClusterCaller {
    /** A call that takes so long may have been sent to another server too. */
    private static final long SENT_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration WAIT = Duration.ofSeconds(3);
    /** Not longer: what could not be given back while nobody answered holds up the others until then. */
    private static final LockOptions OPTIONS = LockOptions.DEFAULT.withLease(Duration.ofSeconds(10));

    private static final long CLOSE_SECONDS = 5;

    private final TenonClient client;
    private final Duration patience;

    /** @param patience how long to go on; then the call has failed */
    ClusterGrpcClient(TenonClient client, Duration patience) {
        this.client = client;
        this.patience = patience;
    }

    private <T> T call(Supplier<T> attempt) {
        long begun = System.nanoTime();
        while (true) {
            try {
                return attempt.get();
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                if (System.nanoTime() - begun > patience.toNanos()) {
                    throw noAnswer(e);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private AssertionError noAnswer(TenonException last) {
        return new AssertionError("No answer in " + patience, last);
    }

    @Override
    public void define(String name, String definition) {
        call(() -> client.define(name, definition));
    }

    @Override
    public void mustKnow(String name) {
        call(() -> client.ids(name).describe());
    }

    @Override
    public List<String> next(String name, int count) {
        return call(() -> client.ids(name).next(count));
    }

    @Override
    public Runnable lockReader(String lock, String reader, Told told) {
        return () -> {
            AtomicLong invoked = new AtomicLong();
            Optional<LockView> view = call(() -> {
                invoked.set(System.nanoTime());
                return client.locks().inspect(lock);
            });
            long returned = System.nanoTime();
            Set<Long> tokens = view.stream()
                    .flatMap(v -> v.holders().stream())
                    .map(LockView.HolderView::token)
                    .collect(Collectors.toSet());
            told.answered().run();
            told.history().add(lock, Operation.answered(reader, new Seen(tokens), invoked.get(), returned));
        };
    }

    @Override
    public Runnable lockUser(String lock, String user, Told told) {
        return new LockUser(lock, user, told)::runOnce;
    }

    private final class LockUser {
        private final String lock;
        private final String name;
        private final Told told;
        private final Runnable look;
        private long answeredNanos = System.nanoTime();

        LockUser(String lock, String name, Told told) {
            this.lock = lock;
            this.name = name;
            this.told = told;
            this.look = lockReader(lock, name, told);
        }

        void runOnce() {
            long invoked = System.nanoTime();
            try {
                Optional<Lease> got = client.locks().lock(lock, OPTIONS).tryAcquire(WAIT);
                answeredNanos = System.nanoTime();
                told.answered().run();
                if (answeredNanos - invoked > SENT_AGAIN_NANOS) {
                    told.twice(lock, invoked);
                }
                if (got.isPresent()) {
                    hold(got.get(), invoked, answeredNanos);
                } else {
                    told.inVain(lock, invoked);
                }
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                // What it may have been granted holds others up, and lets nobody in.
                told.inVain(lock, invoked);
                if (System.nanoTime() - answeredNanos > patience.toNanos()) {
                    throw noAnswer(e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        private void hold(Lease lease, long invoked, long returned) throws InterruptedException {
            Granted granted = new Granted(lease.token(), LockMode.EXCLUSIVE);
            told.history().add(lock, Operation.answered(name, granted, invoked, returned));
            look.run();
            Freed freed = new Freed(lease.token());
            long leftNanos = lease.remaining().toNanos();
            long givenBack = System.nanoTime();
            // A lease that is lost by now has ended some time ago.
            long certainUntil = leftNanos == 0 ? invoked : givenBack + leftNanos;
            boolean held = lease.state() != Lease.State.LOST;
            if (held && isGivenBack(lease)) {
                told.history().add(lock, Operation.answered(name, freed, givenBack, System.nanoTime()));
            } else {
                told.history().add(lock, Operation.perhaps(name, freed, Math.min(givenBack, certainUntil)));
            }
            // If it was not given back in time, the store alone knows when it has ended.
            told.history().add(lock, Operation.perhaps("store", freed, certainUntil));
        }

        private static boolean isGivenBack(Lease lease) throws InterruptedException {
            try {
                lease.closeAsync().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
                return lease.state() == Lease.State.RELEASED;
            } catch (ExecutionException | TimeoutException e) {
                return false;
            }
        }
    }
}
