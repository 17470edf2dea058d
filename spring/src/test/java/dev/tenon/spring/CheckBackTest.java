package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.Punctual;
import dev.tenon.tx.Message;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.ReliableMessages;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Messages whose log is in another database than the business rows. */
class CheckBackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(1);

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
            .withUserConfiguration(CheckBack.class)
            .withPropertyValues(
                    "tenon.backend=jdbc",
                    "spring.application.name=shop",
                    "tenon.jdbc.allow-in-memory-database=true",
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "tenon.jdbc.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void aMessageIsSentIfItsTransactionIsCommitted() {
        MessageSink sink = MessageHandlers.none().with("points", message -> {
            sent.add(message.text());
            return Reply.done();
        });
        runner.withBean(MessageSink.class, () -> sink).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(TransactionalOutbox.class);
            // Who is later than the deadline is told no, and rightly: only a machine that stands still is.
            Punctual.judge(SOON.dividedBy(2), () -> "", () -> assertSentIfCommitted(context));
        });
    }

    private void assertSentIfCommitted(ApplicationContext context) throws Exception {
        ReliableMessages messages = context.getBean(ReliableMessages.class);
        Transactions transactions = context.getBean(Transactions.class);
        sent.clear();
        TransactionId committed = messages.prepare(Message.of("points", "paid", "committed"), SOON);
        try (Connection connection = context.getBean(DataSource.class).getConnection()) {
            connection.setAutoCommit(false);
            messages.confirm(connection, committed);
            connection.commit();
        } // and nobody says so: the database is asked
        TransactionId never = messages.prepare(Message.of("points", "paid", "never"), SOON);
        assertThat(transactions.await(committed, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(transactions.await(never, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(sent).containsExactly("committed");
    }

    @Configuration(proxyBeanMethods = false)
    static class CheckBack {
        // tag::beans[]
        @Bean(defaultCandidate = false)
        JdbcBackend business(DataSource source) { // beside the one with the log, at tenon.jdbc.url
            return JdbcBackend.over(source);
        }

        @Bean
        Participants checkBack(DataSource source, @Qualifier("business") JdbcBackend business, MessageSink sink) {
            return ReliableMessages.participants(source, business.barrier(), sink);
        }

        @Bean
        ReliableMessages reliableMessages(Transactions transactions, @Qualifier("business") JdbcBackend business) {
            return ReliableMessages.over(transactions, business.barrier());
        }
        // end::beans[]
    }
}
