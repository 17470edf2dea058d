package dev.tenon.lock;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Something that happened to a lease of this process; told to those who {@linkplain Locks#listen listen}.
 *
 * @param kind what
 * @param name of the lock
 * @param token of the lease
 * @param owner who holds or held it: {@code host/pid/thread}, or the value of an election
 * @param detail why it was lost, who asked for it; else empty
 */
public record LockEvent(Kind kind, String name, long token, String owner, Optional<String> detail) {
    /** What may happen to a lease. */
    public enum Kind {
        /** It was granted, or handed on by a thread of this process. */
        GRANTED,
        /** A renewal failed: it will be lost unless one gets through in time. */
        SUSPECT,
        /** A renewal got through again. */
        RECOVERED,
        /** Somebody asked for the lock back ({@link Locks#revoke}). */
        REVOKE_ASKED,
        /** It is not held any more, or not provably. */
        LOST,
        /** It was closed, or replaced by another in a conversion. */
        RELEASED
    }

    /** Events that go on to be told until this is closed. Thread-safe. */
    public static final class Subscription implements AutoCloseable {
        /** The most events that wait for a listener. */
        private static final int PENDING_MAX = 10_000;

        private final Consumer<LockEvent> listener;
        private final Consumer<Subscription> whenClosed;
        private final Executor callbacks;
        private final Queue<LockEvent> pending = new ConcurrentLinkedQueue<>();
        private final AtomicInteger size = new AtomicInteger();
        private final AtomicLong dropped = new AtomicLong();
        private volatile boolean closed;

        Subscription(Consumer<LockEvent> listener, Consumer<Subscription> whenClosed, Executor callbacks) {
            this.listener = listener;
            this.whenClosed = whenClosed;
            this.callbacks = callbacks;
        }

        /** How many events the listener has missed, because 10 000 older ones waited for it. */
        public long dropped() {
            return dropped.get();
        }

        /** Ends it. A call to the listener that is under way goes on. Idempotent. */
        @Override
        public void close() {
            closed = true;
            whenClosed.accept(this);
        }

        void offer(LockEvent event) {
            if (size.get() >= PENDING_MAX) {
                dropped.incrementAndGet();
                return;
            }
            pending.add(event);
            if (size.getAndIncrement() == 0) {
                callbacks.execute(this::drain);
            }
        }

        /** Tells what waits to be told: only one thread at a time is here, so that events keep their order. */
        private void drain() {
            do {
                LockEvent event = pending.poll();
                if (event != null && !closed) {
                    tell(event);
                }
            } while (size.decrementAndGet() > 0);
        }

        private void tell(LockEvent event) {
            try {
                listener.accept(event);
            } catch (RuntimeException mistakeOfTheListener) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, mistakeOfTheListener);
            }
        }
    }
}
