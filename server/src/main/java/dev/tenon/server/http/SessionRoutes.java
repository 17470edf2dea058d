package dev.tenon.server.http;

import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.locks.LockService;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /v1/sessions}. */
final class SessionRoutes {
    private static final Duration TTL = Duration.ofSeconds(10);

    private final LockService service;
    private final Duration leastLease;

    SessionRoutes(LockService service, Duration leastLease) {
        this.service = service;
        this.leastLease = leastLease;
    }

    /** Body of a POST to {@code /v1/sessions}. */
    record OpenBody(@Nullable String ttl, @Nullable String owner) {}

    /** A session, as it is answered. */
    record SessionDocument(String id, String owner, String ttl) {}

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/v1/sessions", Need.use(Scope.SESSIONS), this::open),
                Route.of("POST", "/v1/sessions/{}/keepalive", Need.use(Scope.SESSIONS), this::keepAlive),
                Route.of("DELETE", "/v1/sessions/{}", Need.use(Scope.SESSIONS), this::close));
    }

    private Future<RouteResponse> open(Exchange x) {
        x.query();
        OpenBody body = x.read(OpenBody.class);
        Duration ttl = Iso.positive("ttl", body.ttl(), SessionSpec.TTL_MAX).orElse(TTL);
        if (ttl.compareTo(leastLease) < 0) {
            throw new ProblemException(
                    ProblemType.BAD_DURATION, "\"ttl\" must be at least " + leastLease + ", not " + ttl + ".");
        }
        String owner = body.owner() == null ? anonymous(x.request().remoteAddress()) : checkedOwner(body.owner());
        SessionSpec spec = new SessionSpec(x.who().ownSession(service.newSessionId()), owner, ttl);
        return Future.fromCompletionStage(service.open(spec))
                .map(s -> RouteResponse.json(
                                201, new SessionDocument(s.id(), owner, s.ttl().toString()))
                        .with("Location", "/v1/sessions/" + s.id()));
    }

    private Future<RouteResponse> keepAlive(Exchange x) {
        x.query();
        String id = own(x);
        return Future.fromCompletionStage(service.keepAlive(id)).map(alive -> {
            if (!alive) {
                throw service.unknownSession(id);
            }
            return RouteResponse.empty();
        });
    }

    private Future<RouteResponse> close(Exchange x) {
        x.query();
        return Future.fromCompletionStage(service.close(own(x))).map(v -> RouteResponse.empty());
    }

    private static String own(Exchange x) {
        String id = x.name("session ID");
        x.who().requireOwn(id);
        return id;
    }

    private static String checkedOwner(String owner) {
        return Exchange.checkedName("session owner", owner);
    }

    private static String anonymous(@Nullable SocketAddress address) {
        return "http client " + (address == null ? "unknown" : address.hostAddress() + ":" + address.port());
    }
}
