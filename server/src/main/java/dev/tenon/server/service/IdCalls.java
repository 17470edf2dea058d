package dev.tenon.server.service;

import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdRequest;
import dev.tenon.server.ids.NamedGenerator;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

/** Runs ID calls: at once on the event loop where they are sure not to block, else on a bounded pool of workers. */
public final class IdCalls {
    private static final int WORKERS = 16;
    private static final int ID_BYTES = 100;

    private final Bulk bulk = new Bulk(ID_BYTES);
    private final IdCatalog ids;
    private final BlockingCalls workers;

    /** Calls of these IDs, with a pool of workers of its own. */
    public IdCalls(Vertx vertx, IdCatalog ids) {
        this.ids = ids;
        this.workers = new BlockingCalls(vertx, "tenon-ids", WORKERS, "ID calls");
    }

    /** Runs something that may block. */
    public <T> Future<T> blocking(Callable<T> call) {
        return workers.run(call);
    }

    /** Runs something that may block. */
    public <T> CompletionStage<T> stage(Callable<T> call) {
        return blocking(call).toCompletionStage();
    }

    /** Asks a name for IDs. What goes wrong fails the future. */
    public Future<List<String>> next(String name, IdRequest request) {
        NamedGenerator known = ids.peek(name);
        if (known != null && known.admit(request)) {
            try {
                return Future.succeededFuture(known.next(request));
            } catch (RuntimeException e) {
                return Future.failedFuture(e);
            }
        }
        return bulk.of(request.count(), () -> blocking(() -> found(name).next(request)));
    }

    /** A name that is defined. May block. */
    public NamedGenerator found(String name) {
        return ids.find(name).orElseThrow(() -> unknown(name));
    }

    /** The refusal of a name that is not defined. */
    public static ProblemException unknown(String name) {
        return new ProblemException(
                ProblemType.UNKNOWN_ID_NAME,
                "No IDs are defined under \"" + QuotedText.shortened(name) + "\". Define them: ./tenon id define "
                        + QuotedText.quoted(name) + " --kind snowflake (or segment, sequence, uuid …).");
    }
}
