package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.spi.OutboxMessage;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What operators see of an outbox that sends to a target without a handler, and what they do about it. */
class OutboxOperationsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Nested
    class OnMariaDb extends OverDatabase {
        @Override
        SqlAddress server() {
            return MariaDbServer.shared();
        }
    }

    @Nested
    class OnMySql extends OverDatabase {
        @Override
        SqlAddress server() {
            return MySqlServer.shared();
        }
    }

    @Nested
    class OnPostgres extends OverDatabase {
        @Override
        SqlAddress server() {
            return PostgresServer.shared();
        }
    }

    /** An application over one database. */
    abstract static class OverDatabase {
        /** Which targets have a handler by now. */
        private final Map<String, Boolean> handled = new ConcurrentHashMap<>();

        abstract SqlAddress server();

        private ApplicationContextRunner runner() {
            SqlAddress address = server().newDatabase();
            MessageSink sink = message -> handled.containsKey(message.target())
                    ? Reply.done()
                    : Reply.refused("no handler for " + message.target());
            return new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
                    .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                    .withBean(MessageSink.class, () -> sink)
                    .withPropertyValues(
                            "tenon.backend=jdbc",
                            "spring.application.name=shop",
                            "management.endpoints.web.exposure.include=*",
                            "spring.datasource.url=" + address.url(),
                            "spring.datasource.username=" + address.user(),
                            "spring.datasource.password=" + address.password());
        }

        private static void send(ApplicationContext context, Message... messages) {
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                for (Message message : messages) {
                    context.getBean(TransactionalOutbox.class).send(message);
                }
            });
        }

        private static Message nowhere(String id) {
            return Message.of("/paynowhere", "pay/1", "card-4711").withId(id);
        }

        private static void awaitDead(ApplicationContext context, int count) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> context.getBean(Outbox.class).summary().deadLetters() == count);
        }

        @Test
        void theEndpointShowsWhatIsDeadAndEndsIt() {
            runner().run(context -> {
                send(context, nowhere("pay-1").withKey("ann"), nowhere("pay-2").withKey("ann"), nowhere("pay-3"));
                awaitDead(context, 2);
                OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
                OutboxEndpoint.Overview overview = endpoint.show(null, null, null);
                assertThat(overview.deadLetters())
                        .extracting(OutboxEndpoint.Line::id)
                        .containsExactlyInAnyOrder("pay-1", "pay-3");
                assertThat(overview.more()).isFalse();
                OutboxEndpoint.Lane lane = overview.lanes().get(0);
                assertThat(lane.target()).isEqualTo("/paynowhere");
                assertThat(lane.key()).isEqualTo("ann");
                assertThat(lane.failing()).isTrue();
                assertThat(lane.waiting()).isEqualTo(1);
                assertThat(lane.first().error()).contains("no handler for /paynowhere");
                assertThat(overview.toString()).doesNotContain("card-4711");
                assertThat(endpoint.show("/paynowhere", "ann", null).deadLetters())
                        .hasSize(1);
                assertThat(endpoint.show("/elsewhere", null, null).deadLetters())
                        .isEmpty();

                long number = lane.first().number();
                handled.put("/paynowhere", true);
                OutboxEndpoint.Detail replayed = endpoint.act(number, "replay", "ann", "a handler is there");
                assertThat(replayed.message().number()).isEqualTo(number);
                awaitDead(context, 1);
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> context.getBean(Outbox.class)
                                .blocking("/paynowhere", "ann")
                                .isEmpty());
                long other =
                        endpoint.show(null, null, null).deadLetters().get(0).number();
                OutboxEndpoint.Detail gone = endpoint.act(other, "discard", "bob", "not needed");
                assertThat(gone.message().state()).isEqualTo("discarded");
                assertThat(gone.history())
                        .anyMatch(
                                line -> line.by().equals("bob") && line.detail().equals("not needed"));
                assertThat(Objects.requireNonNull(endpoint.find(other))
                                .message()
                                .state())
                        .isEqualTo("discarded");
                assertThat(endpoint.find(Long.MAX_VALUE)).isNull();

                assertThatThrownBy(() -> endpoint.act(other, "replay", "ann", null))
                        .isInstanceOf(InvalidEndpointRequestException.class)
                        .hasMessageContaining("no dead letter");
                assertThatThrownBy(() -> endpoint.act(other, "delete", "ann", null))
                        .isInstanceOf(InvalidEndpointRequestException.class)
                        .hasMessageContaining("replay or discard");
            });
        }

        @Test
        void manyAreEndedAtOnce() {
            runner().run(context -> {
                send(
                        context,
                        nowhere("a"),
                        nowhere("b"),
                        Message.of("/elsewhere", "t/1", "x").withId("c"));
                awaitDead(context, 3);
                OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
                OutboxEndpoint.Done done = endpoint.actOnMany("discard", "ann", "of no use", "/paynowhere", null);
                assertThat(done.numbers()).hasSize(2);
                assertThat(done.more()).isFalse();
                awaitDead(context, 1);
                Outbox outbox = context.getBean(Outbox.class);
                assertThat(outbox.operations().find(done.numbers().get(0)))
                        .map(OutboxMessage::state)
                        .contains(OutboxMessage.State.DISCARDED);
                assertThat(endpoint.actOnMany("replay", "ann", null, null, null).numbers())
                        .hasSize(1);
                assertThatThrownBy(() -> endpoint.actOnMany("drop", "ann", null, null, null))
                        .isInstanceOf(InvalidEndpointRequestException.class);
            });
        }

        @Test
        void healthTellsOfDeadLettersAndMetersCountThem() {
            runner().run(context -> {
                send(context, nowhere("a").withKey("ann"), nowhere("b").withKey("ann"));
                awaitDead(context, 1);
                Health health = context.getBean("tenonHealthIndicator", HealthIndicator.class)
                        .health();
                assertThat(health.getStatus())
                        .as("to start it again would not help")
                        .isEqualTo(Status.UP);
                assertThat(health.getDetails().get("outbox"))
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                        .containsEntry("deadLetters", 1)
                        .containsEntry("waiting", 1);
                MeterRegistry registry = new SimpleMeterRegistry();
                context.getBeansOfType(MeterBinder.class).values().forEach(meters -> meters.bindTo(registry));
                assertThat(List.of(
                                registry.get("tenon.outbox.dead.letters")
                                        .gauge()
                                        .value(),
                                registry.get("tenon.outbox.lanes.failing")
                                        .gauge()
                                        .value()))
                        .containsExactly(1.0, 1.0);
            });
        }
    }
}
