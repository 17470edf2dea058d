package dev.tenon.spring.everyboot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A web application with the actuator, on virtual threads where there are any. */
record BootApplication(ConfigurableApplicationContext context) implements AutoCloseable {
    private static final String[] ALWAYS = {
        "server.port=0",
        "spring.main.banner-mode=off",
        "spring.application.name=everyboot",
        "spring.sql.init.mode=never",
        "spring.threads.virtual.enabled=true",
        "management.endpoints.web.exposure.include=*",
        "management.endpoint.tenontransactions.access=unrestricted",
        "management.endpoint.tenonoutbox.access=unrestricted",
        "management.endpoint.health.show-details=always",
        "management.health.redis.enabled=false",
        // the same in Spring Boot 3 and 4
        "server.error.include-message=always",
        "spring.web.error.include-message=always"
    };

    static BootApplication start(Class<?> application, String... properties) {
        String[] all = Stream.of(
                        ALWAYS,
                        // Spring Boot finds a database in memory, and wants to be told its name.
                        new String[] {"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()},
                        properties)
                .flatMap(Stream::of)
                .toArray(String[]::new);
        return new BootApplication(
                new SpringApplicationBuilder(application).properties(all).run());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    URI address(String path) {
        return URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path);
    }

    String get(String path, int status) throws IOException, InterruptedException {
        return answer(HttpRequest.newBuilder(address(path)), status);
    }

    String post(String path, String json, int status) throws IOException, InterruptedException {
        return answer(
                HttpRequest.newBuilder(address(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json)),
                status);
    }

    String answer(HttpRequest.Builder request, int status) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    @Override
    public void close() {
        context.close();
    }
}
