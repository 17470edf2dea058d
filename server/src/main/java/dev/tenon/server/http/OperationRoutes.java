package dev.tenon.server.http;

import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.service.IdCalls;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code /metrics} and {@code /v1/backup}. */
final class OperationRoutes {
    private final ServerBackend backend;
    private final Metrics metrics;
    private final IdCalls calls;

    OperationRoutes(ServerBackend backend, Metrics metrics, IdCalls calls) {
        this.backend = backend;
        this.metrics = metrics;
        this.calls = calls;
    }

    List<Route> routes() {
        return List.of(
                Route.read("/metrics", Need.read(Scope.SERVER), this::metrics),
                Route.of("GET", "/v1/backup", Need.admin(Scope.SERVER), this::backup));
    }

    private Future<RouteResponse> metrics(Exchange x) {
        x.query();
        String accept = x.request().getHeader("Accept");
        return calls.blocking(() -> {
            Metrics.Scraped scraped = metrics.scrape(accept);
            return new RouteResponse(200, scraped.type(), Buffer.buffer(scraped.text()), Map.of());
        });
    }

    private Future<RouteResponse> backup(Exchange x) {
        x.query();
        CompletionStage<byte[]> backup = backend.backup()
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NO_BACKUP,
                        "This server keeps everything in a store of yours: back that one up, with its own tools."));
        return Future.fromCompletionStage(backup)
                .map(bytes -> new RouteResponse(
                        200,
                        "application/octet-stream",
                        Buffer.buffer(bytes),
                        Map.of("Content-Disposition", "attachment; filename=\"tenon.backup\"")));
    }
}
