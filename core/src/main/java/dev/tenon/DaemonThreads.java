package dev.tenon;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that have a name and don't keep the JVM alive: all that Tenon starts by itself. Unless said otherwise, they
 * inherit the context class loader and the inheritable thread-locals of the thread that creates them. The factories are
 * thread-safe.
 */
public final class DaemonThreads {
    private DaemonThreads() {}

    /**
     * A thread that is not started yet.
     *
     * @param name as a thread dump shows it
     * @param task what it runs
     */
    public static Thread of(String name, Runnable task) {
        Thread thread = new Thread(Objects.requireNonNull(task, "task"), Objects.requireNonNull(name, "name"));
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Threads that all have one name: for executors of one thread.
     *
     * @param name as a thread dump shows it
     */
    public static ThreadFactory named(String name) {
        Objects.requireNonNull(name, "name");
        return task -> of(name, task);
    }

    /**
     * Threads with numbers from 1 on after their name: {@code name-1}, {@code name-2}. Each factory counts for itself.
     *
     * @param name what the names begin with, without the hyphen
     */
    public static ThreadFactory numbered(String name) {
        Objects.requireNonNull(name, "name");
        AtomicInteger count = new AtomicInteger();
        return task -> of(name + "-" + count.incrementAndGet(), task);
    }

    /**
     * As {@link #numbered}, but the threads inherit nothing from the thread that creates them: for pools that several
     * applications of one JVM share.
     *
     * @param name what the names begin with, without the hyphen
     * @param loader the context class loader of the threads
     */
    public static ThreadFactory detached(String name, ClassLoader loader) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(loader, "loader");
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(null, task, name + "-" + count.incrementAndGet(), 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            return thread;
        };
    }
}
