package dev.tenon.examples.transactions;

import static dev.tenon.examples.transactions.ShopDatabase.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.crash.BankInvariant;
import dev.tenon.testkit.crash.BankInvariant.Account;
import dev.tenon.testkit.crash.CrashPoints;
import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.testkit.crash.CrashReport;
import dev.tenon.testkit.crash.CrashScenario;
import dev.tenon.testkit.crash.LeftOpen;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** A transfer of one's own, crashed wherever it can be. */
class TransferCrashTest {
    // tag::test[]
    @Test
    void moneyIsNeitherMadeNorLostWhereverTheProcessCrashes() throws SQLException {
        DataSource database = database();
        CrashReport report =
                CrashPoints.of(world -> new Transfer(database, world, true)).everywhere();
        assertThat(report.points()).contains("before bank: UPDATE account #1", "after bank: COMMIT #1");
    }
    // end::test[]

    @Test
    void aParticipantWithoutABarrierIsFoundOut() throws SQLException {
        DataSource database = database();
        CrashPoints points = CrashPoints.of(world -> new Transfer(database, world, false));
        assertThatThrownBy(points::everywhere)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("crashed at [after bank: COMMIT");
    }

    private static DataSource database() throws SQLException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (Connection connection = database.getConnection()) {
            update(connection, "CREATE TABLE account (world VARCHAR(20), name VARCHAR(20), available INT)");
        }
        return database;
    }

    /** Alice pays Bob 30, in a world of her own. */
    private static final class Transfer implements CrashScenario {
        private final DataSource database;
        private final String world;
        private final boolean behindABarrier;
        private final JdbcBackend tenon;
        private final BankInvariant bank;

        Transfer(DataSource database, String world, boolean behindABarrier) {
            this.database = database;
            this.world = world;
            this.behindABarrier = behindABarrier;
            this.tenon = JdbcBackend.over(database);
            this.bank = BankInvariant.of(Map.of(this::accounts, 200L));
        }

        // tag::story[]
        /** The service as one process has it: made of what the {@link CrashProcess} gives. */
        private record Service(Transactions transactions, Sagas sagas) {}

        private Service start(CrashProcess process) {
            JdbcBackend log = JdbcBackend.over(process.over("log", database));
            process.closing(log::disconnect);
            NamedParticipants participants = new NamedParticipants();
            Transactions transactions = process.closing(TransactionEngine.over(
                    log.transactions(), process.over(participants), TransactionOptions.DEFAULT.withService(world)));
            DataSource money = process.over("bank", database);
            Participant move = call -> move(money, call);
            Saga transfer = Saga.named("transfer", 1)
                    .step("alice", move, move)
                    .step("bob", move, move)
                    .build();
            return new Service(
                    transactions, Sagas.over(transactions, participants).register(transfer));
        }

        @Override
        public void act(CrashProcess process) throws Exception {
            Service service = start(process);
            service.sagas().start("transfer", new TransactionId(world), "30");
            service.transactions().await(new TransactionId(world), Duration.ofSeconds(30));
        }

        @Override
        public Pass recovery(CrashProcess process) {
            Transactions transactions = start(process).transactions();
            LeftOpen left = LeftOpen.in(tenon.transactions(), world);
            return () -> {
                left.age(Duration.ofMinutes(1)); // the claim of the process that has crashed is over
                transactions.runOnce();
                return left.isNothing();
            };
        }

        @Override
        public void checkAtTheEnd() throws Exception {
            bank.requireAtTheEnd();
        }
        // end::story[]

        @Override
        public void prepare() throws SQLException {
            try (Connection connection = database.getConnection()) {
                update(connection, "INSERT INTO account VALUES (?, 'alice', 100), (?, 'bob', 100)", world, world);
            }
        }

        @Override
        public void close() {
            tenon.close();
        }

        private Reply move(DataSource money, BranchCall call) throws Exception {
            try (Connection connection = money.getConnection()) {
                connection.setAutoCommit(false);
                Reply reply = behindABarrier
                        ? tenon.barrier().call(connection, call, open -> change(open, call))
                        : change(connection, call);
                connection.commit();
                return reply;
            }
        }

        private Reply change(Connection connection, BranchCall call) throws SQLException {
            boolean pays = call.branch().equals("alice") == (call.operation() == Operation.ACTION);
            int amount = Integer.parseInt(call.payload());
            String change = "UPDATE account SET available = available + ? WHERE world = ? AND name = ?";
            update(connection, change, pays ? -amount : amount, world, call.branch());
            return Reply.done();
        }

        private List<Account> accounts() throws SQLException {
            List<Account> accounts = new ArrayList<>();
            String select = "SELECT name, available FROM account WHERE world = ?";
            try (Connection connection = database.getConnection();
                    PreparedStatement statement = connection.prepareStatement(select)) {
                statement.setString(1, world);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        accounts.add(new Account(rows.getString(1), rows.getInt(2), 0));
                    }
                }
            }
            return accounts;
        }
    }
}
