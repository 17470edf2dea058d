package dev.tenon.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.tx.Message;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.spi.TransactionStore;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.XAConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In transactions of Narayana, over two databases: the one of the log, and another. */
class JtaTransactionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static TransactionManager manager;

    private final JdbcDataSource ours = database();
    private final JdbcDataSource other = database();
    private final List<XAConnection> open = new ArrayList<>();
    private final Queue<String> shipped = new ConcurrentLinkedQueue<>();
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private JtaTransactions jta;
    private JdbcBackend backend;
    private Transactions transactions;
    private Sagas sagas;
    private Outbox outbox;

    @BeforeAll
    static void narayana() {
        for (String store : List.of("default", "communicationStore", "stateStore")) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store.equals("default") ? null : store)
                    .setObjectStoreType(VolatileStore.class.getName());
        }
        manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
    }

    @BeforeEach
    void start() throws Exception {
        manager.setTransactionTimeout(600);
        jta = JtaTransactions.of(manager);
        backend = JdbcBackend.over(ours);
        NamedParticipants participants = new NamedParticipants();
        transactions = TransactionEngine.over(
                backend.transactions(), participants, TransactionOptions.DEFAULT.withService("shop"));
        sagas = Sagas.over(transactions, participants)
                .register(Saga.named("order", 1)
                        .step("ship", call -> {
                            shipped.add(call.gid().toString());
                            return Reply.done();
                        })
                        .build());
        outbox = Outbox.over(
                        backend.outbox(),
                        message -> {
                            sent.add(message.text());
                            return Reply.done();
                        },
                        OutboxOptions.DEFAULT.withPollEvery(Duration.ofMinutes(10)))
                .start();
        execute(ours, "create table orders (id varchar(40) primary key)");
        execute(other, "create table stock (pieces int)");
        // Neither recovery nor the outbox look by themselves in time: what happens, happens right after the commit.
    }

    @AfterEach
    void stop() throws Exception {
        if (manager.getStatus() != Status.STATUS_NO_TRANSACTION) {
            manager.rollback(); // of a test that failed
        }
        for (XAConnection connection : open) {
            connection.close();
        }
        outbox.close();
        transactions.close();
        backend.close();
    }

    @Test
    void whatIsCommittedInBothDatabasesGoesOnAtOnce() throws Exception {
        TransactionId order = new TransactionId("order-1");
        manager.begin();
        try {
            // tag::order[]
            Connection connection = enlisted(ours); // of the database that has Tenon's tables
            update(connection, "insert into orders values ('order-1')");
            sagas.start(connection, "order", order, "");
            outbox.enqueue(connection, Message.of("orders", "placed", "order-1"));
            jta.hurry(transactions, order);
            jta.dispatch(outbox);
            // end::order[]
            update(enlisted(other), "insert into stock values (7)");
        } catch (Exception e) {
            manager.rollback();
            throw e;
        }
        assertThat(shipped).isEmpty();
        manager.commit();
        assertThat(transactions.await(order, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(shipped).containsExactly("order-1");
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(sent).containsExactly("order-1"));
        assertThat(count(ours, "orders")).isEqualTo(1);
        assertThat(count(other, "stock")).isEqualTo(1);
    }

    @Test
    void whatIsRolledBackNeverWas() throws Exception {
        TransactionId order = new TransactionId("order-1");
        manager.begin();
        Connection connection = enlisted(ours);
        update(connection, "insert into orders values ('order-1')");
        sagas.start(connection, "order", order, "");
        outbox.enqueue(connection, Message.of("orders", "placed", "order-1"));
        jta.hurry(transactions, order);
        jta.dispatch(outbox);
        update(enlisted(other), "insert into stock values (7)");
        manager.setRollbackOnly();
        assertThatThrownBy(() -> manager.commit()).isInstanceOf(RollbackException.class);
        assertThat(transactions.find(order)).isEmpty();
        assertThat(transactions.runOnce()).isZero();
        assertThat(outbox.runOnce()).isZero();
        assertThat(shipped).isEmpty();
        assertThat(sent).isEmpty();
        assertThat(count(ours, "orders")).isZero();
        assertThat(count(other, "stock")).isZero();
    }

    @Test
    void aFailureToGoOnIsNoFailureOfTheCommit() throws Exception {
        TransactionId order = new TransactionId("order-1");
        manager.begin();
        sagas.start(enlisted(ours), "order", order, "");
        TransactionStore away = (TransactionStore) Proxy.newProxyInstance(
                TransactionStore.class.getClassLoader(),
                new Class<?>[] {TransactionStore.class},
                (proxy, method, arguments) -> {
                    throw new BackendUnavailableException("away");
                });
        Transactions elsewhere =
                TransactionEngine.over(away, new NamedParticipants(), TransactionOptions.DEFAULT.withService("shop"));
        assertThatThrownBy(() -> elsewhere.hurry(order)).isInstanceOf(BackendUnavailableException.class);
        jta.hurry(elsewhere, order);
        assertThatCode(() -> manager.commit()).doesNotThrowAnyException();
        assertThat(shipped).isEmpty();
        await().atMost(PATIENCE).until(() -> {
            transactions.runOnce(); // recovery finds it
            return !shipped.isEmpty();
        });
    }

    @Test
    void aLockIsHeldUntilTheCommitAndFreeAfterIt() throws Exception {
        Locks locks = backend.locks();
        manager.begin();
        // tag::lock[]
        jta.hold(locks.lock("stock").acquire(Duration.ofSeconds(5))); // commit before unlock
        update(enlisted(ours), "insert into orders values ('order-1')");
        // end::lock[]
        List<Boolean> freeInCommit = new ArrayList<>();
        manager.getTransaction().registerSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                freeInCommit.add(locks.lock("stock").tryAcquire().isPresent());
            }

            @Override
            public void afterCompletion(int status) {}
        });
        manager.commit();
        assertThat(freeInCommit).containsExactly(false);
        assertThat(locks.lock("stock").tryAcquire()).isPresent();
        assertThat(count(ours, "orders")).isEqualTo(1);
    }

    @Test
    void aLockIsFreeAfterARollback() throws Exception {
        manager.begin();
        jta.hold(backend.locks().lock("stock").acquire(PATIENCE));
        assertThat(backend.locks().lock("stock").tryAcquire()).isEmpty();
        manager.rollback();
        assertThat(backend.locks().lock("stock").tryAcquire()).isPresent();
    }

    @Test
    void nothingIsCommittedUnderALockThatIsLost() throws Exception {
        manager.begin();
        Lease lease = backend.locks().lock("stock").acquire(PATIENCE);
        jta.hold(lease);
        update(enlisted(ours), "insert into orders values ('order-1')");
        update(enlisted(other), "insert into stock values (7)");
        backend.locks().evict("stock", lease.token(), "for the test");
        // Asks for something that only a holder gets: so it knows, and not at its next renewal.
        assertThatThrownBy(() -> backend.locks().readWriteLock("stock").downgradeToRead(lease))
                .isInstanceOf(LeaseLostException.class);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThatThrownBy(() -> manager.commit())
                .isInstanceOf(RollbackException.class)
                .hasRootCauseInstanceOf(LeaseLostException.class);
        assertThat(count(ours, "orders")).isZero();
        assertThat(count(other, "stock")).isZero();
    }

    @Test
    void thereMustBeATransactionThatCanBeCommitted() throws Exception {
        assertThatThrownBy(() -> jta.dispatch(outbox))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no JTA transaction");
        manager.begin();
        manager.setRollbackOnly();
        assertThatThrownBy(() -> jta.dispatch(outbox))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("only be rolled back");
        try (Lease lease = backend.locks().lock("stock").acquire(PATIENCE)) {
            assertThatThrownBy(() -> jta.hold(lease)).hasMessageContaining("only be rolled back");
            assertThat(lease.state()).isEqualTo(Lease.State.HELD);
        }
        manager.rollback();
    }

    private Connection enlisted(JdbcDataSource database) throws Exception {
        XAConnection connection = database.getXAConnection();
        open.add(connection);
        Connection usable = connection.getConnection();
        assertThat(manager.getTransaction().enlistResource(connection.getXAResource()))
                .isTrue();
        return usable;
    }

    private static JdbcDataSource database() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        source.setUser("sa");
        return source;
    }

    private static void execute(JdbcDataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection()) {
            update(connection, sql);
        }
    }

    private static void update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long count(JdbcDataSource database, String table) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from " + table)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
