package dev.tenon.lock.engine;

import dev.tenon.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of one {@link RegisterLockStore}: those of its calls, which end when idle, and one timer. */
final class EngineThreads {
    private static final int CALLS_WAITING_MAX = 10_000;
    private static final int IDLE_SECONDS_MAX = 10;

    private final ThreadPoolExecutor calls;
    private final ScheduledThreadPoolExecutor timer;

    EngineThreads(String name, int callsAtOnce) {
        calls = new ThreadPoolExecutor(
                callsAtOnce,
                callsAtOnce,
                IDLE_SECONDS_MAX,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(CALLS_WAITING_MAX),
                DaemonThreads.numbered(name + "-call"));
        calls.allowCoreThreadTimeOut(true);
        timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered(name + "-timer"));
    }

    Executor calls() {
        return calls;
    }

    void everySecond(Runnable pass) {
        timer.scheduleWithFixedDelay(() -> runOnce(pass), 1, 1, TimeUnit.SECONDS);
    }

    /** What is under way goes on to its end. */
    void end() {
        timer.shutdownNow();
        calls.shutdown();
    }

    private static void runOnce(Runnable pass) {
        try {
            pass.run();
        } catch (RuntimeException e) {
            // The store can't be asked now; the next pass tries again, which a timer does not do after a failure.
        }
    }
}
