package dev.tenon.server.http;

import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.ids.IdCodes;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.service.IdCalls;
import java.util.List;
import java.util.function.IntFunction;

/**
 * {@code /id-builder}: the HTTP interface of the ID-builder service, so that its callers need not change. A number is
 * answered as a bare JSON number, a text as plain text, as a Spring controller that returns a {@code Long} or a
 * {@code String} does.
 */
final class IdBuilderRoutes {
    private final IdCodes ids;
    private final IdCalls calls;

    IdBuilderRoutes(IdCodes ids, IdCalls calls) {
        this.ids = ids;
        this.calls = calls;
    }

    List<Route> routes() {
        return List.of(
                route("increase-id", code -> RouteResponse.ok(ids.unionId(code))),
                route("increase-seq-id", code -> RouteResponse.ok(ids.unionSeqId(code))),
                route("increase-id-str", code -> RouteResponse.text(ids.unionIdStr(code))),
                route("increase-seq-id-str", code -> RouteResponse.text(ids.unionSeqIdStr(code))));
    }

    private Route route(String path, IntFunction<RouteResponse> next) {
        return Route.of("GET", "/id-builder/" + path, Need.use(Scope.IDS), x -> {
            int code = code(x);
            Caller who = x.who();
            return calls.blocking(() -> {
                ids.requireSeen(code, who);
                return next.apply(code);
            });
        });
    }

    private static int code(Exchange x) {
        String text = x.anyQuery().getOrDefault("code", "");
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"code\" must be a whole number, not \"" + QuotedText.shortened(text) + "\": "
                            + x.request().path() + "?code=1");
        }
    }
}
