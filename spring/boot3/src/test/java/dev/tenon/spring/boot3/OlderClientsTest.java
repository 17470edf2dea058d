package dev.tenon.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalTransactions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;

/** Clients that Spring Boot 3.5 makes take part in global transactions, once each. */
class OlderClientsTest {
    private final Queue<List<String>> headers = new ConcurrentLinkedQueue<>();

    @Test
    void clientsOfSpringBootTakePart() throws IOException {
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/take", exchange -> {
            List<String> received = exchange.getRequestHeaders().getOrDefault(GlobalTransactions.HEADER, List.of());
            headers.add(received);
            exchange.getResponseHeaders().put(GlobalTransactions.HEADER, received);
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        service.createContext(GlobalTransactions.PATH, exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        service.start();
        String address = "http://localhost:" + service.getAddress().getPort();
        try (ConfigurableApplicationContext application = start(address)) {
            RestClient client = application.getBean(RestClient.Builder.class).build();
            var template = application.getBean(RestTemplateBuilder.class).build();
            application.getBean(GlobalTransactions.class).call(GlobalOptions.DEFAULT, () -> {
                client.post().uri(address + "/take").retrieve().toBodilessEntity();
                return template.postForLocation(address + "/take", null);
            });
            assertThat(headers)
                    .hasSize(2)
                    .allSatisfy(received ->
                            assertThat(received).singleElement().asString().endsWith(":stock"));
        } finally {
            service.stop(0);
        }
    }

    private static ConfigurableApplicationContext start(String address) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "tenon.backend=jdbc",
                        "spring.application.name=orders",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=jdbc:h2:mem:older-clients",
                        "spring.sql.init.mode=never",
                        "tenon.ids.order.kind=snowflake", // an entity of another test has them
                        "tenon.transactions.services.stock=" + address)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
