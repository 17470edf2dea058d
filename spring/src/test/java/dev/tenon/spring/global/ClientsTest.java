package dev.tenon.spring.global;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalTransactions;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.registry.HttpServiceGroup;
import org.springframework.web.service.registry.ImportHttpServices;

/** Which clients of Spring take part: each call has the header, once, as two would be two branches. */
class ClientsTest {
    private static JoiningService service;
    private static String address;
    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() throws IOException {
        service = JoiningService.start();
        address = service.address();
        application = start("");
    }

    @AfterAll
    static void stop() {
        application.close();
        service.close();
    }

    static Stream<Arguments> clients() {
        return Stream.of(
                client(
                        "RestClient.Builder of Spring Boot",
                        beans -> post(beans.getBean(RestClient.Builder.class).build())),
                client("RestClient.create() that is a bean", beans -> post(beans.getBean("created", RestClient.class))),
                client(
                        "RestClient of a builder, that is a bean",
                        beans -> post(beans.getBean("built", RestClient.class))),
                client(
                        "RestTemplateBuilder.build()",
                        beans -> post(beans.getBean(RestTemplateBuilder.class).build())),
                client(
                        "RestTemplate of a builder, that is a bean",
                        beans -> post(beans.getBean("builtTemplate", RestTemplate.class))),
                client(
                        "new RestTemplate() that is a bean",
                        beans -> post(beans.getBean("newTemplate", RestTemplate.class))),
                client(
                        "WebClient.Builder of Spring Boot",
                        beans -> post(beans.getBean(WebClient.Builder.class)
                                .clientConnector(new JdkClientHttpConnector())
                                .build())),
                client(
                        "WebClient.create() that is a bean",
                        beans -> post(beans.getBean("createdWeb", WebClient.class))),
                client(
                        "an interface over RestClient",
                        beans -> beans.getBean(Stock.class).take()),
                client(
                        "an interface over WebClient",
                        beans -> beans.getBean(WebStock.class).take()));
    }

    private static Arguments client(String name, Consumer<ConfigurableApplicationContext> call) {
        return Arguments.of(name, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("clients")
    void takesPartOnce(String name, Consumer<ConfigurableApplicationContext> call) {
        service.headers().clear();
        within(application, call);
        assertThat(service.headers())
                .singleElement()
                .satisfies(headers ->
                        assertThat(headers).singleElement().asString().endsWith(":stock"));
        service.headers().clear();
        call.accept(application);
        assertThat(service.headers()).containsExactly(List.of());
    }

    @Test
    void interfacesTakePartWithoutSpringBootsModulesToo() {
        String without = "org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration,"
                + "org.springframework.boot.webclient.autoconfigure.service.ReactiveHttpServiceClientAutoConfiguration";
        try (ConfigurableApplicationContext other = start(without)) {
            service.headers().clear();
            within(other, beans -> beans.getBean(Stock.class).take());
            within(other, beans -> beans.getBean(WebStock.class).take());
            assertThat(service.headers())
                    .hasSize(2)
                    .allSatisfy(headers -> assertThat(headers).hasSize(1));
        }
    }

    private static void within(ConfigurableApplicationContext beans, Consumer<ConfigurableApplicationContext> call) {
        beans.getBean(GlobalTransactions.class).call(GlobalOptions.DEFAULT, () -> {
            call.accept(beans);
            return true;
        });
    }

    private static void post(RestClient client) {
        client.post().uri(address + "/take").retrieve().toBodilessEntity();
    }

    private static void post(RestTemplate client) {
        client.postForLocation(address + "/take", null);
    }

    private static void post(WebClient client) {
        client.post().uri(address + "/take").retrieve().toBodilessEntity().block();
    }

    private static ConfigurableApplicationContext start(String without) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.application.name=orders",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "spring.autoconfigure.exclude=" + without,
                        "clients.address=" + address,
                        "tenon.backend=jdbc",
                        "tenon.transactions.services.stock=" + address)
                .run();
    }

    /** A client that is an interface. */
    interface Stock {
        @PostExchange("${clients.address}/take")
        void take();
    }

    /** The same, over WebClient. */
    interface WebStock {
        @PostExchange("${clients.address}/take")
        void take();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ImportHttpServices(group = "stock", types = Stock.class)
    @ImportHttpServices(group = "web", types = WebStock.class, clientType = HttpServiceGroup.ClientType.WEB_CLIENT)
    static class Application {
        @Bean
        RestClient created() {
            return RestClient.create();
        }

        @Bean
        RestClient built(RestClient.Builder builder) {
            return builder.build();
        }

        @Bean
        RestTemplate builtTemplate(RestTemplateBuilder builder) {
            return builder.build();
        }

        @Bean
        RestTemplate newTemplate() {
            return new RestTemplate();
        }

        @Bean
        WebClient createdWeb() {
            return WebClient.builder()
                    .clientConnector(new JdkClientHttpConnector())
                    .build();
        }
    }
}
