package dev.tenon.server.grpc;

import dev.tenon.server.access.Need;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.observe.Observer;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.quota.DefinitionQuota;
import dev.tenon.server.service.BlockingCalls;
import dev.tenon.server.service.IdCalls;
import dev.tenon.server.service.NodeServices;
import dev.tenon.server.transport.Admission;
import dev.tenon.server.transport.GrpcHandler;
import dev.tenon.server.transport.SlowPeers;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The gRPC interface of one node, on the port of its HTTP interface. Thread-safe. */
public final class GrpcApi implements GrpcHandler {
    private static final int LOG_WORKERS = 32;
    private static final String CONTENT_TYPE = "application/grpc";

    /** By the path, such as {@code /tenon.v1.Locks/Acquire}. */
    private final Map<String, GrpcEntry<?, ?>> entries = new HashMap<>();

    private final Map<String, Need> needs = new TreeMap<>();

    /** The interface to these services. */
    public GrpcApi(Vertx vertx, NodeServices services, Admission admission) {
        IdCalls calls = services.calls();
        List<GrpcMethod<?, ?>> methods = new ArrayList<>();
        LockMethods locks = new LockMethods(services.backend(), services.quotas(), admission.audit());
        methods.addAll(locks.methods());
        services.backend().cluster().filter(ClusterAdmin::takesMembers).ifPresent(cluster -> {
            StreamsWithoutLeader watch = new StreamsWithoutLeader(cluster, locks.streams());
            vertx.setPeriodic(StreamsWithoutLeader.PAUSE_MILLIS, timer -> watch.runOnce());
        });
        DefinitionQuota names = services.quotas().definitions();
        methods.addAll(new NamedIdMethods(services.ids(), services.codes(), calls, names, admission.audit()).methods());
        methods.addAll(new RangeMethods(services.backend(), calls, names).methods());
        methods.addAll(new WorkerIdMethods(
                        services.backend(), calls, names, services.ids().forgotten())
                .methods());
        methods.addAll(new DefinitionMethods(services.ids(), calls, names).methods());
        BlockingCalls log =
                new BlockingCalls(vertx, "tenon-transaction-log", LOG_WORKERS, "calls of the transaction log");
        methods.addAll(new TransactionLogMethods(services, log, admission.audit()).methods());
        for (GrpcMethod<?, ?> method : methods) {
            String name = method.descriptor().getFullMethodName();
            entries.put("/" + name, new GrpcEntry<>(method, admission));
            needs.put(name, method.need());
        }
    }

    /** Every method, such as {@code tenon.v1.Locks/Acquire}, and what its caller must be allowed to do. */
    public Map<String, Need> needs() {
        return Map.copyOf(needs);
    }

    @Override
    public boolean takes(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2) {
            return false;
        }
        String type = request.getHeader("content-type");
        return type != null
                && (type.equals(CONTENT_TYPE) || type.toLowerCase(Locale.ROOT).matches(CONTENT_TYPE + "([+;].*)?"));
    }

    @Override
    public void handle(HttpServerRequest request, SlowPeers peers) {
        GrpcEntry<?, ?> entry = entries.get(request.path());
        String type = request.getHeader("content-type").toLowerCase(Locale.ROOT);
        if (entry == null || !request.method().equals(HttpMethod.POST)) {
            refuse(
                    request,
                    peers,
                    new NotServedException("There is no such method here; docs/server/grpc.md lists them"));
        } else if (!type.matches(CONTENT_TYPE + "(\\+proto)?(;.*)?")) {
            refuse(
                    request,
                    peers,
                    new NotServedException("Messages are read as protobuf alone: " + CONTENT_TYPE + "+proto"));
        } else {
            entry.take(request, peers);
        }
    }

    @Override
    public void refuse(HttpServerRequest request, SlowPeers peers, ProblemException problem) {
        refuse(request, peers, (RuntimeException) problem);
    }

    private static void refuse(HttpServerRequest request, SlowPeers peers, RuntimeException why) {
        new CallContext<>("a call", Observer.NONE, request, peers).fail(why);
    }
}
