package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose bytes are not as HTTP has them: each is told so before its connection ends. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrokenFramingTest {
    private static final String HOST = "Host: 127.0.0.1\r\n";
    private static final String CHUNKED =
            "POST /v1/sessions HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String WHOLE = "{\"ttl\":\"PT10M\",\"owner\":\"x\"}";
    private static final int PATIENCE_MILLIS = 60_000;

    private Node node;

    @BeforeAll
    void start() {
        node = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", node.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** All that comes until the server ends the connection, as it must. */
    private static String rest(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        }
    }

    private static void assertProblem(String answer) {
        assertThat(answer).startsWith("HTTP/1.1 4").contains("urn:tenon:problem:", "application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ZZ\r\n",
                "-1\r\n",
                "FFFFFFFFFFFFFFFFFF\r\n",
                "80000000\r\n",
                "0x5\r\nhello\r\n0\r\n\r\n",
                " \r\n",
                "\r\n",
                "5 5\r\nhello\r\n0\r\n\r\n",
                "5\r\nhelloX\r\n0\r\n\r\n",
                "5\r\nhello0\r\n\r\n",
                "5\nhello\n0\n\n",
                "5;a=\nb\r\nhello\r\n0\r\n\r\n",
                "5;\u0000\r\nhello\r\n0\r\n\r\n",
                "2\r\n{}\r\n0\r\nBad Trailer\r\n\r\n",
                "2\r\n{}\r\n0\r\nX: a\r\n: b\r\n\r\n",
            })
    void abrokenChunkIsAnswered(String body) throws IOException {
        try (Socket socket = connect()) {
            send(socket, CHUNKED + body);
            assertProblem(rest(socket));
        }
        try (Socket socket = connect()) {
            send(socket, CHUNKED);
            for (String part : body.split("(?<=\n)")) {
                sendUnlessEnded(socket, part);
            }
            assertProblem(rest(socket));
        }
    }

    private static void sendUnlessEnded(Socket socket, String text) throws IOException {
        try {
            send(socket, text);
        } catch (SocketException e) {
            // its answer is there already
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5;", "0\r\nX-Long: ", "0\r\nX: y\r\n"})
    void oneThatNeverEndsIsAnsweredThoughItsSenderGoesOn(String begin) throws IOException {
        try (Socket socket = connect()) {
            send(socket, CHUNKED + begin);
            OutputStream out = socket.getOutputStream();
            byte[] flood = (begin.endsWith("\n") ? "Trailer: value\r\n" : "abcdefghijklmnop")
                    .repeat(64)
                    .getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 512; i++) { // half a megabyte: more than any buffer on the way
                out.write(flood);
            }
            assertProblem(rest(socket));
        }
    }

    @Test
    void whatStandsBehindABrokenChunkIsNeverDone() throws IOException {
        try (Socket socket = connect()) {
            send(socket, CHUNKED + "ZZ\r\n\r\nPOST /v1/ids/default/next HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(rest(socket)).startsWith("HTTP/1.1 400").doesNotContain("\"ids\"", "HTTP/1.1 200");
        }
    }

    @Test
    void aBrokenBodyOfARequestThatWaitsItsTurnIsAnsweredToo() throws IOException {
        try (Socket socket = connect()) {
            send(socket, "GET /healthz HTTP/1.1\r\n" + HOST + "\r\n" + CHUNKED + "ZZ\r\n");
            assertThat(rest(socket)).startsWith("HTTP/1.1 200").contains("HTTP/1.1 400", "urn:tenon:problem:");
        }
    }

    @Test
    void aBodyThatIsAsItShouldBeIsServed() throws IOException {
        try (Socket socket = connect()) {
            send(
                    socket,
                    CHUNKED + Integer.toHexString(WHOLE.length()) + ";name=value\r\n" + WHOLE
                            + "\r\n0\r\nX: y\r\n\r\n");
            assertThat(rest(socket)).startsWith("HTTP/1.1 201");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/locks/a\u0000b HTTP/1.1\r\n" + HOST,
                "GET /v1/locks/%00 HTTP/1.1\r\n" + HOST,
                "GET /v1/locks/%zz HTTP/1.1\r\n" + HOST,
                "GET /v1/locks/%c3%28 HTTP/1.1\r\n" + HOST,
                "GET /v1/locks?prefix=%ff HTTP/1.1\r\n" + HOST,
                "GET http://evil.example/v1/locks HTTP/1.1\r\n" + HOST,
                "GET http://127.0.0.1:1/v1/locks HTTP/1.1\r\n" + HOST,
                "GET https://127.0.0.1 HTTP/1.1\r\n" + HOST,
                "GET http:// HTTP/1.1\r\n" + HOST,
                "GET http:///v1/locks HTTP/1.1\r\n" + HOST,
                "GET v1/locks HTTP/1.1\r\n" + HOST,
                "GET //evil.example/v1/locks HTTP/1.1\r\n" + HOST,
                "GET ?a HTTP/1.1\r\n" + HOST,
                "GET #a HTTP/1.1\r\n" + HOST,
                "GET * HTTP/1.1\r\n" + HOST,
                "CONNECT evil.example:443 HTTP/1.1\r\n" + HOST,
                "GET /v1/locks HTTP/1.1\r\nHost: a%41b\r\n",
                "GET /v1/locks HTTP/1.1\r\nHost: a b\r\n",
                "GET /v1/locks HTTP/1.1\r\nHost: \r\n",
                "GET /v1/locks HTTP/1.1\r\nHost: [::1\r\n",
                "GET /v1/locks HTTP/1.1\r\nHost: a:99999\r\n",
                "GET /v1/locks HTTP/1.1\r\n" + HOST + "X: a\r\n b\r\nNo-Colon\r\n",
                "GET /v1/locks HTTP/1.1\r\n" + HOST + " X: a\r\n: b\r\n",
                "GET  /v1/locks  HTTP/1.1\r\n" + HOST + "\u0000: a\r\n",
            })
    void aHeadThatIsWrongIsAnswered(String head) throws IOException {
        try (Socket socket = connect()) {
            send(socket, head + "Connection: close\r\n\r\n");
            assertProblem(rest(socket));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /healthz HTTP/1.1\r\n" + HOST + "Expect: the unexpected\r\n",
                "GET /healthz HTTP/1.1\r\n" + HOST + "Expect: 100-continue\r\n",
                "GET /healthz HTTP/1.1\r\n" + HOST + "X: a\r\n b\r\n",
                "GET http://127.0.0.1/healthz HTTP/1.1\r\n" + HOST,
                "OPTIONS * HTTP/1.1\r\n" + HOST,
            })
    void whatIsUnusualAndAllowedIsServed(String head) throws IOException {
        try (Socket socket = connect()) {
            send(socket, head + "Connection: close\r\n\r\n");
            assertThat(rest(socket)).containsPattern("HTTP/1.1 20[04]").doesNotContain("HTTP/1.1 4", "HTTP/1.1 5");
        }
    }
}
