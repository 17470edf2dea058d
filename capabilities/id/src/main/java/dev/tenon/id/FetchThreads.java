package dev.tenon.id;

import dev.tenon.DaemonThreads;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for calls that block: virtual ones from Java 24 on, else daemons that end when they have had nothing to do
 * for some seconds. Java 21 to 23 have virtual threads too, but a driver that waits in {@code synchronized} would there
 * hold one of the few threads that carry those of the application (JEP 491).
 */
final class FetchThreads implements Executor {
    private static final int UNPINNED_SINCE = 24;
    private static final int VIRTUAL_MAX = 512;
    private static final int PLATFORM_MAX = 64;
    private static final int IDLE_SECONDS = 5;
    private static final String NAME = "tenon-segments";

    private final Executor executor;
    private final int max;

    private FetchThreads(Executor executor, int max) {
        this.executor = executor;
        this.max = max;
    }

    /** The best that this JVM has. */
    static FetchThreads ofThisJvm() {
        if (Runtime.version().feature() >= UNPINNED_SINCE) {
            try {
                ThreadFactory factory = virtualThreads();
                return new FetchThreads(task -> free(factory.newThread(task)).start(), VIRTUAL_MAX);
            } catch (ReflectiveOperationException | RuntimeException e) {
                return platform(); // such as a native image without them
            }
        }
        return platform();
    }

    /** Threads of the operating system. */
    static FetchThreads platform() {
        ThreadFactory factory = DaemonThreads.detached(NAME, FetchThreads.class.getClassLoader());
        // Bounded by whoever asks; a queue here would hide who waits.
        return new FetchThreads(
                new ThreadPoolExecutor(
                        0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), factory),
                PLATFORM_MAX);
    }

    /** How many at a time this JVM bears. */
    int max() {
        return max;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }

    /** Of the caller that happened to be the first: nothing of its request, or its application, is to be kept. */
    private static Thread free(Thread thread) {
        thread.setContextClassLoader(FetchThreads.class.getClassLoader());
        return thread;
    }

    /**
     * {@code Thread.ofVirtual().name(NAME + "-", 1).inheritInheritableThreadLocals(false).factory()}; this is compiled
     * for Java 17.
     */
    private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        builder = type.getMethod("name", String.class, long.class).invoke(builder, NAME + "-", 1L);
        Method inherit = type.getMethod("inheritInheritableThreadLocals", boolean.class);
        builder = inherit.invoke(builder, false);
        return (ThreadFactory) type.getMethod("factory").invoke(builder);
    }
}
