package dev.tenon.examples.languages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands before a server on a bad day: the first acquire is answered with 503, the second is carried out and its answer
 * lost. Everything else passes.
 */
final class FaultyFront implements AutoCloseable {
    private static final Pattern REQUEST_ID = Pattern.compile("\"requestId\":\\s*\"([^\"]*)\"");
    private static final String STOPPING =
            "{\"type\":\"urn:tenon:problem:stopping\",\"title\":\"The server is stopping\","
                    + "\"status\":503,\"detail\":\"Ask again.\"}";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<String> acquires = Collections.synchronizedList(new ArrayList<>());
    private final HttpServer front;
    private final int behind;

    FaultyFront(int behind) throws IOException {
        this.behind = behind;
        this.front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        front.setExecutor(threads);
        front.createContext("/", this::handle);
        front.start();
    }

    String url() {
        return "http://127.0.0.1:" + front.getAddress().getPort();
    }

    /** The request IDs of all acquires, in their order. */
    List<String> acquires() {
        return List.copyOf(acquires);
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        URI asked = exchange.getRequestURI();
        int turn = 0;
        if (asked.getRawPath().endsWith("/acquire")) {
            Matcher id = REQUEST_ID.matcher(new String(body, StandardCharsets.UTF_8));
            acquires.add(id.find() ? id.group(1) : "none");
            turn = acquires.size();
        }
        if (turn == 1) {
            answer(exchange, 503, "application/problem+json", STOPPING.getBytes(StandardCharsets.UTF_8));
            return;
        }
        HttpRequest.Builder passedOn = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + behind + asked))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        String accept = exchange.getRequestHeaders().getFirst("Accept");
        if (accept != null) {
            passedOn.header("Accept", accept);
        }
        try {
            HttpResponse<byte[]> response = http.send(passedOn.build(), HttpResponse.BodyHandlers.ofByteArray());
            if (turn == 2) {
                exchange.close();
                return;
            }
            answer(
                    exchange,
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse("text/plain"),
                    response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            exchange.close();
        }
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        front.stop(0);
        threads.shutdownNow();
    }
}
