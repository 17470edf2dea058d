package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import dev.tenon.tx.xa.XaDatabase;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What operators see of transactions, and what is said when their configuration is wrong. */
class TransactionOperationsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
            .withPropertyValues(
                    "tenon.backend=jdbc",
                    "spring.application.name=shop",
                    "management.endpoints.web.exposure.include=*",
                    "tenon.jdbc.allow-in-memory-database=true",
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void theEndpointShowsAndDoesWhatAnOperatorAsksFor() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting).run(context -> {
            TransactionsEndpoint endpoint = context.getBean(TransactionsEndpoint.class);
            TransactionId gid = new TransactionId("order-1");
            context.getBean(Sagas.class).start("order", gid, "{\"card\":\"card-4711\"}");
            assertThat(list(endpoint, "active", null).transactions())
                    .extracting(TransactionsEndpoint.Line::gid)
                    .containsExactly("order-1");
            assertThat(list(endpoint, null, true).transactions()).isEmpty();
            assertThat(endpoint.find("order-2")).isNull();

            endpoint.act("order-1", "suspend", "ann", "to look at it");
            assertThat(list(endpoint, null, true).transactions()).hasSize(1);
            TransactionsEndpoint.Detail detail = Objects.requireNonNull(endpoint.find("order-1"));
            assertThat(detail.transaction().suspended()).isEqualTo("to look at it");
            assertThat(detail.branches())
                    .extracting(TransactionsEndpoint.Branch::name)
                    .containsExactly("stock");
            assertThat(detail.history()).anyMatch(line -> line.by().equals("ann"));
            assertThat(detail.toString()).doesNotContain("card-4711");

            endpoint.act("order-1", "resume", "ann", null);
            assertThat(list(endpoint, null, true).transactions()).isEmpty();
            assertThatThrownBy(() -> endpoint.act("order-1", "delete", "ann", null))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("retry");
            assertThatThrownBy(() -> endpoint.act("order-2", "retry", "ann", null))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            assertThatThrownBy(() -> list(endpoint, "done", null))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("COMMITTED");
            assertThatThrownBy(() -> endpoint.find("not/an/id")).isInstanceOf(InvalidEndpointRequestException.class);
        });
    }

    private static TransactionsEndpoint.Page list(
            TransactionsEndpoint endpoint, @Nullable String state, @Nullable Boolean stuck) {
        return endpoint.list(state, null, stuck, null, null, null, null, null, null);
    }

    @Test
    void theListIsNarrowedAndGoesOnWhereItEnded() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting).run(context -> {
            TransactionsEndpoint endpoint = context.getBean(TransactionsEndpoint.class);
            Sagas sagas = context.getBean(Sagas.class);
            for (int i = 0; i < 101; i++) {
                sagas.start("order", new TransactionId("order-" + i), "{}");
            }
            TransactionsEndpoint.Page first = list(endpoint, "active", null);
            assertThat(first.transactions()).hasSize(100);
            assertThat(first.transactions().get(0).gid()).isEqualTo("order-100");
            TransactionsEndpoint.Page last =
                    endpoint.list("active", null, null, null, null, null, null, null, first.next());
            assertThat(last.transactions())
                    .extracting(TransactionsEndpoint.Line::gid)
                    .containsExactly("order-0");
            assertThat(last.next()).isNull();
            assertThat(endpoint.list(null, "saga", null, "shop", "order-7", null, null, null, null)
                            .transactions())
                    .hasSize(11);
            assertThat(endpoint.list(null, null, null, "bank", null, null, null, null, null)
                            .transactions())
                    .isEmpty();
            assertThat(endpoint.list(null, null, null, null, null, Duration.ofDays(1), null, null, null)
                            .transactions())
                    .isEmpty();
            assertThat(endpoint.list(null, null, null, null, "order-100", null, Duration.ofDays(1), null, null)
                            .transactions())
                    .hasSize(1);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !endpoint.list(null, null, null, null, null, null, null, "NOT YET", null)
                            .transactions()
                            .isEmpty());
            assertThatThrownBy(() -> endpoint.list(null, "sagas", null, null, null, null, null, null, null))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            assertThatThrownBy(() -> endpoint.list(null, null, null, null, null, null, null, null, "order-1"))
                    .isInstanceOf(InvalidEndpointRequestException.class);
        });
    }

    @Test
    void whatDoesNotGetOnIsReportedCountedAndClosedAsItIs() {
        MessageSink sink = MessageHandlers.none().with("points", message -> Reply.done());
        runner.withBean(
                        "card",
                        TccParticipant.class,
                        () -> TccParticipant.of(
                                call -> Reply.done(), call -> Reply.notYet("the bank is closed"), call -> Reply.done()))
                .withBean(MessageSink.class, () -> sink)
                .withPropertyValues(
                        "tenon.transactions.stuck-after-calls=1",
                        "tenon.transactions.stuck-after=1h",
                        "tenon.transactions.health-when-stuck=out-of-service")
                .run(context -> {
                    MeterRegistry registry = new SimpleMeterRegistry();
                    context.getBeansOfType(MeterBinder.class).values().forEach(meters -> meters.bindTo(registry));
                    HealthIndicator health = context.getBean("tenonHealthIndicator", HealthIndicator.class);
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(health.health().getDetails())
                            .containsEntry("transactions", Map.of("stuck", 0L, "suspended", 0L));
                    TransactionId gid = new TransactionId("pay-1");
                    try (TccTransaction tx = context.getBean(Tcc.class).begin(gid, TccBranch.of("card", "10"))) {
                        tx.commit();
                    }
                    TransactionsEndpoint endpoint = context.getBean(TransactionsEndpoint.class);
                    Awaitility.await()
                            .atMost(PATIENCE)
                            .until(() ->
                                    !list(endpoint, null, true).transactions().isEmpty());
                    assertThat(list(endpoint, "committing", true).transactions().get(0))
                            .satisfies(line -> assertThat(line.suspended()).isNull())
                            .satisfies(line -> assertThat(line.failingSince()).isNotNull())
                            .satisfies(line -> assertThat(line.stuckAt()).isNotNull());
                    assertThat(registry.get("tenon.transactions.stuck").gauge().value())
                            .isEqualTo(1);
                    assertThat(registry.get("tenon.transactions.suspended")
                                    .gauge()
                                    .value())
                            .isZero();
                    Health stuck = health.health();
                    assertThat(stuck.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(stuck.getDetails().get("transactions"))
                            .asString()
                            .contains("stuck=1", "suspended=0", "oldest=");

                    assertThatThrownBy(() -> endpoint.act("pay-1", "close", "ann", " "))
                            .isInstanceOf(InvalidEndpointRequestException.class)
                            .hasMessageContaining("why");
                    TransactionsEndpoint.Detail closed = endpoint.act("pay-1", "close", "ann", "confirmed by phone");
                    assertThat(closed.transaction().state()).isEqualTo("closed");
                    assertThat(closed.transaction().suspended()).isNull();
                    assertThat(closed.transaction().closed()).isEqualTo("closed by ann: confirmed by phone");
                    assertThatThrownBy(() -> endpoint.act("pay-1", "abort", "ann", "late"))
                            .isInstanceOf(InvalidEndpointRequestException.class);
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(registry.get("tenon.transactions.stuck").gauge().value())
                            .isZero();
                    assertThat(registry.get("tenon.transactions")
                                    .tags("kind", "tcc", "state", "closed")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void healthIsWellByItselfWhileSomethingIsStuck() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting).run(context -> {
            context.getBean(Sagas.class).start("order", new TransactionId("order-1"), "{}");
            context.getBean(TransactionsEndpoint.class).act("order-1", "suspend", "ann", "to look at it");
            Health health = context.getBean("tenonHealthIndicator", HealthIndicator.class)
                    .health();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails().get("transactions")).asString().contains("stuck=1", "suspended=1");
        });
    }

    @Test
    void aLimitThatIsNoneEndsTheStart() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting)
                .withPropertyValues("tenon.transactions.stuck-after-calls=0")
                .run(context ->
                        assertThat(analysis(context).getAction()).contains("tenon.transactions.stuck-after-calls"));
    }

    @Test
    void endsAreCountedBesideTheApplicationsOwnListener() {
        MessageSink sink = MessageHandlers.none().with("points", message -> Reply.done());
        runner.withBean(
                        Saga.class,
                        () -> Saga.named("order", 1)
                                .step("stock", call -> Reply.done(), call -> Reply.done())
                                .build())
                .withBean(MessageSink.class, () -> sink)
                .run(context -> {
                    MeterRegistry registry = new SimpleMeterRegistry();
                    context.getBeansOfType(MeterBinder.class).values().forEach(meters -> meters.bindTo(registry));
                    Transactions transactions = context.getBean(Transactions.class);
                    transactions.tell(tx -> {});
                    TransactionId gid = transactions.newId();
                    context.getBean(Sagas.class).start("order", gid, "{}");
                    Awaitility.await()
                            .atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(registry.find("tenon.transactions")
                                            .tags("kind", "saga", "state", "committed")
                                            .counters())
                                    .extracting(Counter::count)
                                    .containsExactly(1.0));
                    assertThat(registry.get("tenon.outbox.lag").timeGauge().value())
                            .isZero();
                });
    }

    @Test
    void recoveryOutlivesTheWebServer() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting)
                .run(context -> assertThat(
                                context.getBean(TransactionsAutoConfiguration.WithParticipants.Recovery.class)
                                        .getPhase())
                        .isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE));
    }

    @Test
    void openTransactionsThatNobodyKnowsEndTheStart() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting)
                .run(context -> context.getBean(Sagas.class).start("order", new TransactionId("order-1"), "{}"));
        runner.withBean(
                        Saga.class,
                        () -> Saga.named("parcel", 1)
                                .step("send", call -> Reply.done(), call -> Reply.done())
                                .build())
                .run(context -> {
                    FailureAnalysis failure = analysis(context);
                    assertThat(failure.getDescription())
                            .contains("\"shop\"", "saga:order/1/stock", "order-1", "saga:parcel/1/send");
                    assertThat(failure.getAction()).contains("spring.application.name");
                });
    }

    @Test
    void xaNeedsTheNameOfTheApplication() {
        runner.withUserConfiguration(OneDatabase.class)
                .withPropertyValues("spring.application.name=a name of more than twenty-seven letters")
                .run(context -> {
                    FailureAnalysis failure = analysis(context);
                    assertThat(failure.getDescription()).contains("XA branches");
                    assertThat(failure.getAction()).contains("spring.application.name");
                });
    }

    @Test
    void transactionsNeedTheNameOfTheApplication() {
        runner.withBean(Saga.class, TransactionOperationsTest::waiting)
                .withPropertyValues("spring.application.name=")
                .run(context -> {
                    FailureAnalysis failure = analysis(context);
                    assertThat(failure.getDescription()).contains("no name");
                    assertThat(failure.getAction()).contains("tenon.transactions.service", "UPDATE tenon_tx");
                });
        runner.withBean(Saga.class, TransactionOperationsTest::waiting)
                .withPropertyValues("tenon.transactions.service=parcels")
                .run(context -> assertThat(
                                context.getBean(Transactions.class).options().service())
                        .isEqualTo("parcels"));
    }

    @Test
    void aGlobalTransactionInWhichNothingCouldTakePartEndsTheStart() {
        runner.withBean(Everything.class).run(context -> {
            FailureAnalysis failure = analysis(context);
            assertThat(failure.getDescription()).contains("Everything.order", "nothing here could take part");
            assertThat(failure.getAction()).contains("tenon.transactions.automatic-undo=dataSource");
        });
        runner.withBean(Everything.class)
                .withPropertyValues("tenon.transactions.automatic-undo=dataSource")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(GlobalTransactions.class));
        runner.withPropertyValues("tenon.transactions.automatic-undo=another")
                .run(context -> assertThat(analysis(context).getDescription()).contains("\"another\""));
        runner.withPropertyValues("tenon.transactions.services.stock=nowhere")
                .run(context -> assertThat(analysis(context).getDescription()).contains("nowhere"));
    }

    static class Everything {
        @GlobalTransaction
        public void order() {}
    }

    @Test
    void automaticUndoNeedsItsParser() {
        runner.withUserConfiguration(OneDatabase.class)
                .withClassLoader(new FilteredClassLoader("net.sf.jsqlparser"))
                .run(context -> assertThat(analysis(context).getAction()).contains("com.github.jsqlparser:jsqlparser"));
    }

    @Test
    void aSecretThatIsNoneIsSaidWithoutBeingShown() {
        runner.withPropertyValues("tenon.notifications.secrets=whsec_MTIz").run(context -> {
            FailureAnalysis failure = analysis(context);
            assertThat(failure.getDescription())
                    .contains("tenon.notifications.secrets")
                    .doesNotContain("MTIz");
            assertThat(failure.getAction()).contains("openssl rand");
        });
    }

    @Test
    void withoutASecretThereAreNoNotifications() {
        runner.withBean(
                        TccParticipant.class,
                        () -> TccParticipant.of(call -> Reply.done(), call -> Reply.done(), call -> Reply.done()))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Transactions.class)
                        .doesNotHaveBean(Notifications.class));
    }

    private static Saga waiting() {
        return Saga.named("order", 1)
                .step("stock", call -> Reply.notYet("not yet"), call -> Reply.done())
                .build();
    }

    private static FailureAnalysis analysis(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return Objects.requireNonNull(
                new TenonFailureAnalyzer().analyze(context.getStartupFailure()),
                () -> "no analysis of " + context.getStartupFailure());
    }

    @Configuration(proxyBeanMethods = false)
    static class OneDatabase {
        @Bean
        XaDatabase giro(JdbcBackend backend) {
            return XaDatabase.of(new JdbcDataSource(), backend.barrierStore());
        }

        @Bean
        AtResource stock(DataSource source, JdbcBackend backend) {
            return backend.autoUndo(source);
        }
    }
}
