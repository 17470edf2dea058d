package dev.tenon.server.http;

import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.NamedIds;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/**
 * {@code /id-builder}: the HTTP interface of the ID-builder service, so that its callers need not change. A number is
 * answered as a bare JSON number, a text as plain text, as a Spring controller that returns a {@code Long} or a
 * {@code String} does.
 */
final class IdBuilderRoutes {
    private final IdCatalog ids;
    private final IdCalls calls;

    IdBuilderRoutes(IdCatalog ids, IdCalls calls) {
        this.ids = ids;
        this.calls = calls;
    }

    List<Route> routes() {
        return List.of(
                number("increase-id", NamedIds::nextUnordered),
                number("increase-seq-id", NamedIds::nextInOrder),
                text("increase-id-str", NamedIds::nextUnordered),
                text("increase-seq-id-str", NamedIds::nextInOrder));
    }

    private Route number(String path, Function<NamedIds, Long> next) {
        return Route.of("GET", "/id-builder/" + path, x -> call(x, named -> Reply.ok(next.apply(named))));
    }

    private Route text(String path, Function<NamedIds, Long> next) {
        return Route.of("GET", "/id-builder/" + path, x -> call(x, named -> Reply.text(named.text(next.apply(named)))));
    }

    private Future<Reply> call(Exchange x, Function<NamedIds, Reply> next) {
        int code = code(x);
        return calls.blocking(() -> next.apply(ids.findCode(code)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.UNKNOWN_CODE,
                        "No IDs are defined under code " + code
                                + ". Define them: ./tenon id define NAME --kind segment " + "--code " + code + "."))));
    }

    private static int code(Exchange x) {
        String text = x.anyQuery().getOrDefault("code", "");
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"code\" must be a whole number, not \"" + Texts.shortened(text) + "\": "
                            + x.request().path() + "?code=1");
        }
    }
}
