package dev.tenon.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.hibernate.TenonId;
import dev.tenon.id.IdGenerator;
import dev.tenon.jackson.PublicId;
import dev.tenon.lock.Locks;
import dev.tenon.spring.CurrentLease;
import dev.tenon.spring.Locked;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The starter in an application of the line of Spring Boot before: each part once. */
class OlderBootTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "tenon.backend=jdbc",
                        "spring.datasource.url=jdbc:h2:mem:older",
                        "spring.application.name=older",
                        "management.endpoints.web.exposure.include=health,tenon,metrics",
                        "management.endpoint.health.show-details=always",
                        "management.health.redis.enabled=false",
                        "server.error.include-message=always",
                        "tenon.ids.order.kind=snowflake",
                        "tenon.public-ids.order.prefix=ord",
                        "tenon.public-ids.order.keys.1=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void itIsTheLineBefore() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    @Test
    void methodsAreLockedRoundTheirTransaction() {
        Account account = application.getBean(Account.class);
        account.add("a", 2, () -> assertThat(held("account:a")).isTrue());
        assertThat(held("account:a")).isFalse();
        JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
        assertThat(jdbc.queryForObject("select balance from account", Long.class))
                .isEqualTo(2);
        assertThatThrownBy(() -> account.add("a", 2, () -> {
                    throw new IllegalStateException("a mistake");
                }))
                .hasMessage("a mistake");
        assertThat(jdbc.queryForObject("select balance from account", Long.class))
                .isEqualTo(2);
    }

    @Test
    void numbersArePublicIdsOutside() throws Exception {
        String id = get("/new", 200).replace("\"", "").replaceAll(".*id:(ord_\\w{13}).*", "$1");
        assertThat(id).startsWith("ord_");
        assertThat(get("/orders/" + id, 200))
                .isEqualTo("{\"id\":\"%s\",\"together\":[\"%s\",\"%s\"]}".formatted(id, id, id));
        get("/orders/17", 400);
    }

    @Test
    void operatorsSeeWhatThereIs() throws Exception {
        get("/new", 200);
        assertThat(get("/actuator/health", 200)).contains("\"tenon\":{\"status\":\"UP\"", "\"backend\":\"jdbc\"");
        assertThat(get("/actuator/tenon", 200)).contains("\"kind\":\"snowflake\"");
        assertThat(get("/actuator/metrics/tenon.ids.issued", 200)).contains("order");
    }

    @Test
    void entitiesHaveIdentifiers() {
        try (EntityManager entities =
                application.getBean(EntityManagerFactory.class).createEntityManager()) {
            assertThat(org.hibernate.Version.getVersionString()).startsWith("6.");
            Parcel parcel = new Parcel();
            entities.getTransaction().begin();
            entities.persist(parcel);
            entities.getTransaction().commit();
            assertThat(application.getBean(JdbcTemplate.class).queryForObject("select id from parcel", Long.class))
                    .isEqualTo(parcel.id)
                    .isPositive();
        }
    }

    private static boolean held(String name) {
        return application.getBean(Locks.class).inspect(name).isPresent();
    }

    private static String get(String path, int status) throws Exception {
        return answer(HttpRequest.newBuilder(address(path)), status);
    }

    private static URI address(String path) {
        return URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path);
    }

    private static String answer(HttpRequest.Builder request, int status) throws Exception {
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Account.class, Orders.class})
    static class Application {}

    @Entity(name = "parcel")
    static class Parcel {
        @Id
        @TenonId("order")
        Long id;
    }

    record Order(
            @PublicId("order") long id, @PublicId("order") List<Long> together) {}

    @RestController
    static class Orders {
        private final IdGenerator order;

        Orders(IdGenerator order) {
            this.order = order;
        }

        @GetMapping("/new")
        Order create() {
            return new Order(order.nextId(), List.of());
        }

        @GetMapping("/orders/{id}")
        Order find(@PathVariable("id") @PublicId("order") long id) {
            return new Order(id, List.of(id, id));
        }
    }

    static class Account {
        private final JdbcTemplate jdbc;
        private final CurrentLease lease;

        Account(JdbcTemplate jdbc, CurrentLease lease) {
            this.jdbc = jdbc;
            this.lease = lease;
        }

        @Transactional
        @Locked(key = "'account:' + #name")
        public void add(String name, long amount, Runnable then) {
            assertThat(lease.token()).isPositive();
            jdbc.update("update account set balance = balance + ? where name = ?", amount, name);
            then.run();
        }
    }
}
