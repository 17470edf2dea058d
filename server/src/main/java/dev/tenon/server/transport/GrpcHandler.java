package dev.tenon.server.transport;

import dev.tenon.server.problem.ProblemException;
import io.vertx.core.http.HttpServerRequest;

/**
 * The gRPC interface, as the HTTP server sees it that shares its port. Called on the event loop of the request's
 * connection. Thread-safe.
 */
public interface GrpcHandler {
    /** Whether a request is a gRPC call. */
    boolean takes(HttpServerRequest request);

    /** Answers a gRPC call. */
    void handle(HttpServerRequest request, SlowPeers peers);

    /** Answers a gRPC call with the status that a problem is. */
    void refuse(HttpServerRequest request, SlowPeers peers, ProblemException problem);
}
