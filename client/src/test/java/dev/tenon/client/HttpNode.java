package dev.tenon.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One node, spoken to over HTTP. Threads may share it. */
final class HttpNode {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final URI base;
    private final Duration timeout;
    private final HttpClient http;

    HttpNode(int port) {
        this(port, TIMEOUT);
    }

    HttpNode(int port, Duration timeout) {
        this(port, timeout, Optional.empty());
    }

    /** @param tls what to trust and to show, if the node asks for it */
    HttpNode(int port, Duration timeout, Optional<SSLContext> tls) {
        this.timeout = timeout;
        this.base = URI.create((tls.isPresent() ? "https" : "http") + "://127.0.0.1:" + port);
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        tls.ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    /** An answer. */
    record Answer(int status, String text) {
        static Answer of(HttpResponse<String> response) {
            return new Answer(response.statusCode(), response.body());
        }

        JsonNode json() {
            return new JsonMapper().readTree(text);
        }

        /** The kind of problem that this is, such as {@code unknown-session}. */
        String problem() {
            return json().path("type").asString("").replaceFirst("^urn:tenon:problem:", "");
        }
    }

    /** Asks and waits. */
    Answer call(String method, String path, String body) {
        try {
            return Answer.of(http.send(request(method, path, body), BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** As {@link #call}, without waiting. */
    CompletableFuture<Answer> send(String method, String path, String body) {
        return http.sendAsync(request(method, path, body), BodyHandlers.ofString())
                .thenApply(Answer::of);
    }

    Answer fetch(String path) {
        return call("GET", path, "");
    }

    Answer post(String path, String body) {
        return call("POST", path, body);
    }

    /** Opens a session and returns its ID. */
    String session(String owner, String ttl) {
        return post("/v1/sessions", "{\"ttl\":\"" + ttl + "\",\"owner\":\"" + owner + "\"}")
                .json()
                .path("id")
                .asString();
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .timeout(timeout)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
    }
}
