package dev.tenon.server.http;

import dev.tenon.server.ids.DefinitionFormat;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdDefinition;
import dev.tenon.server.ids.NamedIds;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** {@code /v1/ids}. */
final class IdRoutes {
    private static final int COUNT_MAX = 10_000;

    private final IdCatalog ids;
    private final IdCalls calls;

    IdRoutes(IdCatalog ids, IdCalls calls) {
        this.ids = ids;
        this.calls = calls;
    }

    List<Route> routes() {
        return List.of(
                Route.read("/v1/ids", this::list),
                Route.read("/v1/ids/{}", this::show),
                Route.of("PUT", "/v1/ids/{}", this::define),
                Route.of("POST", "/v1/ids/{}/next", this::next),
                Route.of("GET", "/v1/ids/{}/next", this::next),
                Route.read("/v1/ids/{}/decode/{}", this::decode));
    }

    private Future<Reply> define(Exchange x) {
        x.query();
        String name = name(x);
        IdDefinition definition = DefinitionFormat.read(Json.readObject(x.body()));
        return calls.blocking(() -> ids.define(name, definition))
                .map(defined ->
                        Reply.json(defined.created() ? 201 : 200, defined.ids().describe()));
    }

    private Future<Reply> list(Exchange x) {
        x.query();
        return calls.blocking(() -> Reply.ok(
                Map.of("ids", ids.all().stream().map(NamedIds::describe).toList())));
    }

    private Future<Reply> show(Exchange x) {
        x.query();
        String name = name(x);
        return calls.blocking(() -> Reply.ok(calls.found(name).describe()));
    }

    private Future<Reply> next(Exchange x) {
        String name = name(x);
        int count = count(x.query("count").getOrDefault("count", "1"));
        boolean text = x.wantsText();
        return calls.on(name, count, named -> named.next(count))
                .map(next -> text ? Reply.text(String.join("\n", next) + "\n") : Reply.ok(Map.of("ids", next)));
    }

    private Future<Reply> decode(Exchange x) {
        x.query();
        String name = name(x);
        String id = x.variables().get(1);
        return calls.blocking(() -> Reply.ok(calls.found(name).decode(id)));
    }

    private static String name(Exchange x) {
        String name = x.name("ID name");
        if (name.indexOf('/') >= 0) {
            throw new ProblemException(ProblemType.BAD_NAME, "ID name has a slash; choose a name without.");
        }
        return name;
    }

    private static int count(String text) {
        try {
            int count = Integer.parseInt(text);
            if (count >= 1 && count <= COUNT_MAX) {
                return count;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new ProblemException(
                ProblemType.BAD_COUNT,
                "\"count\" must be a whole number between 1 and " + COUNT_MAX + ", not \"" + Texts.shortened(text)
                        + "\".");
    }
}
