package dev.tenon.server.http;

import dev.tenon.server.http.RouteTable.Found;
import dev.tenon.server.http.RouteTable.Match;
import dev.tenon.server.observe.Observer.Working;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.transport.Admission;
import dev.tenon.server.transport.GrpcHandler;
import dev.tenon.server.transport.SlowPeers;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP interface on one event loop: reads a request, finds its route, asks the gate, has it answered. Several of
 * them share a port.
 */
final class HttpFront extends VerticleBase {
    /** How much of a refused body is read, and for how long, so that its sender gets to see why. */
    private static final int LINGER_MAX = 1024 * 1024;

    private static final Duration LINGER = Duration.ofSeconds(2);

    /** How long what is under way may take when the node stops. */
    private static final Duration STOP = Duration.ofSeconds(2);

    private static final long PEER_CHECK_MILLIS = 1_000;

    private static final Set<String> WITHOUT_BODY = Set.of("GET", "HEAD", "DELETE", "OPTIONS");

    private final Endpoint endpoint;
    private final int port;
    private final RouteTable routes;
    private final GrpcHandler grpc;
    private final Admission admission;
    private final BooleanSupplier stopping;
    private final SlowPeers peers;
    private final WebPages pages;
    private final int bodyMax;
    private @Nullable HttpServer server;

    /**
     * What is served.
     *
     * @param stopping whether nothing new is
     */
    record Served(RouteTable routes, GrpcHandler grpc, Admission admission, BooleanSupplier stopping) {}

    HttpFront(Endpoint endpoint, int port, Served served, SlowPeers peers) {
        this.endpoint = endpoint;
        this.port = port;
        this.routes = served.routes();
        this.grpc = served.grpc();
        this.admission = served.admission();
        this.stopping = served.stopping();
        this.peers = peers;
        this.pages = endpoint.pages();
        this.bodyMax = endpoint.limits().bodyBytes();
    }

    @Override
    public Future<?> start() {
        HttpServer created = vertx.createHttpServer(endpoint.options().setPort(port))
                .connectionHandler(connection -> {
                    peers.connected(connection);
                    LastAnswer.watch(connection);
                })
                .invalidRequestHandler(this::refuseMalformed)
                .requestHandler(this::begin);
        server = created;
        vertx.setPeriodic(PEER_CHECK_MILLIS, id -> peers.runOnce());
        return created.listen();
    }

