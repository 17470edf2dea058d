package dev.tenon.lock.spi.cell;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.cell.CellRuns.From;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Everything that a {@link MultiLockStore} has to do, over cells that are compared and set: what a backend's store passes
 * its calls on to. Calls of {@link LockCells} block, so each call runs on a thread of the executor and never on the
 * caller's. Sessions belong to the process that opened them and do not expire; every lease has a length.
 *
 * <p>Tokens are the store's own count of writes times 32, so that they rise through the deletion of a cell. No clock but this
 * process's monotonic one decides anything: {@code docs/adr/0013-locks-by-compare-and-set.md}. Thread-safe.
 */
public final class CellLocks implements AutoCloseable {
    /** How long a process stays present without a sign of life: long enough to cover the usual lease. */
    public static final Duration PRESENCE = Duration.ofSeconds(45);

    private static final int NAMES_KNOWN_MAX = 10_000;
    private static final long CHARACTERS_KNOWN_MAX = 16L << 20;

    private final LockCells cells;
    private final CellSessions sessions;
    private final CellPresence presence;
    private final CellRuns runs;
    private final CellCalls calls;
    private final CellCare care;
    private final CellListing listing;
    private final Executor executor;
    private volatile boolean closed;

    /**
     * Locks that are not connected to anything before the first session is opened.
     *
     * @param cells where they are; closed with this
     * @param executor for calls that block, as many at a time as it has threads
     * @param presence how long this process stays present without a sign of life
     */
    public CellLocks(LockCells cells, Executor executor, TimeSource time, Duration presence) {
        this.cells = cells;
        this.executor = executor;
        this.sessions = new CellSessions(time);
        CellMemory memory = new CellMemory(NAMES_KNOWN_MAX, CHARACTERS_KNOWN_MAX);
        CellPostbox postbox = new CellPostbox(memory, sessions, time);
        String process = UUID.randomUUID().toString().replace("-", "").substring(8);
        this.presence = new CellPresence(cells, postbox, time, process, presence);
        this.runs = new CellRuns(cells, memory, sessions, this.presence, time);
        this.calls = new CellCalls(runs, sessions, this.presence);
        this.listing = new CellListing(cells, runs, time);
        this.care = new CellCare(cells, runs, this.presence, time);
        postbox.open(this.presence, calls, care, this::unasked);
    }

    /** {@link MultiLockStore#open}. */
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return submit(() -> {
            presence.enter();
            SessionSpec opened = sessions.open(spec, events);
            return new Session(opened.id(), opened.ttl());
        });
    }

    /** {@link MultiLockStore#keepAlive}. */
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return CompletableFuture.completedFuture(sessions.isOpen(sessionId));
    }

    /** {@link MultiLockStore#closeSession}. */
    public CompletionStage<Void> closeSession(String sessionId) {
        return submit(() -> {
                    calls.leave(sessionId);
                    return true;
                })
                .thenApply(left -> null);
    }

    /** {@link MultiLockStore#acquire}. */
    public CompletionStage<Outcome> acquire(Acquire request) {
        if (request.lease().isEmpty()) {
            return CompletableFuture.failedFuture(leaseMissing());
        }
        if (!sessions.isOpen(request.sessionId())) {
            return CompletableFuture.completedFuture(new Outcome.NoSession());
        }
        return submit(() -> calls.acquire(request));
    }

    /** {@link MultiLockStore#acquireAll}. */
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        List<Acquire> together = MultiLockStore.requireTogether(requests).stream()
                .map(r -> r.withWait(Duration.ZERO))
                .toList();
        if (together.stream().anyMatch(r -> r.lease().isEmpty())) {
            return CompletableFuture.failedFuture(leaseMissing());
        }
        if (!sessions.isOpen(together.get(0).sessionId())) {
            return CompletableFuture.completedFuture(List.of(new Outcome.NoSession()));
        }
        return submit(() -> calls.acquireAll(together));
    }

    /** {@link MultiLockStore#release}. */
    public CompletionStage<List<Released>> release(List<Release> releases) {
        List<Release> all = List.copyOf(releases);
        return submit(() -> calls.release(all));
    }

    /** {@link MultiLockStore#renew}. */
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        List<Renew> all = List.copyOf(renewals);
        if (all.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (all.stream().anyMatch(r -> r.lease().isEmpty())) {
            return CompletableFuture.failedFuture(leaseMissing());
        }
        return submit(() -> calls.renew(all));
    }

    /** {@link MultiLockStore#cancel}. */
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return submit(() -> calls.cancel(request));
    }

    /** {@link MultiLockStore#inspect}. */
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return submit(() -> listing.inspect(name));
    }

    /** {@link MultiLockStore#list}. */
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return submit(() -> listing.page(prefix, after, limit));
    }

    /** {@link MultiLockStore#evict}. */
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken) {
        return submit(() -> runs.run(
                        name,
                        From.MEMORY,
                        (known, now) -> LockMachine.evict(known.state(), expectedToken, now, known.seed()))
                .answer());
    }

    /** {@link MultiLockStore#revoke}. */
    public CompletionStage<Integer> revoke(String name, String by) {
        return submit(() -> {
            Names.requireValid("asker", by);
            List<Revocation> asked = runs.run(
                            name, From.MEMORY, (known, now) -> LockMachine.revoke(known.state(), by, now, known.seed()))
                    .answer();
            asked.stream()
                    .filter(r -> Address.processOf(r.sessionId()).equals(presence.process()))
                    .forEach(sessions::revokeAsked);
            return asked.size();
        });
    }

    /**
     * One pass of what must be done without being asked for: keeps this process present, and removes what others have left
     * behind. To be called about once a second, on a thread that may block.
     */
    public void runOnce() {
        if (closed || !presence.isEntered()) {
            return;
        }
        sessions.runOnce();
        if (presence.runOnce()) {
            sessions.resync();
        }
        care.lookAfter(sessions.awaited());
        care.runOnce();
    }

    /** Ends every session of this process and its presence, and closes the cells. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            sessions.all().forEach(calls::leave);
            presence.leave();
        } catch (TenonException e) {
            // The store can't be asked: what is held ends with its leases, or with the presence of this process.
            presence.abandon();
        } finally {
            cells.close();
        }
    }

    /** Closes the cells, and leaves every session as it is. */
    public void disconnect() {
        closed = true;
        presence.abandon();
        cells.close();
    }

    /** Work that nobody waits for. */
    private void unasked(Runnable work) {
        submit(() -> {
                    work.run();
                    return true;
                })
                .exceptionally(failure -> false);
    }

    private static IllegalArgumentException leaseMissing() {
        return new IllegalArgumentException(
                "This store does not end sessions, so every acquire and every renewal needs a lease of its own");
    }

    private <T> CompletionStage<T> submit(Supplier<T> call) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        try {
            executor.execute(() -> {
                try {
                    if (closed) {
                        throw new BackendUnavailableException("The backend is closed");
                    }
                    stage.complete(call.get());
                } catch (Throwable e) {
                    stage.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            stage.completeExceptionally(new BackendUnavailableException(
                    "The backend is closed, or has as many calls waiting as it may have", e));
        }
        return stage;
    }
}
