package dev.tenon.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A participant that writes down who called it for what, and answers as it is told: 200 unless told otherwise. */
final class Participant implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    /** A call as it came. */
    record Call(
            String path, String gid, String branch, String operation, String body, Map<String, List<String>> headers) {
        String header(String name) {
            return headers.getOrDefault(name, List.of("")).get(0);
        }
    }

    /** What is answered to the n-th call of a path, counted from 1. */
    @FunctionalInterface
    interface Answer {
        Said to(Call call, int n) throws Exception;
    }

    /** An answer. */
    record Said(int status, String body) {}

    Participant() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** The address of a path. */
    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    Participant answers(String path, Answer answer) {
        answers.put(path, answer);
        return this;
    }

    Participant answers(String path, int status) {
        return answers(path, (call, n) -> new Said(status, ""));
    }

    /** Everything that came, in its order. */
    List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The paths that were called for a transaction, in their order. */
    List<String> paths(String gid) {
        return calls.stream().filter(c -> c.gid().equals(gid)).map(Call::path).toList();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Call call = new Call(
                    exchange.getRequestURI().getPath(),
                    header(exchange, "Tenon-Gid"),
                    header(exchange, "Tenon-Branch"),
                    header(exchange, "Tenon-Operation"),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                    exchange.getRequestHeaders());
            calls.add(call);
            int n = (int) calls.stream()
                    .filter(c -> c.path().equals(call.path()) && c.gid().equals(call.gid()))
                    .count();
            Said said = said(call, n);
            byte[] body = said.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(said.status(), body.length == 0 ? -1 : body.length);
            if (body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private Said said(Call call, int n) throws IOException {
        Answer answer = answers.get(call.path());
        try {
            return answer == null ? new Said(200, "") : answer.to(call, n);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
