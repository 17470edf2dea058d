package dev.tenon.server.http;

import dev.tenon.server.http.RouteTable.Found;
import dev.tenon.server.http.RouteTable.Match;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP interface on one event loop: reads a request, finds its route, writes the answer. Several of them share a
 * port. Every failure becomes a problem document here, and only here.
 */
final class HttpFront extends VerticleBase {
    /** The greatest number of bytes in a body. */
    static final int BODY_MAX = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(HttpFront.class);
    private static final Set<String> WITHOUT_BODY = Set.of("GET", "HEAD", "DELETE", "OPTIONS");

    private final String host;
    private final int port;
    private final RouteTable routes;
    private @Nullable HttpServer server;

    HttpFront(String host, int port, RouteTable routes) {
        this.host = host;
        this.port = port;
        this.routes = routes;
    }

    @Override
    public Future<?> start() {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(host)
                .setPort(port)
                .setTcpKeepAlive(true)
                .setTcpNoDelay(true)
                .setHandle100ContinueAutomatically(true);
        HttpServer created = vertx.createHttpServer(options).requestHandler(this::handle);
        server = created;
        return created.listen();
    }

    /** The port that this listens on. */
    int port() {
        return server == null ? port : server.actualPort();
    }

    private void handle(HttpServerRequest request) {
        Promise<Void> gone = Promise.promise();
        request.response().exceptionHandler(e -> gone.tryComplete());
        request.response().closeHandler(v -> gone.tryComplete());
        try {
            Optional<Match> match = routed(request);
            if (match.isEmpty()) {
                return;
            }
            if (WITHOUT_BODY.contains(request.method().name())) {
                run(request, match.get(), Buffer.buffer(), gone.future());
            } else {
                collect(request, match.get(), gone.future());
            }
        } catch (RuntimeException e) {
            write(request, failed(request, e));
        }
    }

    private Optional<Match> routed(HttpServerRequest request) {
        String method = request.method().name();
        String path = request.path();
        if (method.equals("OPTIONS") && (path == null || path.equals("*"))) {
            write(request, Reply.empty().with("Allow", "DELETE, GET, HEAD, OPTIONS, POST, PUT"));
            return Optional.empty();
        }
        Found found = routes.find(path == null ? "/" : path);
        if (found.matches().isEmpty()) {
            throw new ProblemException(
                    ProblemType.UNKNOWN_PATH,
                    "Nothing is served at " + Texts.shortened(String.valueOf(path))
                            + ". IDs are under /v1/ids, sessions under /v1/sessions, locks under /v1/locks.");
        }
        if (method.equals("OPTIONS")) {
            write(request, Reply.empty().with("Allow", found.allow()));
            return Optional.empty();
        }
        Optional<Match> match = found.forMethod(method);
        if (match.isEmpty()) {
            ProblemException problem = new ProblemException(
                    ProblemType.METHOD_NOT_ALLOWED, method + " is not served here; use " + found.allow() + ".");
            write(request, Reply.problem(problem).with("Allow", found.allow()));
        }
        return match;
    }

    private void collect(HttpServerRequest request, Match match, Future<Void> gone) {
        String length = request.getHeader("Content-Length");
        if (length != null && (length.length() > 9 || Long.parseLong(length) > BODY_MAX)) {
            refuseBody(request);
            return;
        }
        Buffer body = Buffer.buffer();
        request.handler(chunk -> {
            if (body.length() + chunk.length() <= BODY_MAX) {
                body.appendBuffer(chunk);
            } else if (!request.response().ended()) {
                refuseBody(request);
            }
        });
        request.endHandler(v -> {
            if (!request.response().ended()) {
                run(request, match, body, gone);
            }
        });
    }

    private void refuseBody(HttpServerRequest request) {
        ProblemException problem = new ProblemException(
                ProblemType.BODY_TOO_LARGE, "A body may have " + BODY_MAX + " bytes at most; send less.");
        // The rest of the body is not read: the connection can't be used for another request.
        write(request, Reply.problem(problem).with("Connection", "close"));
    }

    private void run(HttpServerRequest request, Match match, Buffer body, Future<Void> gone) {
        Future<Reply> reply;
        try {
            reply = match.route().handler().handle(new Exchange(request, match.variables(), body, gone));
        } catch (RuntimeException e) {
            reply = Future.failedFuture(e);
        }
        if (reply.isComplete()) {
            finish(request, reply);
        } else {
            // Stages of a store complete on its own threads; answers are written on the event loop of the connection.
            reply.onComplete(done -> context.runOnContext(v -> finish(
                    request,
                    done.succeeded() ? Future.succeededFuture(done.result()) : Future.failedFuture(done.cause()))));
        }
    }

    private static void finish(HttpServerRequest request, Future<Reply> done) {
        write(request, done.succeeded() ? done.result() : failed(request, done.cause()));
    }

    private static Reply failed(HttpServerRequest request, @Nullable Throwable failure) {
        ProblemException problem = Problems.of(failure);
        if (problem.type() == ProblemType.INTERNAL) {
            LOG.error("{} {} failed", request.method(), request.path(), failure);
        }
        Reply reply = Reply.problem(problem);
        return problem.type().status() == 503 ? reply.with("Retry-After", "1") : reply;
    }

    private static void write(HttpServerRequest request, Reply reply) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(reply.status());
        response.putHeader("Cache-Control", "no-store");
        if (!reply.contentType().isEmpty()) {
            response.putHeader("Content-Type", reply.contentType());
        }
        reply.headers().forEach(response::putHeader);
        boolean closes = "close".equals(reply.headers().get("Connection"));
        if (request.method().name().equals("HEAD")) {
            response.putHeader("Content-Length", String.valueOf(reply.body().length()));
            response.end();
        } else if (reply.status() == 204) {
            response.end();
        } else {
            Future<Void> written = response.end(reply.body());
            if (closes) {
                written.onComplete(v -> request.connection().close());
            }
        }
    }
}
