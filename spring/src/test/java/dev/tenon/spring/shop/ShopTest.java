package dev.tenon.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The shop, as its customers and its operators see it. */
class ShopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext shop;

    @BeforeAll
    static void open() {
        shop = new SpringApplicationBuilder(Shop.class)
                .properties(
                        "spring.config.name=shop",
                        "SHOP_DATABASE=jdbc:h2:mem:shop",
                        "ORDER_KEY=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
                .run();
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    @Test
    void nothingIsSoldTwice() {
        JdbcTemplate jdbc = shop.getBean(JdbcTemplate.class);
        jdbc.update("insert into stock values ('table', 10)");
        List<CompletableFuture<Integer>> sales = IntStream.range(0, 12)
                .mapToObj(i -> HTTP.sendAsync(
                                post("/orders", "{\"item\":\"table\"}"), HttpResponse.BodyHandlers.ofString())
                        .thenApply(HttpResponse::statusCode))
                .toList();
        assertThat(sales.stream().map(CompletableFuture::join).filter(status -> status == 200))
                .hasSize(10);
        assertThat(sales.stream().map(CompletableFuture::join).filter(status -> status == 409))
                .hasSize(2);
        assertThat(jdbc.queryForObject("select count(distinct token) from orders where item = 'table'", Integer.class))
                .isEqualTo(10);
        await().atMost(PATIENCE).until(() -> jdbc.queryForObject("select orders from report", Integer.class) >= 10);
    }

    @Test
    void numbersArePublicIdsOutside() throws Exception {
        String order = body(send(post("/orders", "{\"item\":\"chair\"}")), 200);
        Matcher id = Pattern.compile(
                        "\\{\"id\":\"(ord_\\w{13})\",\"item\":\"chair\",\"together\":\\[\"(ord_\\w{13})\"]}")
                .matcher(order);
        assertThat(id.matches()).as(order).isTrue();
        assertThat(id.group(1)).isEqualTo(id.group(2));
        assertThat(body(send(get("/orders/" + id.group(1))), 200)).contains(id.group(1), "chair");
        assertThat(body(send(get("/item?id=" + id.group(1))), 200)).isEqualTo("chair");
        String echo = "{\"id\":\"" + id.group(1) + "\",\"item\":\"\",\"together\":[\"" + id.group(1) + "\"]}";
        assertThat(body(send(post("/echo", echo)), 200)).matches("\\[(\\d+),\\1]");
    }

    @Test
    void whatIsNoPublicIdIsABadRequest() throws Exception {
        body(send(get("/orders/1")), 400);
        body(send(get("/orders/ord_1111111111111")), 400);
        body(send(get("/item?id=17")), 400);
        body(send(post("/echo", "{\"id\":17,\"item\":\"\",\"together\":[]}")), 400);
        body(send(post("/echo", "{\"id\":\"ord_x\",\"item\":\"\",\"together\":[]}")), 400);
    }

    @Test
    void operatorsSeeWhatThereIs() throws Exception {
        body(send(post("/orders", "{\"item\":\"chair\"}")), 200);
        assertThat(body(send(get("/actuator/health")), 200)).contains("\"tenon\":{", "\"backend\":\"jdbc\"");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(body(send(get("/actuator/tenon")), 200))
                        .contains(
                                "\"backend\":\"jdbc\"",
                                "\"name\":\"report\"",
                                "\"state\":\"held\"",
                                "\"leads\":[\"report\"]",
                                "{\"name\":\"order\",\"kind\":\"snowflake\",\"issued\":"));
        assertThat(body(send(get("/actuator/metrics/tenon.ids.issued?tag=name:order")), 200))
                .containsPattern("\"value\":[1-9]");
        assertThat(body(send(get("/actuator/metrics/tenon.locks.granted")), 200))
                .containsPattern("\"value\":[1-9]");
        assertThat(body(send(get("/actuator/metrics/tenon.locks.held")), 200)).contains("\"value\":");
        assertThat(body(send(get("/actuator/metrics/tenon.locks.lost")), 200)).contains("\"value\":0.0");
        assertThat(body(send(get("/actuator/metrics/tenon.locked.wait?tag=method:Stock.sell")), 200))
                .contains("COUNT");
        assertThat(body(send(get("/actuator/metrics/tenon.locked.run?tag=method:Stock.sell")), 200))
                .contains("COUNT");
    }

    @Test
    void threadsAreVirtualWhereThereAreAny() throws Exception {
        boolean virtual = body(send(get("/thread")), 200).startsWith("VirtualThread");
        assertThat(virtual).isEqualTo(Runtime.version().feature() >= 21);
    }

    private static String body(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest get(String path) {
        return HttpRequest.newBuilder(at(path)).timeout(PATIENCE).build();
    }

    private static HttpRequest post(String path, String json) {
        return HttpRequest.newBuilder(at(path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
    }

    private static URI at(String path) {
        return URI.create("http://localhost:" + shop.getEnvironment().getProperty("local.server.port") + path);
    }
}
