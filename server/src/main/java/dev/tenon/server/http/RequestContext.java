package dev.tenon.server.http;

import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Visitor;
import dev.tenon.server.http.RouteTable.Match;
import dev.tenon.server.observe.Observer.Observation;
import dev.tenon.server.observe.Observer.Working;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.transport.Admission;
import dev.tenon.server.transport.Certificates;
import dev.tenon.server.transport.SlowPeers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on its way: who asks, what for, and how it was answered. Every failure becomes a problem document here,
 * and only here. Lives on one event loop.
 */
final class RequestContext {
    private static final Logger LOG = LoggerFactory.getLogger(RequestContext.class);

    /** What is told of a request whose client did not wait for the answer. */
    private static final int CLIENT_GONE = 499;

    private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");
    private static final CharSequence CONTENT_TYPE_OPTIONS = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");

    private final HttpServerRequest request;
    private final SlowPeers peers;
    private final Promise<Void> gone = Promise.promise();
    private @Nullable Observation observation;
    private @Nullable Caller caller;

    RequestContext(HttpServerRequest request, SlowPeers peers) {
        this.request = request;
        this.peers = peers;
        request.response().exceptionHandler(e -> gone.tryComplete());
        request.response().closeHandler(v -> {
            gone.tryComplete();
            observed(CLIENT_GONE);
        });
    }

    HttpServerRequest request() {
        return request;
    }

    /** Completes when the connection is closed before the answer was written. */
    Future<Void> gone() {
        return gone.future();
    }

    Optional<Caller> caller() {
        return Optional.ofNullable(caller);
    }

    /** Its route is known: from now on it is observed, and goes on only if the gate lets it. */
    void routed(Match match, Admission admission) {
        String name = subject(match);
        observation = admission
                .observer()
                .begin(match.route().label(), name, header -> Optional.ofNullable(request.getHeader(header)));
        caller = admission.gate().admit(visitor(), match.route().need(), name);
    }

    /** From now on this thread works for the request. */
    Working enter() {
        Observation begun = observation;
        return begun == null ? Working.NOBODY : begun.enter();
    }

    /** Who asks. */
    Visitor visitor() {
        return new Visitor(
                Optional.ofNullable(request.getHeader("Authorization")),
                Certificates.subject(request.connection()),
                request.remoteAddress() == null
                        ? "unknown"
                        : String.valueOf(request.remoteAddress().hostAddress()));
    }

    /** The name that the path is about. */
    private static String subject(Match match) {
        boolean named = match.route().need().isNamed() && !match.variables().isEmpty();
        return named ? match.variables().get(0) : "";
    }

    void fail(@Nullable Throwable failure) {
        ProblemException problem = Problems.of(failure);
        if (problem.type() == ProblemType.INTERNAL) {
            LOG.error("{} {} failed", request.method(), request.path(), failure);
        }
        RouteResponse reply = RouteResponse.problem(problem);
        if (problem.type() == ProblemType.STOPPING) {
            reply = reply.with("Connection", "close");
        }
        answer(
                switch (problem.type().status()) {
                    case 401 -> reply.with("WWW-Authenticate", "Bearer realm=\"tenon\"");
                    case 429, 503 -> reply.with("Retry-After", retryAfter(problem));
                    default -> reply;
                });
    }

    /** In whole seconds, never too few. */
    private static String retryAfter(ProblemException problem) {
        return String.valueOf(
                problem.retryAfter().map(d -> d.plusSeconds(1).toSeconds()).orElse(1L));
    }

    void answer(RouteResponse reply) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(reply.status());
        response.putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
        response.putHeader(CONTENT_TYPE_OPTIONS, NOSNIFF);
        if (!reply.contentType().isEmpty()) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, reply.contentType());
        }
        if (reply.contentType().startsWith("text/html")) {
            WebPages.HEADERS.forEach(response::putHeader);
        }
        boolean closes = closes(reply);
        if (closes) {
            LastAnswer.given(request.connection());
        }
        reply.headers().forEach((header, value) -> {
            if (!header.equals("Connection")) {
                response.putHeader(header, value);
            }
        });
        if (closes) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        observed(reply.status());
        if (request.method().name().equals("HEAD")) {
            response.putHeader("Content-Length", String.valueOf(reply.body().length()));
            response.end();
        } else if (reply.status() == 204) {
            response.end();
        } else {
            Future<Void> written = response.end(reply.body());
            if (!written.isComplete()) {
                peers.awaits(request, written, reply.body().length());
            }
            if (closes) {
                written.onComplete(v -> request.connection().close());
            }
        }
    }

    /** In HTTP/2, what one stream did is not held against the others. */
    private boolean closes(RouteResponse reply) {
        return request.version() != HttpVersion.HTTP_2
                && (reply.headers().containsKey("Connection") || Framing.mayBeReadOtherwise(request));
    }

    private void observed(int status) {
        Observation begun = observation;
        observation = null;
        if (begun != null) {
            begun.end(status, caller == null ? "" : caller.name());
        }
    }
}
