package dev.tenon.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Passes signals on to a child, and keeps those that come before there is one: none may end this process alone.
 * Thread-safe.
 */
final class SignalRelay {
    private final ReentrantLock guard = new ReentrantLock();
    private final List<String> early = new ArrayList<>();
    private @Nullable Child child;

    /** A signal has come. */
    void signal(String name) {
        Child target;
        guard.lock();
        try {
            target = child;
            if (target == null) {
                early.add(name);
                return;
            }
        } finally {
            guard.unlock();
        }
        target.signal(name);
    }

    /** There is a child now. */
    void to(Child started) {
        guard.lock();
        try {
            child = started;
        } finally {
            guard.unlock();
        }
        early.forEach(started::signal);
    }
}
