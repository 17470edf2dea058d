package dev.tenon.testkit;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value made at first use and kept as long as the JVM lives. A failed attempt is not kept: the next use tries again.
 */
final class Once<T> {
    private final Supplier<T> maker;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable T value;

    Once(Supplier<T> maker) {
        this.maker = maker;
    }

    T value() {
        lock.lock();
        try {
            T made = value;
            if (made == null) {
                made = maker.get();
                value = made;
            }
            return made;
        } finally {
            lock.unlock();
        }
    }
}