    /** Stops to listen, and ends when what is under way was answered. */
    @Override
    public Future<?> stop() {
        return server == null ? Future.succeededFuture() : server.shutdown(STOP.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Shows another certificate, or trusts another CA, from the next connection on. */
    Future<?> renewTls(ServerSSLOptions tls) {
        return server == null ? Future.succeededFuture() : server.updateSSLOptions(tls);
    }

    /** The port that this listens on. */
    int port() {
        return server == null ? port : server.actualPort();
    }

    private void refuseMalformed(HttpServerRequest request) {
        RequestContext context = new RequestContext(request, peers);
        context.answer(closing(Framing.malformed(request.decoderResult().cause())));
    }

    private static RouteResponse closing(ProblemException problem) {
        return RouteResponse.problem(problem).with("Connection", "close");
    }

    private void begin(HttpServerRequest request) {
        boolean welcome = peers.begins(request);
        if (welcome && grpc.takes(request)) {
            call(request);
            return;
        }
        RequestContext context = new RequestContext(request, peers);
        request.exceptionHandler(failure -> {
            if (Framing.isBroken(failure)) {
                context.answer(closing(Framing.malformedBody()));
            }
        });
        peers.inTurn(request, () -> handle(context, welcome));
    }

    private void call(HttpServerRequest request) {
        try {
            pages.checkCall(request);
        } catch (ProblemException refused) {
            grpc.refuse(request, peers, refused);
            return;
        }
        grpc.handle(request, peers);
    }

    private void handle(RequestContext context, boolean welcome) {
        HttpServerRequest request = context.request();
        try {
            if (!welcome) {
                context.answer(closing(new ProblemException(
                                ProblemType.OVERLOADED,
                                "Too many connections are open; close some, or try again later."))
                        .with("Retry-After", "1"));
                return;
            }
            Optional<ProblemException> unclear = Framing.problem(request);
            if (unclear.isPresent()) {
                context.answer(closing(unclear.get()));
                return;
            }
            Optional<Match> match = routed(context);
            if (match.isEmpty()) {
                return;
            }
            pages.check(request, match.get().route());
            context.routed(match.get(), admission);
            if (stopping.getAsBoolean()) {
                throw new ProblemException(
                        ProblemType.STOPPING,
                        "The server is stopping, and nothing happened. Use another node, or retry later.");
            }
            if (WITHOUT_BODY.contains(request.method().name())) {
                run(context, match.get(), Buffer.buffer());
            } else {
                collect(context, match.get());
            }
        } catch (RuntimeException e) {
            context.fail(e);
        }
    }

    private Optional<Match> routed(RequestContext context) {
        HttpServerRequest request = context.request();
        String method = request.method().name();
        String path = request.path();
        if (method.equals("OPTIONS") && (path == null || path.equals("*"))) {
            context.answer(RouteResponse.empty().with("Allow", "DELETE, GET, HEAD, OPTIONS, POST, PUT"));
            return Optional.empty();
        }
        Found found = routes.find(path == null ? "/" : path);
        if (found.matches().isEmpty()) {
            throw new ProblemException(
                    ProblemType.UNKNOWN_PATH,
                    "Unknown path: " + QuotedText.shortened(String.valueOf(path))
                            + ". IDs are under /v1/ids, sessions under /v1/sessions, locks under /v1/locks, transactions under "
                            + "/v1/transactions.");
        }
        if (method.equals("OPTIONS")) {
            context.answer(RouteResponse.empty().with("Allow", found.allow()));
            return Optional.empty();
        }
        Optional<Match> match = found.forMethod(method);
        if (match.isEmpty()) {
            ProblemException problem = new ProblemException(
                    ProblemType.METHOD_NOT_ALLOWED, method + " is not served here; use " + found.allow() + ".");
            context.answer(RouteResponse.problem(problem).with("Allow", found.allow()));
        }
        return match;
    }

    private void collect(RequestContext context, Match match) {
        HttpServerRequest request = context.request();
        String length = request.getHeader("Content-Length");
        if (length != null && (length.length() > 9 || Long.parseLong(length) > bodyMax)) {
            refuseBody(context);
            return;
        }
        Buffer body = Buffer.buffer();
        SlowPeers.Hold hold = peers.hold(() -> context.answer(closing(new ProblemException(
                ProblemType.REQUEST_TIMEOUT,
                "The body was not complete in time, or the server is short of memory; nothing was done."))));
        context.gone().onComplete(v -> hold.done());
        request.handler(chunk -> {
            if (body.length() + chunk.length() > bodyMax) {
                hold.done();
                refuseBody(context);
            } else if (!request.response().ended()) {
                body.appendBuffer(chunk);
                hold.add(chunk.length());
            }
        });
        request.endHandler(v -> {
            hold.done();
            if (!request.response().ended()) {
                run(context, match, body);
            }
        });
    }

    /**
     * Answers at once and reads on for a while without keeping anything: a connection that is closed while its client
     * still sends is reset, and the client never sees the answer (RFC 9112, 9.6).
     */
    private void refuseBody(RequestContext context) {
        HttpServerRequest request = context.request();
        long[] left = {LINGER_MAX};
        request.handler(chunk -> {
            left[0] -= chunk.length();
            if (left[0] < 0) {
                request.connection().close();
            }
        });
        long timer =
                vertx.setTimer(LINGER.toMillis(), id -> request.connection().close());
        request.endHandler(v -> vertx.cancelTimer(timer));
        context.gone().onComplete(v -> vertx.cancelTimer(timer));
        context.fail(new ProblemException(
                ProblemType.BODY_TOO_LARGE, "A body may have " + bodyMax + " bytes at most; send less."));
    }

    private void run(RequestContext context, Match match, Buffer body) {
        Future<RouteResponse> reply;
        Working working = context.enter();
        try {
            reply = match.route().handler().handle(new Exchange(context, match.variables(), body));
        } catch (RuntimeException e) {
            reply = Future.failedFuture(e);
        } finally {
            working.close();
        }
        if (reply.isComplete()) {
            finish(context, reply);
        } else {
            // Stages of a store complete on its own threads; answers are written on the event loop of the connection.
            Future<RouteResponse> late = reply;
            late.onComplete(done -> super.context.runOnContext(v -> finish(context, late)));
        }
    }

    private static void finish(RequestContext context, Future<RouteResponse> done) {
        if (done.succeeded()) {
            context.answer(done.result());
        } else {
            context.fail(done.cause());
        }
    }
}
