package dev.tenon.server.http;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Need;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdCodes;
import dev.tenon.server.locks.LockService;
import dev.tenon.server.service.IdCalls;
import dev.tenon.server.service.NodeServices;
import dev.tenon.server.transport.Admission;
import dev.tenon.server.transport.ConnectionLimit;
import dev.tenon.server.transport.GrpcHandler;
import dev.tenon.server.transport.SlowPeers;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ServerSSLOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** The HTTP interface of one node. Thread-safe. */
public final class HttpApi {
    private static final int LOOPS_MAX = 8;

    private final Vertx vertx;
    private final Admission admission;
    private final Endpoint endpoint;
    private final RouteTable routes;
    private final List<String> operations;
    private final GrpcHandler grpc;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final Map<String, Need> needs;
    private final Queue<HttpFront> fronts = new ConcurrentLinkedQueue<>();

    /**
     * The interface to these services; nothing listens before {@link #listen}.
     *
     * @param grpc answers what is a gRPC call, on the same port
     */
    public HttpApi(Vertx vertx, NodeServices services, Admission admission, Endpoint endpoint, GrpcHandler grpc) {
        this.vertx = vertx;
        this.admission = admission;
        this.endpoint = endpoint;
        this.grpc = grpc;
        LockStore store = services.backend().lockStore();
        LockService locks = services.locks();
        IdCatalog ids = services.ids();
        IdCodes codes = services.codes();
        IdCalls calls = services.calls();
        Audit audit = admission.audit();
        List<Route> all = new ArrayList<>();
        all.addAll(new SessionRoutes(locks, store.traits().leastLease()).routes());
        all.addAll(new LockRoutes(locks, store, audit).routes());
        all.addAll(new TransactionRoutes(vertx, services.transactions(), audit, services.quotas()).routes());
        all.addAll(new OutboxRoutes(vertx, services.outbox(), audit).routes());
        all.addAll(new HealthRoutes(services, calls).routes());
        all.addAll(new OperationRoutes(services.backend(), services.metrics(), calls).routes());
        all.addAll(new IdRoutes(ids, calls, audit, services.quotas().definitions()).routes());
        all.addAll(new IdBuilderRoutes(codes, calls).routes());
        all.addAll(new OpenApiRoutes().routes());
        all.addAll(new ClusterRoutes(services.backend().cluster(), calls, audit).routes());
        all.addAll(new AccessRoutes(admission.gate()).routes());
        this.operations = new RouteTable(all).labels();
        all.addAll(new ConsoleRoutes().routes());
        this.routes = new RouteTable(all);
        this.needs = needs(all);
    }

    /** What is served beside the console's files, each as a method and a path such as {@code GET /v1/ids/{}}. */
    public List<String> routes() {
        return operations;
    }

    /** Refuses what comes from now on, and says that another node is to be asked; what is under way goes on. */
    public void refuseNew() {
        stopping.set(true);
    }

    private static Map<String, Need> needs(List<Route> all) {
        Map<String, Need> needs = new TreeMap<>();
        all.forEach(route -> needs.put(route.label(), route.need()));
        return Map.copyOf(needs);
    }

    /** Every operation, such as {@code POST /v1/ids/{}/next}, and what its caller must be allowed to do. */
    public Map<String, Need> needs() {
        return needs;
    }

    /**
     * Listens, with one event loop a core.
     *
     * @return the port
     */
    public Future<Integer> listen() {
        int loops = Math.min(LOOPS_MAX, Runtime.getRuntime().availableProcessors());
        // To Vert.x a negative port is any free one that the instances of a deployment share; with 0, each takes
        // another.
        int asked = endpoint.port() == 0 ? -1 : endpoint.port();
        Limits limits = endpoint.limits();
        ConnectionLimit connections = new ConnectionLimit(limits);
        return vertx.deployVerticle(
                        () -> {
                            SlowPeers peers = new SlowPeers(limits, connections, loops, TimeSource.system());
                            HttpFront.Served served = new HttpFront.Served(routes, grpc, admission, stopping::get);
                            HttpFront front = new HttpFront(endpoint, asked, served, peers);
                            fronts.add(front);
                            return front;
                        },
                        new DeploymentOptions().setInstances(loops))
                .map(v -> fronts.element().port());
    }

    /** Shows another certificate, or trusts another CA, from the next connection on. */
    public Future<?> renewTls(ServerSSLOptions tls) {
        return Future.all(fronts.stream().map(front -> front.renewTls(tls)).toList());
    }
}
