package dev.tenon.browser;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Stands before a node and asks for keys: {@code reader} may read, {@code boss} may do everything, and only the boss
 * may see the lock {@code secret}. What the page does with each answer does not depend on how a server comes to it.
 */
final class KeyedFront implements AutoCloseable {
    private static final Map<String, String> RIGHTS = Map.of("reader", "READ", "boss", "ADMIN");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient http = HttpClient.newHttpClient();
    private final int behind;

    KeyedFront(int behind) {
        this.behind = behind;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    String base() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            String header = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
            String key = header.startsWith("Bearer ") ? header.substring("Bearer ".length()) : "";
            String right = RIGHTS.get(key);
            boolean open = path.equals("/") || path.startsWith("/console/") || path.equals("/readyz");
            if (!open && right == null) {
                problem(exchange, 401, "Send a key that exists.");
            } else if (!open && right.equals("READ") && path.endsWith("/secret")) {
                problem(exchange, 403, "This key has the right READ only.");
            } else if (path.equals("/v1/access")) {
                String all = "{'caller':'%s','ids':'%s','locks':'%s','transactions':'%s'}"
                        .formatted(key, right, right, right);
                answer(exchange, 200, "application/json", all.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            } else {
                forward(exchange);
            }
        }
    }

    private void forward(HttpExchange exchange) throws IOException {
        URI uri = URI.create("http://127.0.0.1:" + behind + exchange.getRequestURI());
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(
                        exchange.getRequestMethod(),
                        BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
                .build();
        try {
            HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
            String type = response.headers().firstValue("Content-Type").orElse("text/plain");
            answer(exchange, response.statusCode(), type, response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void problem(HttpExchange exchange, int status, String detail) throws IOException {
        String document = "{\"title\":\"No\",\"status\":" + status + ",\"detail\":\"" + detail + "\"}";
        answer(exchange, status, "application/problem+json", document.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
