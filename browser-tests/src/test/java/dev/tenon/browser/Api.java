package dev.tenon.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What others do at the server while somebody looks at its console. */
final class Api {
    private final String base;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Api(int port) {
        this.base = "http://127.0.0.1:" + port;
    }

    String base() {
        return base;
    }

    JsonNode call(String method, String path, String body) {
        try {
            return json(http.send(request(method, path, body), BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    JsonNode fetch(String path) {
        return call("GET", path, "");
    }

    void define(String name, String definition) {
        call("PUT", "/v1/ids/" + name, definition);
    }

    List<String> next(String name, String query) {
        List<String> ids = new ArrayList<>();
        call("POST", "/v1/ids/" + name + "/next" + query, "").path("ids").forEach(id -> ids.add(id.asString()));
        return ids;
    }

    String session(String owner) {
        return call("POST", "/v1/sessions", "{\"ttl\":\"PT10M\",\"owner\":\"" + owner + "\"}")
                .path("id")
                .asString();
    }

    /** Takes a lock at once; the answer has its token. */
    JsonNode acquire(String lock, String session, String mode) {
        return call(
                "POST",
                "/v1/locks/" + URLEncoder.encode(lock, StandardCharsets.UTF_8).replace("+", "%20") + "/acquire",
                "{\"session\":\"" + session + "\",\"lease\":\"PT5M\",\"mode\":\"" + mode + "\"}");
    }

    /** Queues for a lock. */
    CompletableFuture<JsonNode> queue(String lock, String session) {
        String body = "{\"session\":\"" + session + "\",\"wait\":\"PT5M\",\"lease\":\"PT5M\"}";
        return http.sendAsync(
                        request(
                                "POST",
                                "/v1/locks/"
                                        + URLEncoder.encode(lock, StandardCharsets.UTF_8)
                                                .replace("+", "%20") + "/acquire",
                                body),
                        BodyHandlers.ofString())
                .thenApply(Api::json);
    }

    private static JsonNode json(HttpResponse<String> response) {
        return new JsonMapper().readTree(response.body().isEmpty() ? "{}" : response.body());
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .timeout(Duration.ofMinutes(2))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
    }
}
