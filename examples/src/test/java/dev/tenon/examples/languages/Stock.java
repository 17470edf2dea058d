package dev.tenon.examples.languages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tenon.lock.FencingGuard;
import dev.tenon.lock.StaleTokenException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A number behind HTTP that is read, and is written by whoever has the latest token. On one thread. */
final class Stock implements AutoCloseable {
    private final FencingGuard guard = FencingGuard.remembering(10);
    private final List<String> tokens = new ArrayList<>();
    private final HttpServer server;
    private volatile int left;

    Stock(int left) throws IOException {
        this.left = left;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/stock/42", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/stock/42";
    }

    int left() {
        return left;
    }

    /** From now on, it has seen a token that is greater than any other. */
    void isPast(long token) {
        guard.check("/stock/42", token);
    }

    private void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (exchange.getRequestMethod().equals("GET")) {
            answer(exchange, 200, String.valueOf(left));
            return;
        }
        String token = exchange.getRequestHeaders().getFirst(FencingGuard.HEADER);
        try {
            guard.check("/stock/42", token);
            tokens.add(token);
            left = Integer.parseInt(body);
            answer(exchange, 204, "");
        } catch (StaleTokenException e) {
            answer(exchange, 412, "");
        } catch (IllegalArgumentException e) {
            answer(exchange, 400, String.valueOf(e.getMessage()));
        }
    }

    /** The tokens of all writes, in their order. */
    List<String> tokens() {
        return List.copyOf(tokens);
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
