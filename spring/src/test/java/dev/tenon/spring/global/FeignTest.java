package dev.tenon.spring.global;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalTransactions;
import feign.Client;
import feign.Feign;
import feign.Request;
import feign.RequestLine;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** A client of another kind, OpenFeign's, takes part. */
class FeignTest {
    @Test
    void aClientOfFeignTakesPart() throws IOException {
        try (JoiningService service = JoiningService.start();
                ConfigurableApplicationContext application = start(service.address())) {
            String address = service.address();
            GlobalTransactions transactions = application.getBean(GlobalTransactions.class);
            Stock stock =
                    Feign.builder().client(application.getBean(Client.class)).target(Stock.class, address);
            transactions.call(GlobalOptions.DEFAULT, () -> call(stock::take));
            assertThat(service.headers())
                    .singleElement()
                    .satisfies(received ->
                            assertThat(received).singleElement().asString().endsWith(":stock"));
            stock.take();
            assertThat(service.headers()).hasSize(2).contains(List.of());
            assertThatThrownBy(() -> transactions.call(GlobalOptions.DEFAULT, () -> call(stock::lost)))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("\"stock\"");
        }
    }

    private static boolean call(Runnable work) {
        work.run();
        return true;
    }

    private static ConfigurableApplicationContext start(String address) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.application.name=orders",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "tenon.backend=jdbc",
                        "tenon.transactions.services.stock=" + address)
                .run();
    }

    /** The service that is called. */
    interface Stock {
        @RequestLine("POST /take")
        void take();

        /** Does not say that it took part. */
        @RequestLine("POST /lost")
        void lost();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        // tag::client[]
        @Bean
        Client feignClient(GlobalTransactions transactions) {
            Client plain = new Client.Default(null, null); // or the one that you have
            return (request, options) -> transactions.exchange(
                    request.url(),
                    header -> plain.execute(header == null ? request : with(request, header), options),
                    response -> response.headers().getOrDefault(GlobalTransactions.HEADER, List.of()).stream()
                            .findFirst()
                            .orElse(null));
        }

        private static Request with(Request request, String header) {
            Map<String, Collection<String>> headers = new TreeMap<>(request.headers());
            headers.put(GlobalTransactions.HEADER, List.of(header));
            return Request.create(
                    request.httpMethod(),
                    request.url(),
                    headers,
                    request.body(),
                    request.charset(),
                    request.requestTemplate());
        }
        // end::client[]
    }
}
