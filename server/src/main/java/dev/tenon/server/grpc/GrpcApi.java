package dev.tenon.server.grpc;

import dev.tenon.server.NodeOptions;
import dev.tenon.server.Services;
import dev.tenon.server.access.Need;
import dev.tenon.server.http.BlockingCalls;
import dev.tenon.server.http.IdCalls;
import dev.tenon.server.problem.ProblemException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpcio.server.GrpcIoServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The gRPC interface of one node, on the port of its HTTP interface. Thread-safe. */
public final class GrpcApi {
    /** The greatest number of bytes in a request. */
    private static final long MESSAGE_MAX = 4 << 20;

    private static final int LOG_WORKERS = 32;
    private static final String CONTENT_TYPE = "application/grpc";

    private final GrpcIoServer server;
    private final Map<String, Need> needs = new TreeMap<>();

    /** The interface to these services. */
    public GrpcApi(Vertx vertx, Services services, IdCalls calls, NodeOptions options) {
        GrpcServerOptions limits =
                new GrpcServerOptions().setMaxMessageSize(MESSAGE_MAX).setScheduleDeadlineAutomatically(true);
        for (GrpcProtocol protocol : GrpcProtocol.values()) {
            if (protocol != GrpcProtocol.HTTP_2) {
                limits.removeEnabledProtocol(protocol);
            }
        }
        this.server = GrpcIoServer.server(vertx, limits);
        List<GrpcMethod<?, ?>> methods = new ArrayList<>();
        methods.addAll(new LockCalls(
                        services.backend(),
                        services.crowds(),
                        options.protection().audit())
                .methods());
        methods.addAll(new NamedIdCalls(services.ids(), calls).methods());
        methods.addAll(new RangeCalls(services.backend(), calls).methods());
        methods.addAll(new WorkerIdCalls(services.backend(), calls).methods());
        methods.addAll(new DefinitionCalls(services.backend(), calls).methods());
        BlockingCalls log =
                new BlockingCalls(vertx, "tenon-transaction-log", LOG_WORKERS, "calls of the transaction log");
        methods.addAll(
                new TransactionLogCalls(services, log, options.protection().audit()).methods());
        for (GrpcMethod<?, ?> method : methods) {
            method.serve(server, options);
            needs.put(method.descriptor().getFullMethodName(), method.need());
        }
    }

    /** Every method, such as {@code tenon.v1.Locks/Acquire}, and what its caller must be allowed to do. */
    public Map<String, Need> needs() {
        return Map.copyOf(needs);
    }

    /** Whether a request speaks gRPC. */
    public boolean takes(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2) {
            return false;
        }
        String type = request.getHeader("content-type");
        return type != null
                && (type.equals(CONTENT_TYPE) || type.toLowerCase(Locale.ROOT).matches(CONTENT_TYPE + "([+;].*)?"));
    }

    /** Answers it. On the event loop of its connection. */
    public void handle(HttpServerRequest request) {
        server.handle(request);
    }

    /** Answers it with a problem alone. On the event loop of its connection. */
    public void refuse(HttpServerRequest request, ProblemException problem) {
        GrpcFailure failure = GrpcFailure.of(problem);
        request.response()
                .putHeader("content-type", CONTENT_TYPE)
                .putHeader("grpc-status", String.valueOf(failure.code()))
                .putHeader(GrpcFailure.DETAILS, failure.details())
                .end();
    }
}
