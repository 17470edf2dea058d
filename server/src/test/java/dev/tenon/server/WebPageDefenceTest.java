package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Limits;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page of another site can make a browser ask of a server on loopback. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebPageDefenceTest {
    private static final String NEXT = "POST /v1/ids/default/next";

    private Node node;

    @BeforeAll
    void start() {
        Protection protection = new Protection(
                Audit.LOG,
                Limits.DEFAULT,
                Optional.empty(),
                Set.of("ids.example.com"),
                Set.of("https://admin.example.com"),
                HttpTargets.ANY,
                WebhookSecrets.NONE,
                List.of());
        node = Node.start(NodeOptions.at("127.0.0.1", 0).withProtection(protection), new MemoryServerBackend());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private String answer(String line, String host, String... headers) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", node.port())) {
            StringBuilder request =
                    new StringBuilder(line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n");
            for (String header : headers) {
                request.append(header).append("\r\n");
            }
            socket.getOutputStream().write(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void assertRefused(String answer) {
        assertThat(answer).startsWith("HTTP/1.1 403").contains("cross-site");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:7700",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "1.2.3.4.5",
                "%41.evil.example",
                "a%41b",
                "a b"
            })
    void aNameThatSomebodyElseCanPointHereIsRefused(String host) throws IOException {
        assertRefused(answer(NEXT, host));
        assertRefused(answer("GET /v1/locks", host));
        assertThat(answer("GET /healthz", host)).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.0.0.1:7700",
                "localhost:7700",
                "[::1]:7700",
                "tenon",
                "a.localhost",
                "10.1.2.3",
                "ids.example.com",
                "IDS.example.com:443"
            })
    void namesThatLeadHereAreServed(String host) throws IOException {
        assertThat(answer(NEXT, host)).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: https://evil.example",
                "Origin: null",
                "Origin: http://localhost:3000",
                "Origin: http://127.0.0.1",
                "Origin: ",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site"
            })
    void aPageOfAnotherSiteChangesNothing(String header) throws IOException {
        assertRefused(answer(NEXT, "127.0.0.1:7700", header));
        assertRefused(answer("GET /v1/ids/default/next", "127.0.0.1:7700", header)); // an image on a page can ask so
        assertRefused(answer("DELETE /v1/locks/a?reason=r", "127.0.0.1:7700", header));
        assertRefused(answer("PUT /v1/ids/stolen", "127.0.0.1:7700", header));
        assertThat(answer("GET /v1/ids/default", "127.0.0.1:7700", header))
                .startsWith("HTTP/1.1 200")
                .doesNotContainIgnoringCase("Access-Control");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://127.0.0.1:7700",
                "Origin: https://admin.example.com",
                "Sec-Fetch-Site: same-origin",
                "Sec-Fetch-Site: none",
                "X-Nothing: at all"
            })
    void itsOwnPageAndThoseThatMayAreServed(String header) throws IOException {
        assertThat(answer(NEXT, "127.0.0.1:7700", header)).startsWith("HTTP/1.1 200");
    }

    @Test
    void aBrowserThatAsksBeforehandIsNotEncouraged() throws IOException {
        assertThat(answer("OPTIONS /v1/ids/default/next", "127.0.0.1", "Origin: https://evil.example"))
                .startsWith("HTTP/1.1 204")
                .doesNotContainIgnoringCase("Access-Control");
    }

    @Test
    void noAnswerIsTakenForSomethingElse() throws IOException {
        assertThat(answer("GET /healthz", "127.0.0.1").toLowerCase(java.util.Locale.ROOT))
                .contains("x-content-type-options: nosniff");
    }
}
