package dev.tenon.server.http;

import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/**
 * An answer to a request.
 *
 * @param status of HTTP
 * @param contentType of the body; empty if there is none
 * @param body the bytes
 * @param headers further headers
 */
record RouteResponse(int status, String contentType, Buffer body, Map<String, String> headers) {
    static final String JSON = "application/json";
    static final String PROBLEM = "application/problem+json";
    static final String TEXT = "text/plain;charset=UTF-8";

    /** A JSON document. */
    static RouteResponse json(int status, Object value) {
        return new RouteResponse(status, JSON, Json.write(value), Map.of());
    }

    /** 200 and a JSON document. */
    static RouteResponse ok(Object value) {
        return json(200, value);
    }

    /** 200 and plain text. */
    static RouteResponse text(String text) {
        return new RouteResponse(200, TEXT, Buffer.buffer(text), Map.of());
    }

    /** 204. */
    static RouteResponse empty() {
        return new RouteResponse(204, "", Buffer.buffer(), Map.of());
    }

    /** A problem document. */
    static RouteResponse problem(ProblemException problem) {
        return new RouteResponse(problem.type().status(), PROBLEM, Json.write(problem.document()), Map.of());
    }

    RouteResponse with(String header, String value) {
        Map<String, String> more = new java.util.HashMap<>(headers);
        more.put(header, value);
        return new RouteResponse(status, contentType, body, Map.copyOf(more));
    }
}
