package dev.tenon.server.http;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.locks.LockDesk;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;

/** The HTTP interface of one node. Thread-safe. */
public final class HttpApi {
    private static final int LOOPS_MAX = 8;

    private final Vertx vertx;
    private final RouteTable routes;

    /** The interface to these parts; nothing listens before {@link #listen}. */
    public HttpApi(Vertx vertx, LockStore store, LockDesk desk, IdCatalog ids) {
        this.vertx = vertx;
        List<Route> all = new ArrayList<>();
        SessionRoutes sessions = new SessionRoutes(desk, store.traits().leastLease());
        all.addAll(new HealthRoutes(store).routes());
        all.addAll(sessions.routes());
        all.addAll(new LockRoutes(desk, store, sessions::randomId).routes());
        IdCalls calls = new IdCalls(vertx, ids);
        all.addAll(new IdRoutes(ids, calls).routes());
        all.addAll(new IdBuilderRoutes(ids, calls).routes());
        this.routes = new RouteTable(all);
    }

    /**
     * Listens, with one event loop a core.
     *
     * @param port 0: any free one
     * @return the port
     */
    public Future<Integer> listen(String host, int port) {
        HttpFront first = new HttpFront(host, port, routes);
        int others = Math.min(LOOPS_MAX, Runtime.getRuntime().availableProcessors()) - 1;
        // The first one finds out the port; the others then share it.
        return vertx.deployVerticle(first).compose(v -> {
            int bound = first.port();
            if (others < 1) {
                return Future.succeededFuture(bound);
            }
            DeploymentOptions options = new DeploymentOptions().setInstances(others);
            return vertx.deployVerticle(() -> new HttpFront(host, bound, routes), options)
                    .map(bound);
        });
    }
}
