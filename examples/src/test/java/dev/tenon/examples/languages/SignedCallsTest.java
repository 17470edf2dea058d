package dev.tenon.examples.languages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.TimeSource;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.Protection;
import dev.tenon.server.StoreLocation;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSignature;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The participants in Python and Node, and a CGI program behind a shell script, take signed calls and no others. */
class SignedCallsTest {
    private static final String OLD = "whsec_" + "b2xkb25l".repeat(4);
    private static final String NEXT = "whsec_" + "bmV4dG9u+/8x".repeat(7);
    private static final String OTHER = "whsec_" + "b3RoZXIh".repeat(4);
    private static final String STOCK = "{\"sku\":\"A7\",\"count\":3,\"note\":\"水\"}";
    private static final String CARD = "{\"account\":\"alice\",\"cents\":-30}";
    private static final String BRANCH = "shop/stock.7";

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    /** A participant that is sent a request, and its status. */
    @FunctionalInterface
    private interface Receiver {
        int status(Map<String, String> headers, String body) throws Exception;
    }

    private Program participant(String language, String file, String data) throws Exception {
        return Program.start(
                folder,
                Map.of("CALL_SECRETS", NEXT + " " + OLD),
                Optional.empty(),
                List.of(language, file),
                folder.resolve(data).toString());
    }

    @Test
    void theServersCallsAreTakenAndNobodyElses() throws Exception {
        StoreLocation store = new StoreLocation("jdbc:h2:" + folder.resolve("log"), Optional.empty(), Optional.empty());
        try (Program python = participant("python3", "languages/stock-participant.py", "stock.db");
                Program node = participant("node", "languages/bank-participant.mjs", "bank.jsonl")) {
            String stock = python.line();
            String bank = node.line();
            Protection signing = Protection.DEFAULT
                    .withParticipants(HttpTargets.ANY.signedWith(Map.of(stock, "stock", bank, "bank")))
                    .withSecrets(name -> Optional.of(
                            name.equals("stock") ? WebhookSignature.of(OLD) : WebhookSignature.of(NEXT, OTHER)));
            try (Node server = Node.open(NodeOptions.at("127.0.0.1", 0).withProtection(signing), store)) {
                String saga = """
                        {"gid":"paid","kind":"saga","wait":true,"deadline":"PT60S","steps":[
                          {"name":"%s","action":"%s/","compensate":"%s/","payload":%s},
                          {"name":"card","action":"%s/","compensate":"%s/","payload":%s}]}
                        """.formatted(BRANCH, stock, stock, STOCK, bank, bank, CARD);
                assertThat(post("http://127.0.0.1:" + server.port() + "/v1/transactions", Map.of(), saga))
                        .isEqualTo(200);
            }
            assertThat(fetch(stock)).isEqualTo("{\"A7\": 7}");
            assertThat(fetch(bank)).isEqualTo("{\"alice\":70,\"bob\":0}");
            verifies((headers, body) -> post(stock, headers, body), STOCK);
            verifies((headers, body) -> post(bank, headers, body), CARD);
            assertThat(fetch(stock)).isEqualTo("{\"A7\": 4}");
            assertThat(fetch(bank)).isEqualTo("{\"alice\":40,\"bob\":0}");
        }
        verifies(this::cgi, STOCK);
    }

    private static void verifies(Receiver receiver, String body) throws Exception {
        TimeSource now = TimeSource.system();
        Map<String, String> good = headers(OLD, now, body);
        assertThat(receiver.status(good, body)).isEqualTo(200);
        assertThat(receiver.status(good, body))
                .as("again: the barrier knows it")
                .isEqualTo(200);
        assertThat(receiver.status(headers(NEXT, now, body), body)).isEqualTo(200);

        assertThat(receiver.status(Map.of(), body)).isEqualTo(401);
        assertThat(receiver.status(headers(OTHER, now, body), body)).isEqualTo(401);
        assertThat(receiver.status(good, body + " ")).isEqualTo(401);
        assertThat(receiver.status(with(good, "Tenon-Operation", "compensate"), body))
                .isEqualTo(401);
        Map<String, String> undo = with(good, "Tenon-Operation", "compensate");
        assertThat(receiver.status(with(undo, "webhook-id", "g/shop%2Fstock%2E7/compensate"), body))
                .isEqualTo(401);
        assertThat(receiver.status(with(good, "webhook-timestamp", "soon"), body))
                .isEqualTo(401);
        for (Duration off : List.of(Duration.ofMinutes(-6), Duration.ofMinutes(6))) {
            TimeSource then = new ManualClock(now.now().plus(off));
            assertThat(receiver.status(headers(OLD, then, body), body)).isEqualTo(401);
        }
    }

    private static Map<String, String> headers(String secret, TimeSource time, String body) {
        BranchCall call =
                new BranchCall(new TransactionId("g"), BRANCH, Operation.ACTION, "http://here/", body, Map.of(), 1);
        Map<String, String> headers = new HashMap<>(
                CallSignature.of(WebhookSignature.of(secret), time).sign(call));
        headers.putAll(Map.of("Tenon-Gid", "g", "Tenon-Branch", BRANCH, "Tenon-Operation", "action"));
        return headers;
    }

    private static Map<String, String> with(Map<String, String> headers, String name, String value) {
        Map<String, String> changed = new HashMap<>(headers);
        changed.put(name, value);
        return changed;
    }

    private int post(String url, Map<String, String> headers, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).POST(BodyPublishers.ofString(body));
        headers.forEach(request::header);
        return http.send(request.build(), BodyHandlers.discarding()).statusCode();
    }

    private String fetch(String url) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .body();
    }

    /** As a server that speaks CGI (RFC 3875) does it. */
    private int cgi(Map<String, String> headers, String body) throws Exception {
        Map<String, String> environment = new HashMap<>(Map.of("CALL_SECRETS", NEXT + " " + OLD));
        environment.put("CONTENT_LENGTH", String.valueOf(body.getBytes(StandardCharsets.UTF_8).length));
        headers.forEach((name, value) ->
                environment.put("HTTP_" + name.toUpperCase(Locale.ROOT).replace('-', '_'), value));
        try (Program script = Program.start(
                folder, environment, Optional.of(body), List.of("sh", "languages/signed-call.sh"), "cat")) {
            Program.End end = script.end();
            assertThat(end.exitCode()).as("%s", end).isZero();
            if (end.lines().get(0).startsWith("Status: 401")) {
                return 401;
            }
            assertThat(end.lines()).containsExactly(body);
            return 200;
        }
    }
}
