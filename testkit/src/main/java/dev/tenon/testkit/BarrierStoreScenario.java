package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.engine.StoreBarrier;
import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;

/** A participant with a table of effects, and short words for what the contract of {@link BarrierStore} does. */
abstract class BarrierStoreScenario {
    /** Errors of a deadlock: PostgreSQL, then MariaDB and MySQL, then H2. */
    private static final String DEADLOCK_STATE = "40P01";

    private static final int DEADLOCK_OF_MARIADB = 1213;
    private static final int DEADLOCK_OF_H2 = 40001;
    private static final int ATTEMPTS_MAX = 30;

    TransactionId gid = new TransactionId("unset");

    /** The rows under test. */
    protected abstract BarrierStore store();

    /** A connection of the participant's own, to the same database. */
    protected abstract Connection connect() throws SQLException;

    @BeforeEach
    void begin() throws SQLException {
        gid = new TransactionId("contract-" + UUID.randomUUID());
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS contract_effect (gid VARCHAR(128), effect VARCHAR(250))");
        }
    }

    Barrier barrier() {
        return new StoreBarrier(store());
    }

    BranchCall call(Operation operation) {
        return call("a", operation);
    }

    BranchCall call(String branch, Operation operation) {
        return new BranchCall(gid, branch, operation, "target", "payload", Map.of(), 1);
    }

    /** A local transaction of the participant's. */
    Connection transaction(int isolation) throws SQLException {
        Connection connection = connect();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    /** The participant's work: one more effect. */
    Reply effect(Connection connection, BranchCall call, String result) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO contract_effect VALUES (?, ?)")) {
            insert.setString(1, gid.text());
            insert.setString(2, call.branch() + " " + call.operation().text());
            insert.executeUpdate();
        }
        return Reply.done(result);
    }

    /** How often the effect was committed. */
    int effects(String branch, Operation operation) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement select = connection.prepareStatement(
                        "SELECT COUNT(*) FROM contract_effect WHERE gid = ? AND effect = ?")) {
            select.setString(1, gid.text());
            select.setString(2, branch + " " + operation.text());
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    int effects(Operation operation) throws SQLException {
        return effects("a", operation);
    }

    /**
     * What a participant does with a call: in a transaction, committed if it is done; again if others were in the way.
     */
    Reply handle(int isolation, BranchCall call, String result) throws Exception {
        return handle(isolation, call, result, false);
    }

    /** @param deadlocks whether the database may have ended the transaction because of a deadlock */
    Reply handle(int isolation, BranchCall call, String result, boolean deadlocks) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try (Connection connection = transaction(isolation)) {
                try {
                    Reply reply = barrier().call(connection, call, within -> effect(within, call, result));
                    end(connection, reply);
                    return reply;
                } catch (SQLException e) {
                    connection.rollback();
                    assertThat(deadlocks || !isDeadlock(e))
                            .as("no deadlock: %s", e)
                            .isTrue();
                    if (attempt == ATTEMPTS_MAX) {
                        throw e;
                    }
                }
            }
        }
    }

    static void end(Connection connection, Reply reply) throws SQLException {
        if (reply instanceof Reply.Done) {
            connection.commit();
        } else {
            connection.rollback();
        }
    }

    private static boolean isDeadlock(SQLException e) {
        return DEADLOCK_STATE.equals(e.getSQLState())
                || e.getErrorCode() == DEADLOCK_OF_MARIADB
                || e.getErrorCode() == DEADLOCK_OF_H2;
    }
}
