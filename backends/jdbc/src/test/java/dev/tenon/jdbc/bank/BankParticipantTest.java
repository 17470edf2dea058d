package dev.tenon.jdbc.bank;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.TccParticipantContract;
import dev.tenon.testkit.crash.BankInvariant.Ledger;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/** Try, confirm and cancel in every order, repeated, and at the same time, at both isolation levels. */
class BankParticipantTest {
    @Nested
    class ParticipantOnMariaDb extends ParticipantOnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.mariaDb(MariaDbServer.shared());
        }
    }

    @Nested
    class ParticipantOnMySql extends ParticipantOnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.mySql(MySqlServer.shared());
        }
    }

    @Nested
    class ParticipantOnPostgres extends ParticipantOnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.postgres(PostgresServer.shared());
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class ParticipantOnDatabase extends TccParticipantContract {
        private static final String WORLD = "orders";
        private static final int AMOUNT = 7;

        private BankDatabase database;

        abstract BankDatabase open();

        @BeforeAll
        void makeAccounts() throws SQLException {
            database = open().prepared();
            database.execute("INSERT INTO account VALUES ('orders', 'buyer', 1000, 0), ('orders', 'shop', 0, 0)");
        }

        @AfterAll
        void close() throws SQLException {
            database.close();
        }

        @Override
        protected Ledger ledger() {
            return database.ledger(WORLD);
        }

        @Override
        protected String payload() {
            return String.valueOf(AMOUNT);
        }

        @Override
        protected Participant participant(int isolation) {
            return call -> {
                try (Connection connection = database.source.getConnection()) {
                    connection.setTransactionIsolation(isolation);
                    connection.setAutoCommit(false);
                    int amount = Integer.parseInt(call.payload());
                    Reply reply =
                            database.backend.barrier().call(connection, call, c -> work(c, call.operation(), amount));
                    if (reply instanceof Reply.Done) {
                        connection.commit();
                    }
                    return reply; // closed without a commit: rolled back
                }
            };
        }

        private static Reply work(Connection connection, Operation operation, int amount) throws SQLException {
            switch (operation) {
                case TRY -> move(connection, "buyer", -amount, amount);
                case CANCEL -> move(connection, "buyer", amount, -amount);
                default -> {
                    move(connection, "buyer", 0, -amount);
                    move(connection, "shop", amount, 0);
                }
            }
            return Reply.done();
        }

        private static void move(Connection connection, String name, int available, int reserved) throws SQLException {
            BankDatabase.update(
                    connection,
                    "UPDATE account SET available = available + ?, reserved = reserved + ? WHERE world = ? AND name = ?",
                    available,
                    reserved,
                    WORLD,
                    name);
        }
    }
}
