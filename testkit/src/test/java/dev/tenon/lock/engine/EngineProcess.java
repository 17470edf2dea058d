package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A process with one session, whose calls run on the caller's thread. */
final class EngineProcess implements StoreEvents {
    final MemoryRegisters.Process store;
    final RegisterLockStore locks;
    final String session;
    final List<Grant> grants = new CopyOnWriteArrayList<>();
    final List<Revocation> revocations = new CopyOnWriteArrayList<>();
    final AtomicInteger resyncs = new AtomicInteger();

    EngineProcess(MemoryRegisters registers, TimeSource time, String session) {
        this.store = registers.process();
        this.locks = RegisterLockStore.on(store, Runnable::run, time);
        this.session = session;
        join(locks.open(new SessionSpec(session, session, Duration.ofMinutes(5)), this));
    }

    Acquire request(String name, Duration lease, Duration wait, Terms terms) {
        return new Acquire(name, session, UUID.randomUUID().toString(), session, Optional.of(lease), wait, terms);
    }

    Outcome ask(Acquire request) {
        return join(locks.acquire(request));
    }

    Outcome tryFor(String name, Duration lease) {
        return ask(request(name, lease, Duration.ZERO, Terms.EXCLUSIVE));
    }

    long take(String name, Duration lease) {
        return ((Outcome.Granted) tryFor(name, lease)).token();
    }

    Released release(String name, long token) {
        return join(locks.release(List.of(new Release(name, token)))).get(0);
    }

    Renewed renew(String name, long token, Duration lease) {
        return join(locks.renew(List.of(new Renew(name, token, Optional.of(lease)))))
                .get(0);
    }

    /** Reads and writes since the last question. */
    int roundTrips() {
        return store.reads.getAndSet(0) + store.writes.getAndSet(0) + store.questions.getAndSet(0);
    }

    static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    public void granted(Grant grant) {
        grants.add(grant);
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        revocations.add(revocation);
    }

    @Override
    public void sessionLost(String sessionId) {
        throw new AssertionError("sessions do not expire");
    }

    @Override
    public void resync() {
        resyncs.incrementAndGet();
    }
}
