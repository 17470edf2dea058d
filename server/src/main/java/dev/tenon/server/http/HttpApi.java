package dev.tenon.server.http;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.locks.LockDesk;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

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
        int loops = Math.min(LOOPS_MAX, Runtime.getRuntime().availableProcessors());
        // To Vert.x a negative port is any free one that the instances of a deployment share; with 0, each takes
        // another.
        int asked = port == 0 ? -1 : port;
        Queue<HttpFront> fronts = new ConcurrentLinkedQueue<>();
        return vertx.deployVerticle(
                        () -> {
                            HttpFront front = new HttpFront(host, asked, routes);
                            fronts.add(front);
                            return front;
                        },
                        new DeploymentOptions().setInstances(loops))
                .map(v -> fronts.remove().port());
    }
}
