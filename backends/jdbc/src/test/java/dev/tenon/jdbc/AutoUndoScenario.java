package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Automatic undo on one database: what is committed stays, what is aborted leaves no trace, what can't be undone is
 * told. All of its tests use the same one, with tables and a service of their own.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class AutoUndoScenario {
    private static final Duration DEADLINE = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private String table = "";
    private JdbcBackend backend;
    private Transactions transactions;
    private AtTransactions at;

    abstract JdbcBackend open();

    /** Connections to the database, in autocommit mode. */
    abstract DataSource source();

    /** The type of a column of bytes. */
    abstract String bytes();

    @BeforeEach
    void begin() throws SQLException {
        table = "goods_" + UUID.randomUUID().toString().substring(0, 8);
        backend = open();
        Map<String, AtResource> databases = Map.of("goods", backend.autoUndo(source()));
        transactions = TransactionEngine.over(
                backend.transactions(),
                AtTransactions.participants(databases),
                TransactionOptions.DEFAULT.withService(table));
        at = AtTransactions.over(transactions, databases);
        run("CREATE TABLE " + table + " (id BIGINT NOT NULL, part INT NOT NULL, name VARCHAR(50), price DECIMAL(10,2),"
                + " sold TIMESTAMP NULL, photo " + bytes() + ", PRIMARY KEY (id, part))");
        try (Connection connection = source().getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?, ?, ?, ?, ?)")) {
            for (int id = 1; id <= 3; id++) {
                insert.setLong(1, id);
                insert.setInt(2, 0);
                insert.setString(3, id == 2 ? null : "it's 10|" + id);
                insert.setBigDecimal(4, new BigDecimal("19.9" + id));
                insert.setTimestamp(5, id == 3 ? null : Timestamp.valueOf("2026-01-02 03:04:05.5"));
                insert.setBytes(6, id == 1 ? new byte[] {0, -1, 124} : null);
                insert.executeUpdate();
            }
        }
    }

    @AfterEach
    void end() throws SQLException {
        transactions.close();
        run("DROP TABLE " + table);
        backend.close();
    }

    @Test
    void whatIsCommittedStays() throws Exception {
        TransactionId gid;
        try (AtTransaction tx = at.begin(DEADLINE)) {
            gid = tx.gid();
            change(tx.connection("goods"));
            tx.commit();
        }
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(rows()).hasSize(3).anyMatch(row -> row.startsWith("9|0|new")).noneMatch(row -> row.startsWith("3|"));
        assertNothingIsLeft(gid);
    }

    @Test
    void whatIsAbortedLeavesNoTrace() throws Exception {
        List<String> before = rows();
        TransactionId gid;
        try (AtTransaction tx = at.begin(DEADLINE)) {
            gid = tx.gid();
            Connection goods = tx.connection("goods");
            change(goods);
            goods.commit();
            assertThat(rows()).as("committed by the branch").isNotEqualTo(before);
            Connection more = tx.connection("goods");
            update(more, "UPDATE " + table + " SET price = 0, sold = NULL, photo = NULL WHERE id < 3");
            more.commit();
        }
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(rows()).isEqualTo(before);
        assertNothingIsLeft(gid);
    }

    @Test
    void aTableThatWasAlteredIsKnownAnewAfterAStatementThatFailed() throws Exception {
        String sale = "UPDATE " + table + " SET price = 0 WHERE id = 1";
        String unsold = "SELECT id, part, name, price, sold, NULL FROM " + table + " ORDER BY id, part";
        try (AtTransaction tx = at.begin(DEADLINE)) {
            update(tx.connection("goods"), sale);
        }
        run("ALTER TABLE " + table + " DROP COLUMN photo");
        List<String> before = query(unsold);
        try (AtTransaction tx = at.begin(DEADLINE)) {
            Connection goods = tx.connection("goods");
            assertThatThrownBy(() -> update(goods, sale)).isInstanceOf(SQLException.class);
        }
        TransactionId gid;
        try (AtTransaction tx = at.begin(DEADLINE)) {
            gid = tx.gid();
            Connection goods = tx.connection("goods");
            update(goods, sale);
            goods.commit();
            assertThat(query(unsold)).isNotEqualTo(before);
        }
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(query(unsold)).isEqualTo(before);
    }

    @Test
    void aBranchThatWasNotCommittedIsRolledBackByTheDatabase() throws Exception {
        List<String> before = rows();
        TransactionId gid;
        try (AtTransaction tx = at.begin(DEADLINE)) {
            gid = tx.gid();
            change(tx.connection("goods"));
        }
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void whoeverDiesBeforeTheDecisionIsUndoneByRecovery() throws Exception {
        List<String> before = rows();
        AtTransaction tx = at.begin(Duration.ofMillis(50));
        Connection goods = tx.connection("goods");
        change(goods);
        goods.commit();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            transactions.runOnce();
            return transactions.find(tx.gid()).orElseThrow().state() == TransactionState.ABORTED;
        });
        assertThat(rows()).isEqualTo(before);
        assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
        goods.close();
    }

    @Test
    void aBranchThatCommitsAfterTheAbortIsRefused() throws Exception {
        List<String> before = rows();
        AtTransaction tx = at.begin(DEADLINE);
        Connection goods = tx.connection("goods");
        // Not yet a statement: the abort must not wait for a row that this test holds itself.
        transactions.abort(tx.gid(), "test", "no");
        assertThat(transactions.await(tx.gid(), PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        change(goods);
        assertThatThrownBy(goods::commit).isInstanceOf(TransactionAbortedException.class);
        assertThatThrownBy(() -> tx.connection("goods")).isInstanceOf(TransactionAbortedException.class);
        goods.close();
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void aRowBelongsToOneTransactionUntilItHasEnded() throws Exception {
        try (AtTransaction one = at.begin(DEADLINE)) {
            Connection goods = one.connection("goods");
            update(goods, "UPDATE " + table + " SET price = 1 WHERE id = 1");
            goods.commit();
            try (AtTransaction other = at.begin(DEADLINE)) {
                Connection same = other.connection("goods");
                update(same, "UPDATE " + table + " SET price = 2 WHERE id = 2");
                assertThatThrownBy(() -> update(same, "UPDATE " + table + " SET price = 3 WHERE id = 1"))
                        .isInstanceOf(SQLTransientException.class)
                        .hasMessageContaining("(1, 0)")
                        .hasMessageContaining(one.gid().text());
            }
            one.commit();
            assertThat(transactions.await(one.gid(), PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
        }
        try (AtTransaction later = at.begin(DEADLINE)) {
            update(later.connection("goods"), "DELETE FROM " + table + " WHERE id = 1");
            later.commit();
        }
        assertThat(rows()).noneMatch(row -> row.startsWith("1|"));
    }

    @Test
    void aBranchThatWasClosedWithItsChangesIsNotLostInSilence() throws Exception {
        List<String> before = rows();
        AtTransaction tx = at.begin(DEADLINE);
        try (Connection goods = tx.connection("goods")) {
            change(goods);
        }
        tx.connection("goods").close(); // nothing was changed on this one
        assertThatThrownBy(tx::commit).isInstanceOf(SQLException.class).hasMessageContaining("closed before");
        tx.close();
        assertThat(transactions.await(tx.gid(), PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void whatRanAndCouldNotBeNotedIsNotCommitted() throws Exception {
        try (AtTransaction one = at.begin(DEADLINE)) {
            Connection goods = one.connection("goods");
            update(goods, "DELETE FROM " + table + " WHERE id = 1");
            goods.commit();
            try (AtTransaction other = at.begin(DEADLINE)) {
                Connection same = other.connection("goods");
                assertThatThrownBy(() -> update(same, "INSERT INTO " + table + " (id, part) VALUES (1, 0)"))
                        .isInstanceOf(SQLTransientException.class);
                assertThatThrownBy(other::commit)
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("roll back");
                same.rollback();
                update(same, "UPDATE " + table + " SET price = 5 WHERE id = 2");
                other.commit();
            }
        }
        assertThat(rows())
                .filteredOn(row -> row.startsWith("2|"))
                .singleElement()
                .asString()
                .contains("|5.00|");
    }

    /**
     * Where the second phase waits for the open branch (MariaDB), that may get in before it; never is a row left
     * locked.
     */
    @Test
    void whoComesAfterTheDecisionIsToldOrDoneAndLeavesNothingLocked() throws Exception {
        List<String> before = rows();
        AtTransaction tx = at.begin(DEADLINE);
        AtTransaction joined = at.join(tx.gid());
        Connection late = joined.connection("goods");
        update(late, "UPDATE " + table + " SET price = 1 WHERE id = 1");
        tx.commit(); // without waiting for it
        transactions.await(tx.gid(), Duration.ofSeconds(1));
        boolean done = true;
        try {
            joined.leave();
        } catch (TransactionAbortedException | SQLException e) {
            done = false;
        }
        late.close();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            transactions.runOnce();
            return transactions.find(tx.gid()).orElseThrow().state() == TransactionState.COMMITTED;
        });
        assertThat(rows().equals(before)).isNotEqualTo(done);
        assertNothingIsLeft(tx.gid());
    }

    @Test
    void aRowThatSomebodyElseHasChangedIsLeftAndTold() throws Exception {
        TransactionId gid;
        try (AtTransaction tx = at.begin(DEADLINE)) {
            gid = tx.gid();
            Connection goods = tx.connection("goods");
            update(goods, "UPDATE " + table + " SET price = 1 WHERE id = 1");
            goods.commit();
            run("UPDATE " + table + " SET price = 77 WHERE id = 1");
        }
        TransactionRecord stuck = transactions.await(gid, PATIENCE);
        assertThat(stuck.state()).isEqualTo(TransactionState.ABORTING);
        assertThat(stuck.suspended().orElseThrow()).contains("price is 77.00 and was left as 1.00");
        assertThat(rows()).anyMatch(row -> row.contains("|77.00|"));
        run("UPDATE " + table + " SET price = 1 WHERE id = 1");
        transactions.retry(gid, "operator");
        assertThat(transactions.await(gid, PATIENCE).state()).isEqualTo(TransactionState.ABORTED);
        assertThat(rows()).anyMatch(row -> row.contains("|19.91|"));
        assertNothingIsLeft(gid);
    }

    @Test
    void whatCantBeUndoneIsRefusedBeforeItRuns() throws Exception {
        List<String> before = rows();
        try (AtTransaction tx = at.begin(DEADLINE)) {
            Connection goods = tx.connection("goods");
            for (String sql : List.of(
                    "DROP TABLE " + table,
                    "UPDATE " + table + " SET id = 5 WHERE id = 1",
                    "INSERT INTO " + table + " SELECT * FROM " + table,
                    "INSERT INTO " + table + " (id, part) VALUES (5, 0), (6, 0)",
                    "UPDATE " + table + " a, " + table + " b SET a.price = 1 WHERE a.id = b.id",
                    "TRUNCATE TABLE " + table,
                    "not sql")) {
                assertThatThrownBy(() -> update(goods, sql))
                        .as(sql)
                        .isInstanceOf(SQLFeatureNotSupportedException.class);
            }
            assertThatThrownBy(() -> goods.setAutoCommit(true)).isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(goods::setSavepoint).isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(() -> goods.prepareCall("{call x}")).isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(() -> tx.connection("nowhere")).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(rows()).isEqualTo(before);
    }

    /** An insert, an update of a row that was inserted, an update with parameters, and a delete. */
    private void change(Connection connection) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table + " (name, id, part) VALUES (?, ?, 0)")) {
            insert.setString(1, "fresh");
            insert.setLong(2, 9);
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
        update(connection, "UPDATE " + table + " SET name = 'new' WHERE id = 9");
        try (PreparedStatement change = connection.prepareStatement(
                "UPDATE " + table + " SET name = ?, price = price + 1 WHERE id >= ? AND id < ? AND 'why?' <> 'y'")) {
            change.setString(1, "changed");
            change.setLong(2, 1);
            change.setLong(3, 3);
            assertThat(change.executeUpdate()).isEqualTo(2);
        }
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery("SELECT name FROM " + table + " WHERE id = 1")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("changed");
        }
        update(connection, "DELETE FROM " + table + " WHERE id = 3");
    }

    private static void update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = source().getConnection()) {
            update(connection, sql);
        }
    }

    private List<String> rows() throws SQLException {
        return query("SELECT id, part, name, price, sold, photo FROM " + table + " ORDER BY id, part");
    }

    private void assertNothingIsLeft(TransactionId gid) throws SQLException {
        assertThat(query("SELECT 1, 1, 1, 1, 1, 1 FROM tenon_undo WHERE gid = '" + gid + "'"))
                .isEmpty();
        assertThat(query("SELECT 1, 1, 1, 1, 1, 1 FROM tenon_row_lock WHERE gid = '" + gid + "'"))
                .isEmpty();
    }

    private List<String> query(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                byte[] photo = row.getBytes(6);
                rows.add(row.getLong(1) + "|" + row.getInt(2) + "|" + row.getString(3) + "|" + row.getBigDecimal(4)
                        + "|" + row.getString(5) + "|"
                        + (photo == null ? "" : List.of(photo.length, photo[photo.length - 1])));
            }
        }
        return rows;
    }
}
