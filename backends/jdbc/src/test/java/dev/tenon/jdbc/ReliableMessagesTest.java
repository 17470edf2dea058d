package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.ReliableMessages;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log in one database, the business in another: prepare, local transaction, submit, and the check-back. */
class ReliableMessagesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration NEVER = Duration.ofDays(1);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final String businessUrl = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend log = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    private final JdbcBackend business = JdbcBackend.connect(businessUrl);
    private final JdbcDataSource connections = new JdbcDataSource();
    private final Queue<Message> sent = new ConcurrentLinkedQueue<>();
    private final Message message =
            Message.of("points", "paid/1", "10 & more").withKey("k").withHeader("a", "b=c");

    private Transactions transactions;
    private ReliableMessages messages;

    @BeforeEach
    void begin() {
        connections.setURL(businessUrl);
        MessageSink sink = it -> {
            sent.add(it);
            return Reply.done();
        };
        // tag::make[]
        transactions = TransactionEngine.over(
                log.transactions(),
                ReliableMessages.participants(connections, business.barrier(), sink),
                TransactionOptions.DEFAULT.withService("shop"));
        messages = ReliableMessages.over(transactions, business.barrier());
        // end::make[]
    }

    @AfterEach
    void close() {
        transactions.close();
        log.close();
        business.close();
    }

    private TransactionState state(TransactionId gid) {
        return transactions.find(gid).orElseThrow().state();
    }

    private void recoverUntil(TransactionId gid, TransactionState state) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            transactions.runOnce();
            return state(gid) == state;
        });
    }

    private Connection local() throws SQLException {
        Connection connection = DriverManager.getConnection(businessUrl);
        connection.setAutoCommit(false);
        return connection;
    }

    @Test
    void whatIsSubmittedIsSentAsTheDocsSay() throws Exception {
        // tag::send[]
        TransactionId gid = messages.prepare(message, Duration.ofMinutes(1));
        try (Connection connection = local()) {
            // the business tables are changed here
            messages.confirm(connection, gid);
            connection.commit();
        }
        messages.submit(gid);
        // end::send[]
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(sent).containsExactly(message);
    }

    @Test
    void whatIsSubmittedIsSent() throws Exception {
        TransactionId gid = messages.prepare(message, NEVER);
        assertThat(messages.prepare(message, NEVER)).isEqualTo(gid);
        transactions.runOnce();
        assertThat(sent).isEmpty();
        try (Connection connection = local()) {
            messages.confirm(connection, gid);
            connection.commit();
        }
        messages.submit(gid);
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(sent).containsExactly(message);
        assertThatThrownBy(() -> messages.withdraw(gid, "too late")).isInstanceOf(TransactionConflictException.class);
    }

    @Test
    void onlyAMessageThatWasPreparedIsConfirmed() throws Exception {
        TransactionId tcc = new TransactionId("a-tcc");
        TransactionId gid = messages.prepare(message, NEVER);
        transactions.open(new TransactionDraft(
                tcc,
                TransactionKind.TCC,
                "",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                NEVER,
                RetryPolicy.FOR_EVER,
                List.of()));
        ReliableMessages elsewhere = ReliableMessages.over(transactions, business.barrier());
        try (Connection connection = local()) {
            assertThatThrownBy(() -> messages.confirm(connection, new TransactionId("nowhere")))
                    .isInstanceOf(UnknownTransactionException.class)
                    .hasMessageContaining("nowhere");
            assertThatThrownBy(() -> messages.confirm(connection, tcc))
                    .isInstanceOf(TransactionConflictException.class)
                    .hasMessageContaining("no message");
            elsewhere.confirm(connection, gid);
            connection.commit();
        }
        messages.submit(gid);
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
    }

    @Test
    void whatIsWithdrawnIsNeverSent() throws Exception {
        TransactionId gid = messages.prepare(message, NEVER);
        messages.withdraw(gid, "rolled back");
        recoverUntil(gid, TransactionState.ABORTED);
        assertThatThrownBy(() -> messages.submit(gid)).isInstanceOf(TransactionAbortedException.class);
        assertThat(sent).isEmpty();
    }

    @Test
    void aSubmitThatNeverComesIsFoundOut() throws Exception {
        TransactionId gid = messages.prepare(message, MOMENT);
        try (Connection connection = local()) {
            messages.confirm(connection, gid);
            connection.commit();
        }
        recoverUntil(gid, TransactionState.COMMITTED);
        assertThat(sent).containsExactly(message);
    }

    @Test
    void aNoIsForGoodAndTheLateLocalTransactionFails() throws Exception {
        TransactionId gid = messages.prepare(message, MOMENT);
        recoverUntil(gid, TransactionState.ABORTED);
        try (Connection connection = local()) {
            assertThatThrownBy(() -> messages.confirm(connection, gid))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("roll back");
            connection.rollback();
        }
        assertThat(sent).isEmpty();
    }

    @Test
    void aLocalTransactionThatWasRolledBackIsANo() throws Exception {
        TransactionId gid = messages.prepare(message, MOMENT);
        try (Connection connection = local()) {
            messages.confirm(connection, gid);
            connection.rollback();
        }
        recoverUntil(gid, TransactionState.ABORTED);
        assertThat(sent).isEmpty();
    }

    @Test
    void aCheckBackWaitsForALocalTransactionThatIsUnderWay() throws Exception {
        TransactionId gid = messages.prepare(message, MOMENT);
        try (Connection connection = local()) {
            messages.confirm(connection, gid);
            Thread recovery = new Thread(transactions::runOnce);
            recovery.start();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> transactions
                            .find(gid)
                            .orElseThrow()
                            .progress()
                            .owner()
                            .isPresent());
            assertThat(state(gid)).isEqualTo(TransactionState.ACTIVE);
            connection.commit();
            recovery.join(PATIENCE.toMillis());
        }
        recoverUntil(gid, TransactionState.COMMITTED);
        assertThat(sent).containsExactly(message);
    }
}
