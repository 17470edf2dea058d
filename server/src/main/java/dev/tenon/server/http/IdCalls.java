package dev.tenon.server.http;

import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.NamedIds;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Runs ID calls: at once on the event loop where they are sure not to block, else on a bounded pool of workers. */
final class IdCalls {
    private static final int WORKERS = 16;
    private static final int PENDING_MAX = 2_000;

    private final IdCatalog ids;
    private final WorkerExecutor workers;
    private final AtomicInteger pending = new AtomicInteger();

    IdCalls(Vertx vertx, IdCatalog ids) {
        this.ids = ids;
        this.workers = vertx.createSharedWorkerExecutor("tenon-ids", WORKERS);
    }

    /** Runs something that may block. */
    <T> Future<T> blocking(Callable<T> call) {
        if (pending.incrementAndGet() > PENDING_MAX) {
            pending.decrementAndGet();
            return Future.failedFuture(new ProblemException(
                    ProblemType.OVERLOADED, PENDING_MAX + " ID calls are waiting already; try again later."));
        }
        return workers.executeBlocking(call, false).onComplete(v -> pending.decrementAndGet());
    }

    /** Asks a name for {@code count} IDs, or for something that costs as much. */
    <T> Future<T> on(String name, int count, Function<NamedIds, T> call) {
        NamedIds known = ids.peek(name);
        if (known != null && known.admit(count)) {
            return Future.succeededFuture(call.apply(known));
        }
        return blocking(() -> call.apply(found(name)));
    }

    /** A name that is defined. May block. */
    NamedIds found(String name) {
        return ids.find(name)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.UNKNOWN_ID_NAME,
                        "No IDs are defined under \"" + Texts.shortened(name) + "\". Define them: ./tenon id define "
                                + quoted(name) + " --kind snowflake (or segment, or sequence)."));
    }

    private static String quoted(String name) {
        return name.matches("[A-Za-z0-9._:@-]+") ? name : "'" + name.replace("'", "'\\''") + "'";
    }
}
