package dev.tenon.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the HTTP interface of a server. Thread-safe. */
final class ServerClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final URI server;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    private final JsonMapper json = new JsonMapper();

    ServerClient(URI server) {
        this.server = server;
    }

    /** A segment of a path. */
    static String segment(String name) {
        return query(name).replace(".", "%2E");
    }

    /** A value in a query. */
    static String query(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** GETs a path. */
    JsonNode fetch(String path) {
        return send("GET", path, null, TIMEOUT);
    }

    /** Sends a request without a body. */
    JsonNode send(String method, String path) {
        return send(method, path, null, TIMEOUT);
    }

    /**
     * Sends a request.
     *
     * @param body to be sent as JSON; null: none
     * @return the answer; an empty object if it has no body
     * @throws RefusedException if the server refuses
     * @throws UnreachableException if it does not answer, or not in time
     */
    JsonNode send(String method, String path, @Nullable Map<String, ?> body, Duration timeout) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(timeout)
                .header("Accept", "application/json")
                .method(
                        method,
                        body == null
                                ? BodyPublishers.noBody()
                                : BodyPublishers.ofByteArray(json.writeValueAsBytes(body)));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<byte[]> response;
        try {
            response = http.send(request.build(), BodyHandlers.ofByteArray());
        } catch (ConnectException e) {
            throw new UnreachableException(server, "connection refused", e);
        } catch (IOException e) {
            throw new UnreachableException(server, String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnreachableException(server, "interrupted", e);
        }
        JsonNode answer = parsed(response);
        if (response.statusCode() >= 300) {
            throw new RefusedException(response.statusCode(), answer);
        }
        return answer;
    }

    private JsonNode parsed(HttpResponse<byte[]> response) {
        if (response.body().length == 0) {
            return json.createObjectNode();
        }
        try {
            return json.readTree(response.body());
        } catch (JacksonException e) {
            throw new UnreachableException(server, "what answers there speaks no JSON", e);
        }
    }
}
