package dev.tenon.spring.global;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tenon.tx.global.GlobalTransactions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A service that has transactions and joins none. */
class RefusedCallTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext service;

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.tenon.spring.GlobalTransactionRefusal");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeAll
    static void start() {
        service = new SpringApplicationBuilder(Application.class)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.application.name=stock",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "server.port=0",
                        "tenon.backend=jdbc",
                        "tenon.transactions.automatic-undo=dataSource")
                .run();
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(Level.WARN);
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
    }

    @Test
    void whatIsPartOfATransactionIsRefusedBeforeAnythingIsDone() throws Exception {
        HttpResponse<String> refused = post("/take", "gid:stock");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("set tenon.transactions.join");
        assertThat(post("/take", "gid:stock").statusCode()).isEqualTo(400);
        assertThat(service.getBean(Stock.class).taken).isEmpty();
        HttpResponse<String> decision = post(GlobalTransactions.PATH, "");
        assertThat(decision.statusCode()).isEqualTo(404);
        assertThat(decision.body()).contains("set tenon.transactions.join");
        assertThat(post("/take", "").statusCode()).isEqualTo(200);
        assertThat(service.getBean(Stock.class).taken).hasSize(1);
        assertThat(lines.list).singleElement().asString().contains("set tenon.transactions.join", "127.0.0.1");
    }

    private static HttpResponse<String> post(String path, String header) throws IOException, InterruptedException {
        String port = service.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .POST(HttpRequest.BodyPublishers.noBody());
        if (!header.isEmpty()) {
            request.header(GlobalTransactions.HEADER, header);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stock.class)
    static class Application {}

    @RestController
    static class Stock {
        private final List<String> taken = new ArrayList<>();

        @PostMapping("/take")
        String take() {
            taken.add("water");
            return "taken";
        }
    }
}
