package dev.tenon.server.http;

import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.ids.DefinitionFormat;
import dev.tenon.server.ids.GeneratorDefinition;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdRequest;
import dev.tenon.server.ids.NamedGenerator;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.quota.DefinitionQuota;
import dev.tenon.server.service.IdCalls;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /v1/ids}, and the keys of public IDs. */
final class IdRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(IdRoutes.class);
    private static final int COUNT_MAX = 10_000;

    private final IdCatalog ids;
    private final IdCalls calls;
    private final Audit audit;
    private final DefinitionQuota quota;

    IdRoutes(IdCatalog ids, IdCalls calls, Audit audit, DefinitionQuota quota) {
        this.quota = quota;
        this.ids = ids;
        this.audit = audit;
        this.calls = calls;
    }

    /** Body of a raise. */
    record RaiseBody(@Nullable String above) {}

    List<Route> routes() {
        return List.of(
                Route.read("/v1/ids", Need.read(Scope.IDS), this::list),
                Route.read("/v1/ids/{}", Need.read(Scope.IDS), this::show),
                Route.of("PUT", "/v1/ids/{}", Need.admin(Scope.IDS), this::define),
                Route.of("DELETE", "/v1/ids/{}", Need.admin(Scope.IDS), this::delete),
                Route.of("POST", "/v1/ids/{}/next", Need.use(Scope.IDS), this::next),
                Route.of("GET", "/v1/ids/{}/next", Need.use(Scope.IDS), this::next),
                Route.of("POST", "/v1/ids/{}/raise", Need.admin(Scope.IDS), this::raise),
                Route.of("POST", "/v1/public-ids/rotate", Need.admin(Scope.SERVER), this::rotate),
                Route.read("/v1/ids/{}/decode/{}", Need.read(Scope.IDS), this::decode));
    }

    private Future<RouteResponse> define(Exchange x) {
        x.query();
        String name = name(x);
        int length = x.body().length();
        GeneratorDefinition definition = DefinitionFormat.read(Json.readObject(x.body()));
        return calls.blocking(() -> {
            IdCatalog.Defined defined = quota.using(
                    x.who().keyId(), "ids " + name, length, () -> ids.has(name), () -> ids.define(name, definition));
            if (defined.created()) {
                audit.tell("ids-defined", x.caller(), name, defined.ids().describe());
            }
            return RouteResponse.json(
                    defined.created() ? 201 : 200, defined.ids().report());
        });
    }

    private Future<RouteResponse> list(Exchange x) {
        x.query();
        Caller who = x.who();
        return calls.blocking(() -> RouteResponse.ok(Map.of("ids", ids.describeAll(who::sees))));
    }

    private Future<RouteResponse> show(Exchange x) {
        x.query();
        String name = anyName(x);
        return calls.blocking(() -> RouteResponse.ok(ids.report(name).orElseThrow(() -> IdCalls.unknown(name))));
    }

    private Future<RouteResponse> delete(Exchange x) {
        x.query();
        String name = anyName(x);
        return calls.blocking(() -> {
            if (!ids.remove(name)) {
                throw IdCalls.unknown(name);
            }
            quota.gone("ids " + name);
            LOG.info("The definition of {} was deleted", name);
            audit.tell("ids-deleted", x.caller(), name, Map.of());
            return RouteResponse.empty();
        });
    }

    private Future<RouteResponse> next(Exchange x) {
        String name = name(x);
        Map<String, String> query = x.query("count", "shardKey");
        int count = count(query.getOrDefault("count", "1"));
        IdRequest ask = new IdRequest(count, IdRequest.Order.OWN, Optional.ofNullable(query.get("shardKey")));
        boolean text = x.wantsText();
        return calls.next(name, ask)
                .map(next -> text
                        ? RouteResponse.text(String.join("\n", next) + "\n")
                        : RouteResponse.ok(Map.of("ids", next)));
    }

    private Future<RouteResponse> raise(Exchange x) {
        x.query();
        String name = name(x);
        Optional<Long> above =
                Optional.ofNullable(x.read(RaiseBody.class).above()).map(IdRoutes::floor);
        return calls.blocking(() -> {
            NamedGenerator.Raised raised = ids.raise(calls.found(name), above);
            LOG.info("The numbers of {} were raised above {}", name, raised.above());
            audit.tell("ids-raised", x.caller(), name, Map.of("above", raised.above()));
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", name);
            document.put("above", String.valueOf(raised.above()));
            document.put("next", String.valueOf(raised.next()));
            return RouteResponse.ok(document);
        });
    }

    private Future<RouteResponse> rotate(Exchange x) {
        x.query();
        return calls.blocking(() -> {
            int version = ids.rotatePublicKey();
            LOG.info("Public IDs are written with key {} from now on", version);
            audit.tell("public-key-rotated", x.caller(), "", Map.of("version", version));
            return RouteResponse.ok(Map.of("version", version));
        });
    }

    private static long floor(String text) {
        try {
            long floor = Long.parseLong(text);
            if (floor >= 0) {
                return floor;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new ProblemException(
                ProblemType.BAD_REQUEST,
                "\"above\" must be a number of 0 or more as text, such as \"5000\", not \"" + QuotedText.shortened(text)
                        + "\".");
    }

    private Future<RouteResponse> decode(Exchange x) {
        x.query();
        String name = name(x);
        String id = x.variables().get(1);
        return calls.blocking(() -> RouteResponse.ok(calls.found(name).decode(id)));
    }

    private static String name(Exchange x) {
        String name = x.name("ID name");
        if (name.indexOf('/') >= 0) {
            throw new ProblemException(ProblemType.BAD_NAME, "ID name has a slash; choose a name without.");
        }
        return name;
    }

    /** Before definitions were checked there could be names with a slash, which must be seen and deleted. */
    private static String anyName(Exchange x) {
        String name = x.name("ID name");
        if (IdCatalog.isOwn(name)) {
            throw new ProblemException(ProblemType.BAD_NAME, "ID name begins with a slash; choose a name without.");
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
                "\"count\" must be a whole number between 1 and " + COUNT_MAX + ", not \"" + QuotedText.shortened(text)
                        + "\".");
    }
}
