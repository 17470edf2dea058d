package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.jdbc.LockCalls.Transition;
import dev.tenon.lock.engine.SessionAddress;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Locks as rows of {@code tenon_lock}. JDBC blocks, so every call runs on a thread of this backend's and never on the
 * caller's, which may be an event loop; a call takes a thread and a connection for as long as its round trips take, and
 * none while it waits in a queue.
 */
final class JdbcLockStore implements MultiLockStore {
    /** How often a waiter asks again that nobody will tell. */
    private static final Duration UNHEARD_RECHECK = Duration.ofMillis(200);

    private final SqlCalls sql;
    private final LockCalls calls;
    private final LockCallsOfMany callsOfMany;
    private final LockListing listing;
    private final SessionBook sessions;
    private final Bell bell;
    private final StoreTraits traits;
    private final Executor executor;
    private volatile boolean closed;

    JdbcLockStore(Parts parts, StoreTraits traits, Executor executor) {
        this.sql = parts.sql();
        this.calls = parts.calls();
        this.callsOfMany = parts.callsOfMany();
        this.listing = parts.listing();
        this.sessions = parts.sessions();
        this.bell = parts.bell();
        this.traits = traits;
        this.executor = executor;
    }

    /** What the store is put together from. */
    record Parts(
            SqlCalls sql,
            LockCalls calls,
            LockCallsOfMany callsOfMany,
            LockListing listing,
            SessionBook sessions,
            Bell bell) {}

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return submit(() -> {
            sql.run((link, doubt) -> true); // the bell needs the tables
            bell.start();
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
        return submit(() -> leave(sessionId)).thenApply(left -> null);
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        if (request.lease().isEmpty()) {
            return CompletableFuture.failedFuture(leaseMissing());
        }
        if (!sessions.isOpen(request.sessionId())) {
            return CompletableFuture.completedFuture(new Outcome.NoSession());
        }
        return submit(() -> acquireNow(request));
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        List<Acquire> together = MultiLockStore.requireTogether(requests).stream()
                .map(JdbcLockStore::atOnce)
                .toList();
        if (together.stream().anyMatch(r -> r.lease().isEmpty())) {
            return CompletableFuture.failedFuture(leaseMissing());
        }
        if (!sessions.isOpen(together.get(0).sessionId())) {
            return CompletableFuture.completedFuture(List.of(new Outcome.NoSession()));
        }
        return submit(() -> {
            List<Outcome> outcomes = call((link, doubt) -> callsOfMany.acquireAll(link, together));
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i) instanceof Outcome.Granted granted) {
                    sessions.holds(together.get(i), granted.token(), granted.lease());
                }
            }
            return outcomes;
        });
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        List<Release> all = List.copyOf(releases);
        return submit(() -> {
            List<Released> answers = new ArrayList<>(all.size());
            for (Release release : all) {
                answers.add(call((link, doubt) -> calls.release(link, release, doubt)));
                sessions.holdsNoMore(release);
            }
            return answers;
        });
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        List<Renew> all = List.copyOf(renewals);
        if (all.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (all.stream().anyMatch(r -> r.lease().isEmpty())) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "This store does not end sessions, so every renewal needs a lease of its own"));
        }
        return submit(() -> {
            List<Renewed> answers = sql.run((link, doubt) -> callsOfMany.renew(link, all, this::isPlain)).stream()
                    .map(this::tell)
                    .toList();
            for (int i = 0; i < all.size(); i++) {
                Release lock = new Release(all.get(i).name(), all.get(i).token());
                if (answers.get(i) instanceof Renewed.Extended extended) {
                    sessions.renewed(lock, extended);
                } else {
                    sessions.holdsNoMore(lock);
                }
            }
            return answers;
        });
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return submit(() -> {
            Cancelled answer = run(
                    request.name(), (state, now, seed) -> LockMachine.cancel(state, request.requestId(), now, seed));
            sessions.waitsNoMore(request.requestId());
            return answer;
        });
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return submit(() -> run(name, LockListing::view));
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return submit(() -> listing.page(prefix, after, limit, name -> run(name, LockListing::view)));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return submit(() -> call((link, doubt) -> {
            LockCalls.Done<Optional<Long>> done =
                    calls.run(link, name, (state, now, seed) -> LockMachine.evict(state, expectedToken, now, seed));
            if (doubt && done.answer().isEmpty()) {
                throw new OutcomeUnknownException("The connection broke during the eviction of lock \"" + name + "\"");
            }
            return done;
        }));
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return submit(() -> {
            Names.requireValid("asker", by);
            Transition<List<Revocation>> transition = (state, now, seed) -> LockMachine.revoke(state, by, now, seed);
            List<Revocation> asked = call((link, doubt) -> {
                LockCalls.Done<List<Revocation>> done = calls.run(link, name, transition);
                calls.ask(link, done.answer());
                return done;
            });
            asked.stream().filter(calls::isOwn).map(SessionAddress::local).forEach(sessions::revokeAsked);
            return asked.size();
        });
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            sessions.all().forEach(this::leave);
        } catch (TenonException e) {
            // The database can't be asked: what is held ends with its leases.
        } finally {
            bell.close();
        }
    }

    /** Ends this and leaves every session as it is. */
    void disconnect() {
        closed = true;
        bell.close();
    }

    /** Hands on, or forgets, what a lock's row has that is over. */
    void settle(String name) {
        run(name, LockMachine::settle);
    }

    private Outcome acquireNow(Acquire request) {
        if (request.mayWait()) {
            sessions.waits(request);
            bell.wanted();
        }
        Outcome outcome;
        try {
            outcome = call((link, doubt) -> calls.acquire(link, request));
        } catch (BackendUnavailableException e) {
            sessions.waitsNoMore(request.requestId());
            throw e;
        }
        if (outcome instanceof Outcome.Queued queued) {
            boolean heard = bell.ready() || queued.recheckAfter().compareTo(UNHEARD_RECHECK) <= 0;
            return heard ? queued : new Outcome.Queued(queued.ahead(), UNHEARD_RECHECK);
        }
        sessions.waitsNoMore(request.requestId());
        if (outcome instanceof Outcome.Granted granted) {
            sessions.holds(request, granted.token(), granted.lease());
        }
        return outcome;
    }

    /** Whether a single statement may be able to renew; the statement itself makes sure. */
    private boolean isPlain(Renew renewal) {
        return sessions.hold(new Release(renewal.name(), renewal.token()))
                .map(hold -> LockText.isPlain(hold.terms()) && !hold.revokeAsked())
                .orElse(true);
    }

    private static Acquire atOnce(Acquire r) {
        return new Acquire(r.name(), r.sessionId(), r.requestId(), r.owner(), r.lease(), Duration.ZERO, r.terms());
    }

    private static IllegalArgumentException leaseMissing() {
        return new IllegalArgumentException(
                "This store does not end sessions, so every acquire needs a lease of its own");
    }

    private boolean leave(String sessionId) {
        boolean known = sessions.isOpen(sessionId);
        for (String name : sessions.close(sessionId)) {
            run(name, (state, now, seed) -> {
                // The table has the session with its address; another process may have one of the same name.
                Optional<String> address = LockListing.addressIn(state, calls.address(sessionId));
                return address.isEmpty()
                        ? new Step<>(state, false, List.of())
                        : LockMachine.leave(state, address.get(), false, now, seed);
            });
            sessions.left(sessionId, name);
        }
        return known;
    }

    private <T> T run(String name, Transition<T> transition) {
        return call((link, doubt) -> calls.run(link, name, transition));
    }

    private <T> T call(SqlCalls.Work<LockCalls.Done<T>> work) {
        try {
            return tell(sql.run(work));
        } catch (OutcomeUnknownException e) {
            // It may have handed a lock to a waiter of this process, which nobody has told.
            sessions.resync();
            throw e;
        }
    }

    private <T> T tell(LockCalls.Done<T> done) {
        done.grants().stream().map(SessionAddress::local).forEach(sessions::granted);
        return done.answer();
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
        } catch (Error e) {
            // The system gives no more threads, say. Whoever waits for the stage must hear of it, and the call may be
            // in line.
            stage.completeExceptionally(new OutcomeUnknownException("There was no thread for the call", e));
        }
        return stage;
    }
}
