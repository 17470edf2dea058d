package dev.tenon.server.http;

import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.access.Visitor;
import dev.tenon.server.problem.ProblemException;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code /v1/access}: who the caller is to the server, and the greatest right that it has on each kind of thing, so
 * that a page need not offer what would be refused.
 */
final class AccessRoutes {
    private static final List<Scope> SCOPES =
            List.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS, Scope.SESSIONS, Scope.SERVER);
    private static final List<Right> GREATEST_FIRST = List.of(Right.ADMIN, Right.USE, Right.READ);

    private final Gate gate;

    AccessRoutes(Gate gate) {
        this.gate = gate;
    }

    List<Route> routes() {
        return List.of(Route.read("/v1/access", Need.NOTHING, this::show));
    }

    private Future<RouteResponse> show(Exchange x) {
        String name = x.query("name").getOrDefault("name", "");
        Visitor visitor = x.context().visitor();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("caller", x.caller());
        for (Scope scope : SCOPES) {
            greatest(visitor, scope, name, document);
        }
        return Future.succeededFuture(RouteResponse.ok(document));
    }

    private void greatest(Visitor visitor, Scope scope, String name, Map<String, Object> document) {
        for (Right right : GREATEST_FIRST) {
            try {
                Caller caller = gate.admit(visitor, new Need(right, scope), name);
                document.put("caller", caller.name());
                document.put(scope.name().toLowerCase(Locale.ROOT), right.name());
                return;
            } catch (ProblemException e) {
                // this much it may not do
            }
        }
    }
}
