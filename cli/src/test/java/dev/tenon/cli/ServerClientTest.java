package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of several servers is asked, and what is not asked twice. */
class ServerClientTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String PROBLEM = "{\"type\":\"urn:tenon:problem:%s\",\"detail\":\"no\"}";

    private final List<HttpServer> servers = new ArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    /** A server that always gives this answer; status 0: it hangs up without one. */
    private URI server(int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            if (status > 0) {
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
            exchange.close();
        });
        server.start();
        servers.add(server);
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private URI good() throws IOException {
        return server(200, "{\"good\":true}");
    }

    private static void assertGood(ServerClient client, String method, String path) {
        assertThat(client.send(method, path, Map.of(), LIMIT).path("good").asBoolean())
                .isTrue();
    }

    @Test
    void whereNobodyListensTheNextOneIsAskedFromThenOn() throws IOException {
        try (TestPort nobody = TestPort.reserve()) {
            ServerClient client = new ServerClient(List.of(URI.create("http://127.0.0.1:" + nobody.number()), good()));
            assertGood(client, "POST", "/v1/ids/default/next?count=1");
            assertGood(client, "POST", "/v1/ids/default/next?count=1");
            assertThatThrownBy(() -> new ServerClient(URI.create("http://127.0.0.1:" + nobody.number())).fetch("/"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageContaining("connection refused");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stopping", "store-unavailable", "overloaded"})
    void whereNothingHappenedTheNextOneIsAskedAnything(String problem) throws IOException {
        ServerClient client = new ServerClient(List.of(server(503, PROBLEM.formatted(problem)), good()));
        assertGood(client, "POST", "/v1/ids/default/next?count=1");
        assertThat(asked).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sequence-regressed", "ids-unavailable"})
    void anotherServerIsNoWayRoundARefusal(String problem) throws IOException {
        ServerClient client = new ServerClient(List.of(server(503, PROBLEM.formatted(problem)), good()));
        assertThatThrownBy(() -> client.send("POST", "/v1/ids/default/next")).isInstanceOf(RefusedException.class);
        assertThat(asked).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/locks",
                "PUT /v1/ids/a",
                "POST /v1/sessions",
                "POST /v1/sessions/a/keepalive",
                "DELETE /v1/sessions/a",
                "POST /v1/locks/a%2Fb/acquire",
                "POST /v1/locks/a/renew",
                "POST /v1/cluster/members",
                "DELETE /v1/cluster/members?name=n4",
            })
    void whatMayBeRepeatedIsAskedAgainWhenTheAnswerIsLost(String call) throws IOException {
        String[] words = call.split(" ");
        for (URI bad : List.of(server(0, ""), server(504, PROBLEM.formatted("outcome-unknown")))) {
            assertGood(new ServerClient(List.of(bad, good())), words[0], words[1]);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /v1/ids/a/next?count=1",
                "POST /v1/ids/a/raise",
                "POST /v1/public-ids/rotate",
                "DELETE /v1/locks/a?reason=b",
                "POST /v1/locks/a/release",
            })
    void whatWouldHappenTwiceIsNot(String call) throws IOException {
        String[] words = call.split(" ");
        ServerClient hungUp = new ServerClient(List.of(server(0, ""), good()));
        assertThatThrownBy(() -> hungUp.send(words[0], words[1])).isInstanceOf(UnreachableException.class);
        ServerClient unknown = new ServerClient(List.of(server(504, PROBLEM.formatted("outcome-unknown")), good()));
        assertThatThrownBy(() -> unknown.send(words[0], words[1])).isInstanceOf(RefusedException.class);
        assertThat(asked).hasValue(2);
    }

    @Test
    void aRefusalOfTheRequestIsTheAnswer() throws IOException {
        ServerClient client = new ServerClient(List.of(server(409, PROBLEM.formatted("lock-not-acquired")), good()));
        assertThatThrownBy(() -> client.fetch("/v1/locks")).isInstanceOf(RefusedException.class);
    }

    @Test
    void whoWaitsAtAServerThatOthersGaveUpMovesToo() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        HttpServer silent = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        silent.setExecutor(Executors.newCachedThreadPool());
        silent.createContext("/v1/locks", exchange -> {
            waits.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        silent.createContext("/v1/sessions", exchange -> exchange.close());
        silent.start();
        servers.add(silent);
        URI first = URI.create("http://127.0.0.1:" + silent.getAddress().getPort());
        ServerClient client = new ServerClient(List.of(first, good()));
        CompletableFuture<Void> waiter =
                CompletableFuture.runAsync(() -> assertGood(client, "POST", "/v1/locks/a/acquire"));
        assertThat(waits.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertGood(client, "POST", "/v1/sessions/a/keepalive");
        waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        over.countDown();
    }
}
