package dev.tenon.raft;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The commands of the lock store; one record a method of {@link dev.tenon.lock.spi.LockStore}. */
sealed interface LockCommand<R> extends Command<R> {
    /** What a session, a lock or a place in a queue takes, roughly. */
    long ONE = 1_000;

    /** Lets time pass, and asks for nothing. */
    record AdvanceTime() implements LockCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return true; // each entry advances the time before its commands run
        }
    }

    record OpenSession(SessionSpec spec) implements LockCommand<Session> {
        @Override
        public Session applyTo(ReplicaState state) {
            return state.noting(state.locks().openSession(spec, state.now()));
        }

        @Override
        public long growth() {
            return ONE;
        }

        @Override
        public boolean adds(ReplicaState state) {
            return !state.locks().hasSession(spec.id());
        }
    }

    record FindSession(String sessionId) implements LockCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return state.locks().hasSession(sessionId);
        }
    }

    record KeepAlive(String sessionId) implements LockCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return state.noting(state.locks().keepAlive(sessionId, state.now(), state.tokenSeed()));
        }
    }

    /** The number of sessions. */
    record KeepAllAlive(Duration away) implements LockCommand<Integer> {
        @Override
        public Integer applyTo(ReplicaState state) {
            return state.noting(state.locks().keepAllAlive(away, state.now(), state.tokenSeed()));
        }
    }

    record CloseSession(String sessionId) implements LockCommand<Boolean> {
        @Override
        public Boolean applyTo(ReplicaState state) {
            return state.noting(state.locks().closeSession(sessionId, state.now(), state.tokenSeed()));
        }
    }

    record AcquireLock(Acquire request) implements LockCommand<Outcome> {
        @Override
        public Outcome applyTo(ReplicaState state) {
            return state.noting(state.locks().acquire(request, state.now(), state.tokenSeed()));
        }

        @Override
        public long growth() {
            return ONE;
        }

        @Override
        public boolean adds(ReplicaState state) {
            return !state.locks().knows(request);
        }
    }

    record AcquireLocks(List<Acquire> requests) implements LockCommand<List<Outcome>> {
        public AcquireLocks {
            requests = List.copyOf(requests);
        }

        @Override
        public List<Outcome> applyTo(ReplicaState state) {
            return state.noting(state.locks().acquireAll(requests, state.now(), state.tokenSeed()));
        }

        @Override
        public long growth() {
            return ONE * requests.size();
        }

        @Override
        public boolean adds(ReplicaState state) {
            return !requests.stream().allMatch(state.locks()::knows);
        }
    }

    record RevokeLock(String name, String by) implements LockCommand<Integer> {
        @Override
        public Integer applyTo(ReplicaState state) {
            return state.noting(state.locks().revoke(name, by, state.now(), state.tokenSeed()));
        }
    }

    record ReleaseLocks(List<Release> releases) implements LockCommand<List<Released>> {
        public ReleaseLocks {
            releases = List.copyOf(releases);
        }

        @Override
        public List<Released> applyTo(ReplicaState state) {
            List<Released> answers = new ArrayList<>(releases.size());
            for (Release release : releases) {
                answers.add(state.noting(state.locks().release(release, state.now(), state.tokenSeed())));
            }
            return answers;
        }
    }

    record RenewLocks(List<Renew> renewals) implements LockCommand<List<Renewed>> {
        public RenewLocks {
            renewals = List.copyOf(renewals);
        }

        @Override
        public List<Renewed> applyTo(ReplicaState state) {
            List<Renewed> answers = new ArrayList<>(renewals.size());
            for (Renew renew : renewals) {
                answers.add(state.noting(state.locks().renew(renew, state.now(), state.tokenSeed())));
            }
            return answers;
        }
    }

    record CancelWait(Cancel request) implements LockCommand<Cancelled> {
        @Override
        public Cancelled applyTo(ReplicaState state) {
            return state.noting(state.locks().cancel(request, state.now(), state.tokenSeed()));
        }
    }

    record InspectLock(String name) implements LockCommand<Optional<LockView>> {
        @Override
        public Optional<LockView> applyTo(ReplicaState state) {
            return state.locks().inspect(name);
        }
    }

    record ListLocks(String prefix, String after, int limit) implements LockCommand<LockPage> {
        @Override
        public LockPage applyTo(ReplicaState state) {
            return state.locks().list(prefix, after, limit);
        }
    }

    record EvictLock(String name, long expectedToken, String reason) implements LockCommand<Optional<Long>> {
        @Override
        public Optional<Long> applyTo(ReplicaState state) {
            return state.noting(state.locks().evict(name, expectedToken, state.now(), state.tokenSeed()));
        }
    }
}
