package dev.tenon.server.http;

import dev.tenon.Names;
import dev.tenon.server.access.Caller;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One request, taken apart.
 *
 * @param context the request on its way
 * @param variables what stands in the path where the route has {@code {}}, decoded
 * @param body all of it
 */
record Exchange(RequestContext context, List<String> variables, Buffer body) {
    /** The request as Vert.x has it. */
    HttpServerRequest request() {
        return context.request();
    }

    /** Completes when the connection is closed before the answer was written. */
    Future<Void> clientGone() {
        return context.gone();
    }

    /** Who asks, as it stands in the audit log. */
    String caller() {
        return context.caller().map(Caller::name).orElse("unknown");
    }

    /** Who asks, and how far it may see. */
    Caller who() {
        return context.caller().orElseThrow(() -> new IllegalStateException("nobody was let in"));
    }

    /** The name in the path, if it is a valid one. */
    String name(String kind) {
        return checkedName(kind, variables.get(0));
    }

    /** {@code value} if it is a valid name. */
    static String checkedName(String kind, String value) {
        try {
            return Names.requireValid(kind, value);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(ProblemType.BAD_NAME, e.getMessage() + ".");
        }
    }

    /** The parameters of the query; any other than {@code allowed}, and any repeated one, is refused. */
    Map<String, String> query(String... allowed) {
        Map<String, String> query = anyQuery();
        for (String key : query.keySet()) {
            if (!Arrays.asList(allowed).contains(key)) {
                throw new ProblemException(
                        ProblemType.BAD_REQUEST,
                        "There is no parameter \"" + QuotedText.shortened(key) + "\" here; allowed: "
                                + (allowed.length == 0 ? "none" : String.join(", ", allowed)) + ".");
            }
        }
        return query;
    }

    /** The parameters of the query, whatever they are; a repeated one is refused. */
    Map<String, String> anyQuery() {
        Map<String, String> query = new HashMap<>();
        String raw = request().query();
        if (raw == null || raw.isEmpty()) {
            return query;
        }
        for (String pair : raw.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String key = PercentEncoding.decoded(equals < 0 ? pair : pair.substring(0, equals), true);
            String value = equals < 0 ? "" : PercentEncoding.decoded(pair.substring(equals + 1), true);
            if (query.put(key, value) != null) {
                throw new ProblemException(
                        ProblemType.BAD_REQUEST, "The parameter \"" + QuotedText.shortened(key) + "\" is given twice.");
            }
        }
        return query;
    }

    /** A parameter that is a whole number. */
    static Optional<Long> number(Map<String, String> query, String parameter) {
        String text = query.get(parameter);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"" + parameter + "\" must be a whole number, not \"" + QuotedText.shortened(text) + "\".");
        }
    }

    /** The body as a record. */
    <T> T read(Class<T> type) {
        return Json.read(body, type);
    }

    /** Whether the client prefers plain text to JSON. */
    boolean wantsText() {
        String accept = request().getHeader("Accept");
        if (accept == null) {
            return false;
        }
        for (String range : accept.split(",")) {
            String type = range.split(";", 2)[0].trim();
            if (type.equalsIgnoreCase("text/plain")) {
                return true;
            }
            if (type.equalsIgnoreCase("application/json") || type.equals("*/*")) {
                return false;
            }
        }
        return false;
    }
}
