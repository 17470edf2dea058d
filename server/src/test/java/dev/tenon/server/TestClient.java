package dev.tenon.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks HTTP to a node, as a client of ours would. */
final class TestClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final URI base;
    private final Duration timeout;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    TestClient(int port) {
        this(port, TIMEOUT);
    }

    TestClient(int port, Duration timeout) {
        this.timeout = timeout;
        this.base = URI.create("http://127.0.0.1:" + port);
    }

    /** An answer. */
    record Answer(int status, HttpResponse<String> response) {
        String text() {
            return response.body();
        }

        JsonNode json() {
            return new JsonMapper().readTree(response.body());
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        /** The kind of problem that this is, such as {@code unknown-session}. */
        String problem() {
            String prefix = "urn:tenon:problem:";
            JsonNode problem = json();
            String type = problem.path("type").asString();
            boolean wellFormed = header("Content-Type").equals("application/problem+json")
                    && type.startsWith(prefix)
                    && problem.path("status").asInt() == status
                    && !problem.path("title").asString().isEmpty()
                    && !problem.path("detail").asString().isEmpty();
            return wellFormed ? type.substring(prefix.length()) : "not a problem document: " + response.body();
        }

        String detail() {
            return json().path("detail").asString();
        }
    }

    Answer call(String method, String path, String body, String... headers) {
        try {
            HttpResponse<String> response = http.send(request(method, path, body, headers), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** As {@link #call}, without waiting; cancelling the future closes the connection. */
    CompletableFuture<HttpResponse<String>> send(String method, String path, String body, String... headers) {
        return http.sendAsync(request(method, path, body, headers), BodyHandlers.ofString());
    }

    Answer fetch(String path, String... headers) {
        return call("GET", path, "", headers);
    }

    Answer post(String path, String body) {
        return call("POST", path, body);
    }

    Answer put(String path, String body) {
        return call("PUT", path, body);
    }

    /** Opens a session that lasts for longer than any test, and returns its ID. */
    String session(String owner) {
        return session(owner, "PT10M");
    }

    String session(String owner, String ttl) {
        return post("/v1/sessions", "{\"ttl\":\"" + ttl + "\",\"owner\":\"" + owner + "\"}")
                .json()
                .path("id")
                .asString();
    }

    /** New IDs of a name. */
    List<String> next(String name, int count) {
        List<String> ids = new ArrayList<>();
        post("/v1/ids/" + name + "/next?count=" + count, "").json().path("ids").forEach(id -> ids.add(id.asString()));
        return ids;
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(timeout)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }
}
