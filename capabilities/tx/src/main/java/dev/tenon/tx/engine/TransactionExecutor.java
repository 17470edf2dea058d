package dev.tenon.tx.engine;

import dev.tenon.DaemonThreads;
import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionStore;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs the {@link TransactionDriver} in threads, polls for work, and completes the callers that wait for the end of a
 * transaction. At most one batch that recovery has found and twice as many that were begun here run at the same time;
 * the rest waits in the log. Thread-safe.
 */
final class TransactionExecutor implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Transactions.class.getName());
    private static final Duration LOOK_FIRST = Duration.ofMillis(20);
    private static final Duration LOOK_MAX = Duration.ofMillis(500);
    private static final Duration PURGE_EVERY = Duration.ofMinutes(1);
    /** One batch more than there are places: a thread gives its place back a little before it is free itself. */
    private static final int THREADS_PER_BATCH = 4;

    private static final int PURGE_BATCH = 1000;

    /** How many each that comes to rest wakes, of those that wait for a participant which answers. */
    private static final int WAKES = 2;

    /** Which part of a batch they may be at a time: others have to get their turn. */
    private static final int WAKING_PART = 4;

    private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

    private final TransactionStore store;
    private final TransactionOptions options;
    private final String owner;
    private final TransactionDriver driver;
    private final StoreTime storeTime;
    private final ParticipantCalls calls;
    private final ThreadPoolExecutor callThreads;
    private final ThreadPoolExecutor workers;
    private final ScheduledExecutorService timer;
    private final AtomicInteger begunHere = new AtomicInteger();
    private final AtomicInteger recovering = new AtomicInteger();
    private final AtomicInteger waking = new AtomicInteger();
    private final Map<TransactionId, CompletableFuture<TransactionRecord>> awaited = new ConcurrentHashMap<>();
    private volatile Consumer<TransactionRecord> listener = tx -> {};
    private volatile boolean forgetsAll;
    private long purgedNanos;

    /** @param owner the name under which this process claims */
    TransactionExecutor(
            TransactionStore store,
            Participants participants,
            ModeRegistry modes,
            String owner,
            TransactionOptions options) {
        this.store = store;
        this.options = options;
        this.owner = owner;
        this.callThreads = new ThreadPoolExecutor(
                options.threads(),
                options.threads(),
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.numbered("tenon-tx-call"));
        this.callThreads.allowCoreThreadTimeOut(true);
        this.workers = new ThreadPoolExecutor(
                0,
                THREADS_PER_BATCH * options.batch(),
                10,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                DaemonThreads.numbered("tenon-tx"));
        this.timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered("tenon-tx-recovery"));
        this.storeTime = new StoreTime(store, options.time());
        this.calls = new ParticipantCalls(participants, options, callThreads);
        this.driver = new TransactionDriver(store, modes, owner, options, calls);
        this.purgedNanos = options.time().nanoTime();
    }

    /** A draft with its first calls marked. */
    TransactionDraft withFirstCalls(TransactionDraft draft) {
        TransactionRecord preview = TransactionMachine.begun(
                draft, Optional.empty(), options.time().now(), options.time().now());
        return draft.withBranches(driver.firstCalls(preview));
    }

    /** Adds a listener of transactions that have ended or are suspended. */
    void tell(Consumer<TransactionRecord> other) {
        listener = listener.andThen(other);
    }

    /** Runs passes for ever; every minute one that purges as well. */
    void start() {
        long millis = options.pollEvery().toMillis();
        timer.scheduleWithFixedDelay(this::passAndPurge, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void passAndPurge() {
        boolean purges = isTimeToPurge();
        try {
            pass();
            if (purges) {
                purge();
            }
        } catch (RuntimeException e) {
            // The store is away: the next pass does what this one could not. What is thrown from here ends all passes.
            if (!timer.isShutdown()) { // whose pass is interrupted
                LOG.log(Level.WARNING, "Recovery of transactions has failed; it is retried at the next poll", e);
            }
        }
    }

    private boolean isTimeToPurge() {
        boolean over = options.time().nanoTime() - purgedNanos >= PURGE_EVERY.toNanos();
        if (over) {
            purgedNanos = options.time().nanoTime();
        }
        return over;
    }

    void forgetEveryService() {
        forgetsAll = true;
    }

    /** Forgets what ended long ago; returns how many. */
    int purge() {
        int purged;
        int sum = 0;
        do {
            purged = forgetsAll
                    ? store.purge(options.retention(), PURGE_BATCH)
                    : store.purge(options.service(), options.retention(), PURGE_BATCH);
            sum += purged;
        } while (purged == PURGE_BATCH);
        return sum;
    }

    /** Whether a transaction that begins here could be driven at once. */
    boolean hasRoom() {
        return begunHere.get() < 2 * options.batch() && !workers.isShutdown();
    }

    /** Drives a transaction that has begun here. */
    void driveBegun(TransactionRecord begun, long askedNanos) {
        submit(begunHere, () -> driver.driveBegun(begun, askedNanos));
    }

    /**
     * Drives a transaction that was decided or resumed, unless a process drives it already, or it is of another
     * service: that one knows its participants, and finds it due.
     */
    void resume(TransactionRecord tx) {
        if (!mayDrive(tx)) {
            tell(tx);
        } else if (hasRoom()) {
            submit(begunHere, () -> claimAndDrive(tx, tx));
        }
    }

    private boolean mayDrive(TransactionRecord tx) {
        return !tx.state().isFinal()
                && tx.suspended().isEmpty()
                && tx.progress().owner().isEmpty()
                && tx.service().equals(options.service());
    }

    private TransactionRecord claimAndDrive(TransactionRecord tx, TransactionRecord after) {
        TransactionDriver.PlannedStep step = driver.planned(after, storeTime.now());
        return store.update(tx, step.record(), step.events()).map(step::drive).orElse(tx);
    }

    /**
     * A decision that is written together with the claim and the first calls that follow from it: one write for all
     * three.
     */
    final class Decision {
        private Optional<TransactionDriver.PlannedStep> step = Optional.empty();

        /** What to write. May be called more than once: the last one counts. */
        TransactionRecord write(TransactionRecord decided, boolean isNew) {
            step = isNew && mayDrive(decided) && hasRoom()
                    ? Optional.of(driver.planned(decided, storeTime.now()))
                            .filter(next -> next.events().isEmpty())
                    : Optional.empty();
            return step.map(TransactionDriver.PlannedStep::record).orElse(decided);
        }

        /** Goes on from what was written. */
        void drive(TransactionRecord written) {
            step.ifPresentOrElse(next -> submit(begunHere, () -> next.drive(written)), () -> resume(written));
        }
    }

    /**
     * Has a transaction ask for its child, which has ended, now and not when its next retry is due. If a process drives
     * it at this moment, or this fails, it asks at that retry.
     */
    private void wakeParent(TransactionRecord child) {
        if (!child.state().isFinal() || child.parent().isEmpty()) {
            return;
        }
        Optional<TransactionRecord> waiting = store.find(child.parent().get())
                .filter(parent -> !parent.state().isFinal()
                        && parent.suspended().isEmpty()
                        && parent.progress().owner().isEmpty()
                        && parent.service().equals(options.service()));
        waiting.ifPresent(parent -> {
            TransactionRecord awake = Decisions.awake(parent);
            if (!awake.equals(parent) && hasRoom()) {
                submit(begunHere, () -> claimAndDrive(parent, awake));
            }
        });
    }

    /** Retries at once transactions that wait for a participant which answers again. */
    private void wakeWaiting() {
        int most = Math.max(1, options.batch() / WAKING_PART);
        for (int i = 0; i < WAKES && waking.get() < most; i++) {
            Optional<TransactionRecord> waiting = calls.waiting().flatMap(store::find);
            waiting.filter(this::mayDrive).ifPresent(tx -> {
                TransactionRecord awake = Decisions.awake(tx);
                if (!awake.equals(tx)) {
                    submit(waking, () -> claimAndDrive(tx, awake));
                }
            });
        }
    }

    /** One pass of recovery; the future has how many transactions were driven, when they all rest. */
    CompletableFuture<Integer> pass() {
        int room = options.batch() - recovering.get();
        if (room <= 0) {
            return CompletableFuture.completedFuture(0);
        }
        long askedNanos = options.time().nanoTime();
        List<TransactionRecord> claimed = store.claim(new Claim(options.service(), owner, options.claim(), room));
        CompletableFuture<?>[] driven = claimed.stream()
                .map(tx -> submit(recovering, () -> driver.drive(tx, askedNanos)))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(driven).thenApply(all -> claimed.size());
    }

    /**
     * Drives in another thread; if all are at work, or the store is away, recovery does it later.
     *
     * @param places among which it takes one: recovery has its own, as what has begun here would leave it none
     */
    private CompletableFuture<Void> submit(AtomicInteger places, Supplier<TransactionRecord> drive) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        places.incrementAndGet();
        try {
            workers.execute(() -> {
                try {
                    TransactionRecord driven = inPlace(places, drive);
                    tell(driven);
                    wakeParent(driven);
                    wakeWaiting();
                } catch (RejectedExecutionException e) {
                    // This is closed: another process takes over when the claim expires.
                } catch (RuntimeException e) {
                    // Nothing is lost: the log has it, and the claim ends.
                    LOG.log(Level.WARNING, "A transaction is left until its claim expires", e);
                } finally {
                    done.complete(null);
                }
            });
        } catch (RejectedExecutionException e) {
            places.decrementAndGet();
            done.complete(null);
        }
        return done;
    }

    /** Frees the place before the end is reported: for the next transaction, or for the parent. */
    private static TransactionRecord inPlace(AtomicInteger places, Supplier<TransactionRecord> drive) {
        try {
            return drive.get();
        } finally {
            places.decrementAndGet();
        }
    }

    private void tell(TransactionRecord tx) {
        if (tx.state().isFinal() || tx.suspended().isPresent()) {
            CompletableFuture<TransactionRecord> waiting = awaited.remove(tx.gid());
            if (waiting != null) {
                waiting.complete(tx);
            }
            listener.accept(tx);
        }
    }

    /** Waits until a transaction has ended or is suspended, or patience has. */
    TransactionRecord await(TransactionId gid, Duration patience, Supplier<TransactionRecord> find)
            throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        Duration pause = LOOK_FIRST;
        while (true) {
            // Registered before it is read, so that an end in between is noticed.
            CompletableFuture<TransactionRecord> told = awaited.computeIfAbsent(gid, id -> new CompletableFuture<>());
            try {
                TransactionRecord tx = find.get();
                long left = end - System.nanoTime();
                if (tx.state().isFinal() || tx.suspended().isPresent() || left <= 0) {
                    return tx;
                }
                TransactionRecord heard = told.get(Math.min(left, pause.toNanos()), TimeUnit.NANOSECONDS);
                if (heard.state().isFinal()) {
                    return heard;
                }
                // That it was suspended may be old: it may have been resumed since.
            } catch (TimeoutException e) {
                pause = pause.multipliedBy(2).compareTo(LOOK_MAX) < 0 ? pause.multipliedBy(2) : LOOK_MAX;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            } finally {
                awaited.remove(gid, told);
            }
        }
    }

    /** What participants answer in time is written down; no thread is interrupted while it writes. */
    @Override
    public void close() {
        timer.shutdownNow();
        workers.shutdown();
        for (Runnable waiting : callThreads.shutdownNow()) {
            if (waiting instanceof Future<?> call) {
                call.cancel(false);
            }
        }
        try {
            if (!workers.awaitTermination(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                workers.shutdownNow();
            }
        } catch (InterruptedException e) {
            workers.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
