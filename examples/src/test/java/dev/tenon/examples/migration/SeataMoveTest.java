package dev.tenon.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccTransaction;
import io.seata.rm.tcc.api.BusinessActionContext;
import io.seata.rm.tcc.api.LocalTCC;
import io.seata.rm.tcc.api.TwoPhaseBusinessAction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

/** What was a global transaction with a TCC branch. */
class SeataMoveTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Seata finds the second phase by these annotations; that part of its resource manager is played here, as there is
     * no coordinator.
     */
    @Test
    void bothEntriesSeeEachOthersReservations() throws Exception {
        DataSource database = wallets();
        NamedParticipants participants = new NamedParticipants();
        try (JdbcBackend backend = JdbcBackend.over(database);
                Transactions transactions = TransactionEngine.over(
                        backend.transactions(), participants, TransactionOptions.DEFAULT.withService("shop"));
                Tcc tcc = Tcc.over(transactions, participants)) {
            FromSeata methods = new FromSeata(database, backend.barrier());
            tcc.register("wallet", 1, methods.wallet());
            transactions.start();
            SeataWallet seata = new SeataWallet(database, methods);
            BusinessActionContext context =
                    new BusinessActionContext("xid-1", "1", new HashMap<>(Map.of("amount", "60")));

            assertThat(seata.prepare(context, 60)).isTrue();
            assertThatThrownBy(() -> tcc.begin(transactions.newId(), TccBranch.of("wallet", "60")))
                    .isInstanceOf(TransactionAbortedException.class);
            secondPhase(seata, context, TwoPhaseBusinessAction::rollbackMethod);

            TccTransaction here = tcc.begin(transactions.newId(), TccBranch.of("wallet", "60"));
            assertThat(seata.prepare(context, 60)).isFalse();
            here.commit();
            assertThat(seata.prepare(context, 40)).isTrue();
            context.setActionContext(new HashMap<>(Map.of("amount", "40")));
            secondPhase(seata, context, TwoPhaseBusinessAction::commitMethod);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(wallet(database)).isEqualTo("0 free, 0 frozen, 100 spent"));
        }
    }

    private static void secondPhase(
            SeataEntry entry, BusinessActionContext context, Function<TwoPhaseBusinessAction, String> which)
            throws Exception {
        assertThat(SeataEntry.class).hasAnnotation(LocalTCC.class);
        TwoPhaseBusinessAction action = SeataEntry.class
                .getDeclaredMethod("prepare", BusinessActionContext.class, long.class)
                .getAnnotation(TwoPhaseBusinessAction.class);
        SeataEntry.class
                .getDeclaredMethod(which.apply(action), BusinessActionContext.class)
                .invoke(entry, context);
    }

    private static DataSource wallets() throws Exception {
        DataSource database =
                JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "", "");
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute("CREATE TABLE wallet (free INT, frozen INT, spent INT)");
            connection.createStatement().execute("INSERT INTO wallet VALUES (100, 0, 0)");
        }
        return database;
    }

    @Test
    void theMethodsStayAndTheBarrierComes() throws Exception {
        DataSource database = wallets();
        NamedParticipants participants = new NamedParticipants();
        try (JdbcBackend backend = JdbcBackend.over(database);
                Transactions transactions = TransactionEngine.over(
                        backend.transactions(), participants, TransactionOptions.DEFAULT.withService("shop"));
                Tcc tcc = Tcc.over(transactions, participants)) {
            tcc.register("wallet", 1, new FromSeata(database, backend.barrier()).wallet());
            transactions.start();
            // tag::global[]
            // in the place of @GlobalTransactional
            try (TccTransaction tx = tcc.begin(transactions.newId(), TccBranch.of("wallet", "60"))) {
                tx.commit(); // or tx.commit(connection), in the commit of the business row
            }
            // end::global[]
            assertThatThrownBy(() -> tcc.begin(transactions.newId(), TccBranch.of("wallet", "60")))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("not enough");
            TccTransaction undecided = tcc.begin(transactions.newId(), TccBranch.of("wallet", "40"));
            undecided.close();
            assertThat(transactions.await(undecided.gid(), PATIENCE).state().name())
                    .isEqualTo("ABORTED");
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(wallet(database)).isEqualTo("40 free, 0 frozen, 60 spent"));
        }
    }

    private static String wallet(DataSource database) throws Exception {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT * FROM wallet");
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getInt("free") + " free, " + row.getInt("frozen") + " frozen, " + row.getInt("spent") + " spent";
        }
    }
}
