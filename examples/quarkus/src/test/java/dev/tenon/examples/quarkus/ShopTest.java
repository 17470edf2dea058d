package dev.tenon.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.tx.message.Outbox;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The application as it is started, used over HTTP. */
@QuarkusTest
class ShopTest {
    @TestHTTPResource
    URI shop;

    @Inject
    Outbox outbox;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void sellsWhatThereIsAndGivesPointsForEachOrder() throws Exception {
        List<HttpResponse<String>> sold = answers(IntStream.range(0, 20)
                .mapToObj(i -> order(i % 2 == 0 ? "ann" : "bob"))
                .toList());
        assertThat(sold)
                .allMatch(answer -> answer.statusCode() == 200)
                .extracting(HttpResponse::body)
                .doesNotHaveDuplicates()
                .allMatch(body -> body.matches("\\{\"id\":\"\\d+\"}"));
        List<HttpResponse<String>> soldOut =
                answers(IntStream.range(0, 5).mapToObj(i -> order("eve")).toList());
        assertThat(soldOut).allMatch(answer -> answer.statusCode() == 409);
        await().atMost(Duration.ofSeconds(60)).until(() -> outbox.lag().isEmpty());
        assertThat(points("ann")).isEqualTo(10);
        assertThat(points("bob")).isEqualTo(10);
        // What was sold out has sent nothing: its message was rolled back with its order.
        assertThat(points("eve")).isZero();
    }

    private static <T> List<T> answers(List<CompletableFuture<T>> asked) {
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private CompletableFuture<HttpResponse<String>> order(String customer) {
        URI address = shop.resolve("orders?item=chair&customer=" + customer);
        return http.sendAsync(
                HttpRequest.newBuilder(address).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    private int points(String customer) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(shop.resolve("points/" + customer)).build();
        return Integer.parseInt(http.send(request, BodyHandlers.ofString()).body());
    }
}
