package dev.tenon.server.service;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.MDC;

/** Runs what may block on a bounded pool of workers, and refuses what is too much. Thread-safe. */
public final class BlockingCalls {
    private static final int PENDING_MAX = 2_000;

    private final WorkerExecutor workers;
    private final AtomicInteger pending = new AtomicInteger();
    private final String what;

    /**
     * A pool of its own.
     *
     * @param threads what their names begin with
     * @param workers how many
     * @param what the calls are, in the plural, such as {@code ID calls}
     */
    public BlockingCalls(Vertx vertx, String threads, int workers, String what) {
        this.workers = vertx.createSharedWorkerExecutor(threads, workers);
        this.what = what;
    }

    /** Runs something that may block. */
    public <T> Future<T> run(Callable<T> call) {
        if (pending.incrementAndGet() > PENDING_MAX) {
            pending.decrementAndGet();
            return Future.failedFuture(new ProblemException(
                    ProblemType.OVERLOADED, PENDING_MAX + " " + what + " are waiting already; try again later."));
        }
        return workers.executeBlocking(carrying(call), false).onComplete(v -> pending.decrementAndGet());
    }

    /** The same, with what this thread logs of its request. */
    private static <T> Callable<T> carrying(Callable<T> call) {
        Map<String, String> logged = MDC.getCopyOfContextMap();
        if (logged == null || logged.isEmpty()) {
            return call;
        }
        return () -> {
            MDC.setContextMap(logged);
            try {
                return call.call();
            } finally {
                MDC.clear();
            }
        };
    }
}
