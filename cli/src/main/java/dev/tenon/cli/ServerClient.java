package dev.tenon.cli;

import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Calls the HTTP interface of a server, or of the nodes of a cluster, one after the other: the next one is asked when a
 * node can't be reached or says that nothing happened. When an answer is lost, the next one is asked only what may be
 * asked twice. Thread-safe.
 */
final class ServerClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration DOWNLOAD_TIMEOUT = Duration.ofMinutes(10);
    private static final int OK = 200;
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Opens another session at worst, or does again what is done. IDs, evictions and keys would be taken twice. */
    private static final Pattern REPEATABLE = Pattern.compile(
            "(GET|PUT) .*|DELETE /v1/(sessions|cluster)/.*|POST /v1/(sessions.*|cluster/.*|locks/[^/]*/(acquire|renew|revoke)"
                    + "|transactions/.*)");

    private final List<URI> servers;
    private final AtomicReference<Place> place = new AtomicReference<>(new Place(0, new CompletableFuture<>()));
    private final Optional<String> apiKey;
    private final HttpClient http;
    private final JsonMapper json = new JsonMapper();

    ServerClient(URI server) {
        this(List.of(server));
    }

    ServerClient(List<URI> servers) {
        this(servers, Credentials.NONE);
    }

    /**
     * @param servers at least one; all over the same store, or of one cluster
     * @param credentials the same for all of them
     */
    ServerClient(List<URI> servers, Credentials credentials) {
        this.servers = List.copyOf(servers);
        this.apiKey = credentials.apiKey();
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_TIMEOUT);
        credentials.tls().ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    /**
     * The server that is asked.
     *
     * @param left completes when another one is asked from then on
     */
    private record Place(int index, CompletableFuture<Void> left) {}

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
        return parsed(ask(method, path, body, timeout));
    }

    /** GETs a path from each server that answers soon, as all of them may know something of their own. */
    List<JsonNode> fetchFromEach(String path) {
        List<CompletableFuture<HttpResponse<byte[]>>> asked = servers.stream()
                .map(server ->
                        http.sendAsync(request(server, "GET", path, null, CONNECT_TIMEOUT), BodyHandlers.ofByteArray()))
                .toList();
        List<JsonNode> answers = new ArrayList<>();
        for (CompletableFuture<HttpResponse<byte[]>> one : asked) {
            HttpResponse<byte[]> response = one.exceptionally(failure -> null).join();
            if (response != null && response.statusCode() == OK) {
                answers.add(parsed(response));
            }
        }
        return answers;
    }

    /** GETs what is no JSON; as {@link #send}. */
    byte[] download(String path) {
        return ask("GET", path, null, DOWNLOAD_TIMEOUT).body();
    }

    private HttpResponse<byte[]> ask(String method, String path, @Nullable Map<String, ?> body, Duration timeout) {
        boolean repeatable = REPEATABLE.matcher(method + " " + path).matches();
        RuntimeException failure = null;
        for (int i = 0; i < servers.size(); i++) {
            Place at = Objects.requireNonNull(place.get(), "place");
            URI server = servers.get(at.index());
            try {
                return accepted(exchange(at, request(server, method, path, body, timeout), repeatable));
            } catch (UnreachableException e) {
                if (!e.nothingHappened() && !repeatable) {
                    throw e;
                }
                failure = e;
            } catch (RefusedException e) {
                if (!e.nothingHappened() && !(repeatable && e.is("outcome-unknown"))) {
                    throw e;
                }
                failure = e;
            }
            leave(at);
        }
        throw Objects.requireNonNull(failure, "failure");
    }

    private void leave(Place at) {
        int next = (at.index() + 1) % servers.size();
        if (next != at.index() && place.compareAndSet(at, new Place(next, new CompletableFuture<>()))) {
            at.left().complete(null);
        }
    }

    private HttpRequest request(
            URI server, String method, String path, @Nullable Map<String, ?> body, Duration timeout) {
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
        apiKey.ifPresent(key -> request.header("Authorization", "Bearer " + key));
        return request.build();
    }

    /** One request and its answer. What may be repeated is not waited for when others have given the server up. */
    private HttpResponse<byte[]> exchange(Place at, HttpRequest request, boolean repeatable) {
        CompletableFuture<HttpResponse<byte[]>> response = http.sendAsync(request, BodyHandlers.ofByteArray());
        try {
            if (repeatable) {
                CompletableFuture.anyOf(response, at.left()).get();
                if (!response.isDone()) {
                    response.cancel(true);
                    throw new UnreachableException(servers, "it does not answer", null, false);
                }
            }
            return response.get();
        } catch (InterruptedException e) {
            response.cancel(true);
            Thread.currentThread().interrupt();
            throw new UnreachableException(servers, "interrupted", e, false);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            boolean never = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
            String why = cause instanceof ConnectException ? "connection refused" : String.valueOf(cause.getMessage());
            if (cause instanceof SSLException) {
                why += "; is its certificate signed by a trusted CA (--ca-cert), and does it require a client "
                        + "certificate (--cert)?";
            }
            throw new UnreachableException(servers, why, cause, never);
        }
    }

    private HttpResponse<byte[]> accepted(HttpResponse<byte[]> response) {
        if (response.statusCode() >= 300) {
            throw new RefusedException(response.statusCode(), parsed(response));
        }
        return response;
    }

    private JsonNode parsed(HttpResponse<byte[]> response) {
        if (response.body().length == 0) {
            return json.createObjectNode();
        }
        try {
            return json.readTree(response.body());
        } catch (JacksonException e) {
            throw new UnreachableException(servers, "the answer is not JSON", e, false);
        }
    }
}
