package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Sagas, TCC and the outbox as beans. */
class TransactionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final List<String> done = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
            .withPropertyValues(
                    "tenon.backend=jdbc",
                    "spring.application.name=shop",
                    "tenon.jdbc.allow-in-memory-database=true",
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void aSagaThatIsABeanRuns() {
        runner.withBean(Saga.class, this::order).run(context -> {
            Transactions transactions = context.getBean(Transactions.class);
            TransactionId gid = transactions.newId();
            context.getBean(Sagas.class).start("order", gid, "{}");
            assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
            assertThat(transactions.find(gid).orElseThrow().service()).isEqualTo("shop");
            assertThat(done).containsExactly("stock", "card refuses", "stock back");
        });
    }

    private Saga order() {
        return Saga.named("order", 1)
                .step("stock", call -> say("stock"), call -> say("stock back"))
                .step(
                        "card",
                        call -> {
                            say("card refuses");
                            return Reply.refused("no money");
                        },
                        call -> say("card back"))
                .after("stock")
                .build();
    }

    @Test
    void aParticipantThatIsABeanIsKnownByItsName() {
        runner.withBean("card", TccParticipant.class, () -> new Card(this)).run(context -> {
            TransactionId gid = context.getBean(Transactions.class).newId();
            try (TccTransaction tx = context.getBean(Tcc.class).begin(gid, TccBranch.of("card", "30"))) {
                tx.commit();
            }
            assertThat(context.getBean(Transactions.class).await(gid, PATIENCE).state())
                    .isEqualTo(TransactionState.COMMITTED);
            assertThat(done).containsExactly("try", "confirm");
        });
    }

    private record Card(TransactionsTest test) implements TccParticipant {
        @Override
        public Reply tryIt(BranchCall call) {
            return test.say("try");
        }

        @Override
        public Reply confirm(BranchCall call) {
            return test.say("confirm");
        }

        @Override
        public Reply cancel(BranchCall call) {
            return test.say("cancel");
        }
    }

    @Test
    void aMessageIsSentIfItsTransactionIsCommitted() {
        MessageSink sink = MessageHandlers.none().with("points", message -> say(message.text()));
        runner.withBean(MessageSink.class, () -> sink).run(context -> {
            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transaction.executeWithoutResult(status -> {
                outbox.send(Message.of("points", "paid", "rolled back"));
                status.setRollbackOnly();
            });
            transaction.executeWithoutResult(status -> outbox.send(Message.of("points", "paid", "committed")));
            Awaitility.await().atMost(PATIENCE).until(() -> done.contains("committed"));
            assertThat(done).containsExactly("committed");
            assertThatThrownBy(() -> outbox.send(Message.of("points", "paid", "outside")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@Transactional");
        });
    }

    @Test
    void whoHasNoBeansForItHasNothingOfIt() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context)
                    .doesNotHaveBean(Transactions.class)
                    .doesNotHaveBean(Outbox.class)
                    .doesNotHaveBean(TransactionalOutbox.class);
        });
    }

    @Test
    void withADataSourceOfItsOwnThereIsNoOutbox() {
        MessageSink sink = MessageHandlers.none().with("points", message -> say(message.text()));
        runner.withBean(MessageSink.class, () -> sink)
                .withPropertyValues("tenon.jdbc.data-source=dataSource")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Outbox.class)
                        .doesNotHaveBean(TransactionalOutbox.class));
    }

    private Reply say(String what) {
        done.add(what);
        return Reply.done();
    }
}
