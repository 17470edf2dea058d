package dev.tenon.lock.engine;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.engine.CasLoop.From;
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
import dev.tenon.lock.spi.StoreTraits;
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
 * Locks over any store of versioned registers ({@link RegisterStore}): the whole state of a lock is text in one
 * register, and each call reads it, loop {@link LockMachine} and writes it back on the condition that it is unchanged.
 * Calls of a {@link RegisterStore} block, so each loop on a thread of this store and never on the caller's; a call
 * takes a thread for as long as its round trips take, and none while it waits in a queue. Sessions belong to the
 * process that opened them and do not expire; every lease has a length.
 *
 * <p>Tokens are the store's own count of writes times 32, so that they rise through the deletion of a register. No
 * clock but this process's monotonic one decides anything: {@code docs/adr/0013-locks-by-compare-and-set.md}.
 * Thread-safe.
 */
public final class RegisterLockStore implements MultiLockStore {
    /** How long a process stays present without a sign of life: long enough to cover the usual lease. */
    public static final Duration PRESENCE = Duration.ofSeconds(45);

    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.LOG_INDEX, StoreTraits.Push.PUSHED, true, false, Duration.ofMillis(1));
    private static final int NAMES_KNOWN_MAX = 10_000;
    private static final long CHARACTERS_KNOWN_MAX = 16L << 20;

    private final RegisterStore registers;
    private final SessionBook sessions;
    private final ProcessPresence presence;
    private final CasLoop loop;
    private final RegisterCalls calls;
    private final OrphanSweeper sweeper;
    private final RegisterListing listing;
    private final Executor executor;
    private final Runnable end;
    private volatile boolean closed;

    private RegisterLockStore(
            RegisterStore registers, Executor executor, TimeSource time, Duration presence, Runnable end) {
        this.registers = registers;
        this.executor = executor;
        this.end = end;
        this.sessions = new SessionBook(time, LockMachine.CLAIM_LEASE);
        RegisterCache cache = new RegisterCache(NAMES_KNOWN_MAX, CHARACTERS_KNOWN_MAX);
        NoticeBoard notices = new NoticeBoard(cache, sessions, time);
        String process = UUID.randomUUID().toString().replace("-", "").substring(8);
        this.presence = new ProcessPresence(registers, notices, time, process, presence);
        this.loop = new CasLoop(registers, cache, sessions, this.presence, time);
        this.calls = new RegisterCalls(loop, sessions, this.presence);
        this.listing = new RegisterListing(registers, loop, time);
        this.sweeper = new OrphanSweeper(registers, loop, this.presence, time);
        notices.open(this.presence, calls, sweeper, this::unasked);
    }

    /**
     * Locks that are not connected to anything before the first session is opened, with threads of their own.
     *
     * @param registers where they are; closed with this
     * @param presence how long this process stays present without a sign of life, {@link #PRESENCE} but in tests
     * @param threads what the names of the threads begin with
     * @param callsAtOnce how many calls are under way at a time; some 10 000 more wait, and what comes then is refused
     *     with {@link BackendUnavailableException}
     */
    public static RegisterLockStore over(
            RegisterStore registers, TimeSource time, Duration presence, String threads, int callsAtOnce) {
        EngineThreads own = new EngineThreads(threads, callsAtOnce);
        RegisterLockStore store = new RegisterLockStore(registers, own.calls(), time, presence, own::end);
        own.everySecond(store::runOnce);
        return store;
    }

    /**
     * The same without threads of its own: {@link #runOnce} is for the caller to call.
     *
     * @param executor for calls that block
     */
    static RegisterLockStore on(RegisterStore registers, Executor executor, TimeSource time) {
        return new RegisterLockStore(registers, executor, time, PRESENCE, () -> {});
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return submit(() -> {
            presence.enter();
            SessionSpec opened = sessions.open(spec, events);
            return new Session(opened.id(), opened.ttl());
        });
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return CompletableFuture.completedFuture(sessions.isOpen(sessionId));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return submit(() -> {
                    calls.leave(sessionId);
                    return true;
                })
                .thenApply(left -> null);
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        if (request.lease().isEmpty()) {
            return CompletableFuture.failedFuture(leaseMissing());
        }
        if (!sessions.isOpen(request.sessionId())) {
            return CompletableFuture.completedFuture(new Outcome.NoSession());
        }
        return submit(() -> calls.acquire(request));
    }

    @Override
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

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        List<Release> all = List.copyOf(releases);
        return submit(() -> calls.release(all));
    }

    @Override
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

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return submit(() -> calls.cancel(request));
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return submit(() -> listing.inspect(name));
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return submit(() -> listing.page(prefix, after, limit));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return submit(() -> loop.run(
                        name,
                        From.MEMORY,
                        (known, now) -> LockMachine.evict(known.state(), expectedToken, now, known.seed()))
                .answer());
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return submit(() -> {
            Names.requireValid("asker", by);
            List<Revocation> asked = loop.run(
                            name, From.MEMORY, (known, now) -> LockMachine.revoke(known.state(), by, now, known.seed()))
                    .answer();
            asked.stream()
                    .filter(r -> SessionAddress.processOf(r.sessionId()).equals(presence.process()))
                    .map(SessionAddress::local)
                    .forEach(sessions::revokeAsked);
            return asked.size();
        });
    }

    /**
     * One pass of what must be done without being asked for: keeps this process present, and removes what others have
     * left behind. To be called about once a second, on a thread that may block.
     */
    void runOnce() {
        if (closed || !presence.isEntered()) {
            return;
        }
        sessions.runOnce();
        if (presence.runOnce()) {
            sessions.resync();
        }
        sweeper.lookAfter(sessions.awaited());
        sweeper.runOnce();
    }

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
            registers.close();
            end.run();
        }
    }

    /** Gives nothing back, as the end of the process would: closes the registers, and leaves every session as it is. */
    public void disconnect() {
        closed = true;
        presence.abandon();
        registers.close();
        end.run();
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
