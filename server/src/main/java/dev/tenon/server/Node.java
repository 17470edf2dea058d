package dev.tenon.server;

import dev.tenon.TimeSource;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.raft.RaftOptions;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Need;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.grpc.GrpcApi;
import dev.tenon.server.http.HttpApi;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdCodes;
import dev.tenon.server.locks.LockService;
import dev.tenon.server.metered.MeteredBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.server.observe.NodeMetrics;
import dev.tenon.server.observe.Observer;
import dev.tenon.server.outbox.OutboxService;
import dev.tenon.server.quota.QuotaBackend;
import dev.tenon.server.quota.Quotas;
import dev.tenon.server.service.IdCalls;
import dev.tenon.server.service.NodeServices;
import dev.tenon.server.service.Readiness;
import dev.tenon.server.transport.Admission;
import dev.tenon.server.tx.TransactionService;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.net.BindException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running node: a backend, and the HTTP interface to it. Close it to stop; the backend is closed with it.
 * Thread-safe.
 */
public final class Node implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final int STOP_SECONDS = 10;
    private static final int CHORE_MILLIS = 1_000;
    private static final int LOOK_MILLIS = 5_000;
    private static final int RETRY_MILLIS = 1_000;

    private final Vertx vertx;
    private final Observer observer;
    private final QuotaBackend backend;
    private final IdCatalog ids;
    private final IdCodes codes;
    private final LockService locks;
    private final Quotas quotas;
    private final Optional<TransactionService> transactions;
    private final Optional<OutboxService> outbox;
    private final Metrics metrics = new Metrics();
    private final Readiness readiness = new Readiness();
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable HttpApi api;
    private Map<String, Need> needs = Map.of();
    private Map<String, Need> grpcNeeds = Map.of();
    private int port;
    private List<String> routes = List.of();

    private Node(Vertx vertx, NodeOptions options, ServerBackend opened) {
        this.vertx = vertx;
        this.observer = metrics.and(options.observer());
        this.quotas = Quotas.within(options.protection().limits(), () -> QuotaBackend.kept(opened));
        this.backend = new QuotaBackend(new MeteredBackend(opened, observer, metrics), quotas);
        this.locks = new LockService(backend, TimeSource.system(), quotas);
        this.ids = new IdCatalog(backend, TimeSource.system());
        this.codes = new IdCodes(ids, backend.builderConfigs().map(LocalIdBuilder::create));
        this.transactions = backend.transactions()
                .map(log -> TransactionService.open(
                        log,
                        options.protection().participants(),
                        options.protection().secrets(),
                        metrics::called));
        NodeMetrics.bind(metrics, backend, ids, transactions);
        this.outbox = backend.outbox().map(OutboxService::new);
        NodeMetrics.bindOutbox(metrics, outbox);
        NodeMetrics.bindQuotas(metrics, quotas);
    }

    /**
     * Starts to serve.
     *
     * @throws StartException if the address can't be listened on; the backend is closed then too
     */
    public static Node start(NodeOptions options, ServerBackend backend) {
        return start(vertx(), options, backend);
    }

    private static Node start(Vertx vertx, NodeOptions options, ServerBackend backend) {
        Node node = made(vertx, options, backend);
        try {
            if (node.backend.cluster().filter(ClusterAdmin::takesMembers).isEmpty()) {
                node.ids.defineDefault(); // one of several may be the first to start, and without a majority
            }
            NodeServices services = new NodeServices(
                    node.backend,
                    node.locks,
                    node.quotas,
                    node.ids,
                    node.codes,
                    new IdCalls(node.vertx, node.ids),
                    node.transactions,
                    node.outbox,
                    node.metrics,
                    node.readiness);
            Admission admission = new Admission(
                    options.gate(), node.observer, options.protection().audit());
            GrpcApi grpc = new GrpcApi(node.vertx, services, admission);
            HttpApi api = new HttpApi(node.vertx, services, admission, options.endpoint(), grpc);
            node.api = api;
            node.routes = api.routes();
            node.port = api.listen().toCompletionStage().toCompletableFuture().get();
            node.needs = api.needs();
            node.grpcNeeds = grpc.needs();
            node.protect(options.protection(), api);
            node.fetchAtStart();
            node.transactions.ifPresent(open -> node.lookAfter(open::countSuspended));
            node.outbox.ifPresent(open -> node.lookAfter(open::look));
            return node;
        } catch (ExecutionException e) {
            node.close();
            throw refused(options.host(), options.port(), e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            node.close();
            throw new StartException(ServerExitCode.FAILED, "Interrupted while starting.", e);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /**
     * Starts to serve from a data folder, which is made if it is not there.
     *
     * @throws StartException if the folder can't be used, or the address can't be listened on
     */
    public static Node open(NodeOptions options, Path data) {
        return open(options, data, RaftOptions.DEFAULT);
    }

    /**
     * Starts to serve from a data folder, alone or as one node of a cluster. It serves even if the others are not there
     * yet, and then says that they are missing.
     *
     * @throws StartException if the folder or the address can't be used
     */
    public static Node open(NodeOptions options, Path data, RaftOptions raft) {
        long state = options.protection().limits().of(LimitedResource.STATE).all();
        return open(options, () -> RaftServerBackend.open(data, raft.withMaxStateBytes(state)));
    }

    /**
     * Starts to serve over a store that others may use too.
     *
     * @throws StartException if the store can't be used, or the address can't be listened on
     */
    public static Node open(NodeOptions options, StoreLocation store) {
        return open(options, () -> StoreServerBackend.connect(store));
    }

    /**
     * Starts to serve.
     *
     * @param opened opens what keeps everything
     * @throws StartException if it can't be opened, or the address can't be listened on
     */
    public static Node open(NodeOptions options, Supplier<ServerBackend> opened) {
        // Both take a while, most of it to load classes, and neither needs the other.
        CompletableFuture<Vertx> vertx =
                CompletableFuture.supplyAsync(Node::vertx, task -> new Thread(task, "tenon-start").start());
        try {
            ServerBackend backend = opened.get();
            return start(vertx.join(), options, backend);
        } catch (StartException e) {
            vertx.join().close();
            throw e;
        }
    }

    /** Again and again until the store has answered once: a node of a cluster may be the first to start. */
    private void fetchAtStart() {
        if (closed.get()) {
            return;
        }
        vertx.executeBlocking(codes::fetchAtStart, false).onComplete(fetched -> {
            if (closed.get()) {
                return;
            }
            if (fetched.failed()) {
                LOG.warn("Could not prefetch the first segments", fetched.cause());
            } else if (!fetched.result()) {
                vertx.setTimer(RETRY_MILLIS, id -> fetchAtStart());
            }
        });
    }

    private void lookAfter(Runnable look) {
        vertx.setPeriodic(1, LOOK_MILLIS, id -> vertx.executeBlocking(Executors.callable(look), false));
    }

    private void protect(Protection protection, HttpApi api) {
        protection
                .tls()
                .ifPresent(tls -> tls.whenRenewed(renewed -> api.renewTls(renewed)
                        .onFailure(e -> LOG.error("The new certificate can't be used; the old one stays in use", e))));
        vertx.setPeriodic(1, LOOK_MILLIS, id -> vertx.executeBlocking(Executors.callable(backend::runOnce), false));
        protection
                .chores()
                .forEach(chore ->
                        vertx.setPeriodic(CHORE_MILLIS, id -> vertx.executeBlocking(Executors.callable(chore), true)));
    }

    private static Node made(Vertx vertx, NodeOptions options, ServerBackend backend) {
        try {
            return new Node(vertx, options, backend);
        } catch (IllegalArgumentException e) { // -DidBuilder.index is none
            backend.close();
            vertx.close();
            throw new StartException(ServerExitCode.USAGE, e.getMessage() + ".", e);
        }
    }

    private static Vertx vertx() {
        // Nothing is served from files: without this, Vert.x makes a cache folder at each start.
        return Vertx.vertx(new VertxOptions()
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    /** The port that it listens on. */
    public int port() {
        return port;
    }

    /** What its HTTP interface serves, each as a method and a path such as {@code GET /v1/ids/{}}. */
    public List<String> routes() {
        return routes;
    }

    /** Says at {@code /readyz} that it is about to stop, and serves on. Returns when {@code delay} has passed. */
    public void leave(Duration delay) {
        readiness.leave(delay);
    }

    /** Every operation of the HTTP interface, and what its caller must be allowed to do. */
    Map<String, Need> needs() {
        return needs;
    }

    /** Every method of the gRPC interface, and what its caller must be allowed to do. */
    Map<String, Need> grpcNeeds() {
        return grpcNeeds;
    }

    /**
     * Stops: another node leads if there is one, waiters are told, what is under way is answered, worker IDs are given
     * back; leases and queues are kept by the backend. Idempotent.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        readiness.leave(Duration.ZERO);
        backend.cluster().ifPresent(ClusterAdmin::handOver);
        if (api != null) {
            api.refuseNew();
        }
        locks.close();
        transactions.ifPresent(TransactionService::close);
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The HTTP interface did not stop cleanly", e);
        }
        try {
            codes.close();
            ids.close();
        } finally {
            backend.close();
            metrics.close();
        }
    }

    private static StartException refused(String host, int port, Throwable cause) {
        if (cause instanceof BindException && String.valueOf(cause.getMessage()).contains("in use")) {
            return new StartException(
                    ServerExitCode.ADDRESS,
                    "Port " + port + " of " + host + " is in use. Stop the process that listens there, or "
                            + "choose another port: --port 0 takes any free one.",
                    cause);
        }
        if (cause instanceof SocketException) {
            return new StartException(
                    ServerExitCode.ADDRESS,
                    "Can't listen on " + host + ":" + port + ": " + cause.getMessage() + ".",
                    cause);
        }
        return new StartException(ServerExitCode.FAILED, "The HTTP interface did not start: " + cause, cause);
    }
}
