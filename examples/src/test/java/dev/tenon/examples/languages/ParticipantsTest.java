package dev.tenon.examples.languages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.StoreLocation;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A saga over a participant in Python and one in Node, each with a barrier of its own, driven by a server over H2. */
class ParticipantsTest {
    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @Test
    void aSagaTakesFromBothOrFromNeitherHoweverOftenTheyAreCalled() throws Exception {
        StoreLocation store = new StoreLocation("jdbc:h2:" + folder.resolve("log"), Optional.empty(), Optional.empty());
        try (Program python = participant("python3", "languages/stock-participant.py", "stock.db");
                Program node = participant("node", "languages/bank-participant.mjs", "bank.jsonl");
                Node server = Node.open(NodeOptions.at("127.0.0.1", 0), store)) {
            String stock = python.line();
            String bank = node.line();
            String transactions = "http://127.0.0.1:" + server.port() + "/v1/transactions";

            assertThat(post(transactions, saga("paid", stock, bank, -30))).contains("\"state\":\"COMMITTED\"");
            assertThat(fetch(stock)).isEqualTo("{\"A7\": 7}");
            assertThat(fetch(bank)).isEqualTo("{\"alice\":70,\"bob\":0}");

            // The bank refuses: what was taken is put back.
            assertThat(post(transactions, saga("too-dear", stock, bank, -300))).contains("\"state\":\"ABORTED\"");
            assertThat(fetch(stock)).isEqualTo("{\"A7\": 7}");
            assertThat(fetch(bank)).isEqualTo("{\"alice\":70,\"bob\":0}");

            // Calls that come twice, after what undid them, or undo what never was, change nothing.
            for (String[] late : List.of(
                    new String[] {stock, "paid", "stock", "action", "200"},
                    new String[] {stock, "too-dear", "stock", "compensate", "200"},
                    new String[] {stock, "never", "stock", "compensate", "200"},
                    new String[] {stock, "never", "stock", "action", "409"},
                    new String[] {bank, "paid", "card", "action", "200"},
                    new String[] {bank, "never", "card", "compensate", "200"},
                    new String[] {bank, "never", "card", "action", "409"})) {
                assertThat(called(late)).as(String.join(" ", late)).isEqualTo(Integer.parseInt(late[4]));
            }
            assertThat(fetch(stock)).isEqualTo("{\"A7\": 7}");
            assertThat(fetch(bank)).isEqualTo("{\"alice\":70,\"bob\":0}");
        }
    }

    private Program participant(String language, String file, String data) throws IOException {
        return Program.start(
                folder, List.of(language, file), folder.resolve(data).toString());
    }

    private static String saga(String gid, String stock, String bank, int cents) {
        return """
                {"gid":"%s","kind":"saga","wait":true,"deadline":"PT60S","steps":[
                  {"name":"stock","action":"%s/","compensate":"%s/","payload":{"sku":"A7","count":3}},
                  {"name":"card","action":"%s/","compensate":"%s/","payload":{"account":"alice","cents":%d}}]}
                """.formatted(gid, stock, stock, bank, bank, cents);
    }

    private int called(String[] call) throws IOException, InterruptedException {
        String payload =
                call[2].equals("stock") ? "{\"sku\":\"A7\",\"count\":3}" : "{\"account\":\"alice\",\"cents\":-30}";
        HttpRequest request = HttpRequest.newBuilder(URI.create(call[0]))
                .header("Tenon-Gid", call[1])
                .header("Tenon-Branch", call[2])
                .header("Tenon-Operation", call[3])
                .POST(BodyPublishers.ofString(payload))
                .build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    private String post(String url, String body) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create(url))
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    private String fetch(String url) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .body();
    }
}
