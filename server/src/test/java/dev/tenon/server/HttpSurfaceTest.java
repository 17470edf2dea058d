package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What HTTP itself asks for, on every path. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpSurfaceTest {
    private Node node;
    private TestClient client;

    @BeforeAll
    void start() {
        node = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend());
        client = new TestClient(node.port());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console",
                "/console/",
                "/console/nothing.js",
                "/index.html",
                "/v1",
                "/v2/ids",
                "/v1/ids/a/b/c/d",
                "/healthz/",
                "/id-builder",
                "/v1/IDs",
                "/../etc"
            })
    void anUnknownPathIsRefused(String path) {
        Answer answer = client.fetch(path);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.problem()).isEqualTo("unknown-path");
        assertThat(answer.detail()).contains("/v1/ids");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/ids/default, 'DELETE, GET, HEAD, OPTIONS, PUT'",
        "HEAD, /v1/ids/default/next, 'GET, OPTIONS, POST'",
        "GET, /v1/sessions, 'OPTIONS, POST'",
        "PUT, /v1/locks/a, 'DELETE, GET, HEAD, OPTIONS'",
        "GET, /v1/locks/a/acquire, 'OPTIONS, POST'",
        "POST, /healthz, 'GET, HEAD, OPTIONS'",
        "TRACE, /healthz, 'GET, HEAD, OPTIONS'",
        "POST, /id-builder/increase-id, 'GET, OPTIONS'",
        "FOO, /v1/ids, 'GET, HEAD, OPTIONS'",
    })
    void aWrongMethodIsRefusedNamingTheRightOnes(String method, String path, String allow) {
        Answer answer = client.call(method, path, "");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("Allow")).isEqualTo(allow);
        if (!method.equals("HEAD")) {
            assertThat(answer.problem()).isEqualTo("method-not-allowed");
        }
    }

    @Test
    void optionsNamesTheMethods() {
        Answer answer = client.call("OPTIONS", "/v1/ids/default/next", "");
        assertThat(answer.status()).isEqualTo(204);
        assertThat(answer.header("Allow")).isEqualTo("GET, OPTIONS, POST");
        assertThat(client.call("OPTIONS", "/nowhere", "").status()).isEqualTo(404);
    }

    @Test
    void headIsGetWithoutTheBody() {
        Answer got = client.fetch("/v1/ids/default");
        Answer head = client.call("HEAD", "/v1/ids/default", "");
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length")).isEqualTo(got.header("Content-Length"));
        assertThat(client.call("HEAD", "/v1/ids/nobody", "").status()).isEqualTo(404);
    }

    @Test
    void anOversizedBodyIsRefused() {
        String body = "{\"ttl\":\"PT10S\",\"owner\":\"" + "x".repeat(70_000) + "\"}";
        Answer answer = client.post("/v1/sessions", body);
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.problem()).isEqualTo("body-too-large");
        assertThat(client.fetch("/healthz").status()).isEqualTo(200);
    }

    @Test
    void whoStillSendsABodyThatWasRefusedGetsToSeeWhy() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", node.port())) {
            OutputStream out = socket.getOutputStream();
            out.write("POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            await().until(() -> socket.getInputStream().available() > 0);
            for (int i = 0; i < 10; i++) {
                out.write(new byte[50_000]);
            }
            out.write("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answers).startsWith("HTTP/1.1 413").contains("body-too-large", "HTTP/1.1 200");
        }
    }

    @Test
    void anOversizedBodyIsRefusedThoughItDoesNotSayItsLength() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", node.port())) {
            StringBuilder request = new StringBuilder(
                    "POST /v1/sessions HTTP/1.1\r\nHost: a\r\n" + "Transfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 9; i++) {
                request.append("2000\r\n").append(" ".repeat(0x2000)).append("\r\n");
            }
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 413").contains("body-too-large");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-5", "5x", "99999999999999999999"})
    void aLengthThatIsNoneEndsTheConnection(String length) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", node.port())) {
            String request = "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n{}";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).containsPattern("HTTP/1.1 4(00|13)");
        }
        assertThat(client.fetch("/healthz").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/locks/%", "/v1/locks/%4", "/v1/locks/a%zz", "/v1/locks?prefix=%f"})
    void aPathThatIsNotPercentEncodedIsRefused(String path) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", node.port())) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 400").contains("%XX");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "not json",
                "{\"ttl\":\"PT10S\"} trailing",
                "{\"ttl\":\"PT10S\",\"ttl\":\"PT20S\"}",
                "{\"tll\":\"PT10S\"}",
                "{\"ttl\":10}",
                "[]",
                "null",
                "\u0000"
            })
    void malformedJsonIsRefused(String body) {
        Answer answer = client.post("/v1/sessions", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("malformed-json");
    }

    @Test
    void deeplyNestedJsonIsRefused() {
        assertThat(client.post("/v1/sessions", "{\"ttl\":" + "[".repeat(20_000)).status())
                .isEqualTo(400);
        assertThat(client.put("/v1/ids/deep", "{\"kind\":" + "[".repeat(20_000) + "]".repeat(20_000) + "}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void healthAndReadinessAreAnswered() {
        assertThat(client.fetch("/healthz").text()).isEqualTo("{\"status\":\"up\"}");
        assertThat(client.fetch("/readyz").text()).isEqualTo("{\"status\":\"ready\"}");
    }
}
