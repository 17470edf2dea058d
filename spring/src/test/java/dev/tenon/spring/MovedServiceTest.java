package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalTransactions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A service that gets another address while a decision is on its way to the old one. */
class MovedServiceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final AtomicBoolean takesDecisions = new AtomicBoolean();
    private HttpServer service;
    private String address;

    @BeforeEach
    void start() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            exchange.sendResponseHeaders(takesDecisions.get() ? 200 : 503, -1);
            exchange.close();
        });
        service.start();
        address = "http://localhost:" + service.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        service.stop(0);
    }

    @Test
    void theStartSaysToKeepTheOldAddressAndWithItTheRestIsDone() {
        try (ConfigurableApplicationContext before = start("stock=" + address)) {
            GlobalTransactions global = before.getBean(GlobalTransactions.class);
            global.call(
                    GlobalOptions.DEFAULT,
                    () -> global.exchange(address + "/take", header -> header, header -> header));
            assertThat(open(before)).isEqualTo(1);
        }
        String moved = "stock=http://moved.example:8080";
        assertThatThrownBy(() -> start(moved))
                .hasStackTraceContaining(address + GlobalTransactions.PATH)
                .extracting(MovedServiceTest::advice, InstanceOfAssertFactories.STRING)
                .contains("tenon.transactions.services.moved=" + address + ".", "close");
        takesDecisions.set(true);
        try (ConfigurableApplicationContext after = start(moved, "stock-old=" + address)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(open(after)).isZero());
        }
    }

    /** What stands under the failure of the start. */
    private static String advice(Throwable failure) {
        return new TenonFailureAnalyzer().analyze(failure).getAction();
    }

    private static int open(ConfigurableApplicationContext application) {
        Transactions log = application.getBean(Transactions.class);
        return log.list(TransactionFilter.ALL.in(TransactionState.COMMITTING), "", 10)
                .transactions()
                .size();
    }

    private ConfigurableApplicationContext start(String... services) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.application.name=orders",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=" + database,
                        "spring.sql.init.mode=never",
                        "tenon.backend=jdbc");
        for (String one : services) {
            application.properties("tenon.transactions.services." + one);
        }
        return application.run();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
