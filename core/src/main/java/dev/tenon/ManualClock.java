package dev.tenon;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A {@link TimeSource} for tests: time passes only when {@link #advance} says so, and the wall clock alone can be set
 * anywhere with {@link #setWall}, as an operator or a time daemon would do. Thread-safe.
 */
public final class ManualClock implements TimeSource {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private Instant wall;
    private long nanos;

    /** A clock that stands at {@code start} until it is moved. */
    public ManualClock(Instant start) {
        this.wall = Objects.requireNonNull(start, "start");
    }

    /** Lets {@code by} pass on both clocks and wakes every parked thread. */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("Monotonic time can't go back: " + by + "; use setWall");
        }
        lock.lock();
        try {
            nanos += by.toNanos();
            wall = wall.plus(by);
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Steps the wall clock, either way; monotonic time stands still. */
    public void setWall(Instant to) {
        lock.lock();
        try {
            wall = Objects.requireNonNull(to, "to");
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Instant now() {
        lock.lock();
        try {
            return wall;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long epochMillis() {
        return now().toEpochMilli();
    }

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return nanos;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until another thread has moved this clock by {@code atMost}, or this thread is interrupted. */
    @Override
    public void park(Duration atMost) {
        lock.lock();
        try {
            long until = nanos + atMost.toNanos();
            while (nanos < until) {
                moved.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
