package dev.tenon.server.http;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code /healthz}: the process answers. {@code /readyz}: its store does too. */
final class HealthRoutes {
    private static final long READY_TIMEOUT_MILLIS = 2_000;

    private final LockStore store;

    HealthRoutes(LockStore store) {
        this.store = store;
    }

    List<Route> routes() {
        return List.of(
                Route.read("/healthz", x -> Future.succeededFuture(Reply.ok(Map.of("status", "up")))),
                Route.read("/readyz", this::ready));
    }

    private Future<Reply> ready(Exchange x) {
        return Future.fromCompletionStage(store.inspect("tenon-ready")
                        .toCompletableFuture()
                        .copy()
                        .orTimeout(READY_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS))
                .map(v -> Reply.ok(Map.of("status", "ready")))
                .recover(e -> Future.failedFuture(new ProblemException(
                        ProblemType.STORE_UNAVAILABLE, "The store does not answer; try again later.")));
    }
}
