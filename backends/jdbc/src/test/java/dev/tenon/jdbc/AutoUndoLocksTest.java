package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Rows that a statement has locked which then failed are free again when the whole has ended, however it ends. */
class AutoUndoLocksTest {
    private static final String OF_ANOTHER = "UPDATE goods SET price = 0 WHERE id <= 2";
    private static final String DUPLICATE = "UPDATE goods SET code = 'b' WHERE id = 1";

    @ParameterizedTest
    @EnumSource
    void anAbortFreesWhatAStatementHasLockedThatFoundARowOfAnother(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId other = locked(bench, 2);
            TransactionId gid = afterAFailure(bench, OF_ANOTHER);
            bench.cancel(gid);
            bench.assertNothingIsLeft(gid);
            bench.cancel(other);
            assertFree(bench);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRES", mode = Mode.EXCLUDE) // there, such a failure ends the local transaction
    void anAbortFreesWhatAStatementHasLockedThatTheDatabaseRefused(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId gid = afterAFailure(bench, DUPLICATE);
            bench.cancel(gid);
            bench.assertNothingIsLeft(gid);
            assertFree(bench);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRES", mode = Mode.EXCLUDE)
    void aCommitOfTheWholeFreesThemToo(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId gid = afterAFailure(bench, DUPLICATE);
            bench.confirm(gid);
            bench.assertNothingIsLeft(gid);
            assertFree(bench);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRES", mode = Mode.EXCLUDE)
    void aBranchThatHasNothingButSuchLocksIsRefusedAfterTheAbort(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId gid = AutoUndoBench.newId();
            bench.cancel(gid);
            try (Connection late = bench.connect(gid)) {
                assertThatThrownBy(() -> AutoUndoBench.update(late, DUPLICATE)).isInstanceOf(SQLException.class);
                assertThatThrownBy(late::commit).isInstanceOf(TransactionAbortedException.class);
                assertThatThrownBy(late::commit)
                        .as("nor by another try")
                        .isInstanceOf(TransactionAbortedException.class);
            }
            bench.assertNothingIsLeft(gid);
            assertFree(bench);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRollbackFreesThemAtOnceAndTheBranchGoesOn(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId gid = AutoUndoBench.newId();
            try (Connection goods = bench.connect(gid)) {
                assertThatThrownBy(() -> AutoUndoBench.update(goods, DUPLICATE)).isInstanceOf(SQLException.class);
                goods.rollback();
                goods.commit(); // of nothing
                bench.assertNothingIsLeft(gid);
                AutoUndoBench.update(goods, "UPDATE goods SET price = 9 WHERE id = 3");
                goods.commit(); // of nothing, again
            }
            bench.cancel(gid);
            bench.assertNothingIsLeft(gid);
            assertThat(prices(bench)).isEqualTo(List.of("1", "1", "1"));
            assertFree(bench);
        }
    }

    @ParameterizedTest
    @EnumSource
    void thereIsNoWayBackToASavepointByWhichALockWouldBeLost(On on) throws Exception {
        try (AutoUndoBench bench = bench(on);
                Connection goods = bench.connect(AutoUndoBench.newId())) {
            AutoUndoBench.update(goods, "UPDATE goods SET price = 9 WHERE id = 3");
            for (String sql : List.of("SAVEPOINT s", "ROLLBACK TO SAVEPOINT s", "ROLLBACK", "COMMIT")) {
                assertThatThrownBy(() -> AutoUndoBench.update(goods, sql))
                        .as(sql)
                        .isInstanceOf(SQLFeatureNotSupportedException.class);
            }
            assertThatThrownBy(() -> goods.setSavepoint("s")).isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(() -> goods.rollback(null)).isInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsOfATransactionThatWasClosedAreFreeForWhoeverComesToThem(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId closed = locked(bench, 2);
            TransactionId open = locked(bench, 3);
            TransactionId gid = AutoUndoBench.newId();
            try (Connection goods = bench.connect(gid, closed)) {
                AutoUndoBench.update(goods, "UPDATE goods SET price = price + 1 WHERE id = 2");
                goods.rollback();
                assertThat(bench.query("SELECT kind FROM tenon_undo WHERE gid = '" + closed.text() + "'"))
                        .as("what is rolled back has freed nothing")
                        .hasSize(1);
                AutoUndoBench.update(goods, "UPDATE goods SET price = price + 1 WHERE id = 2");
                goods.commit();
            }
            bench.assertNothingIsLeft(closed);
            try (Connection goods = bench.connect(AutoUndoBench.newId(), closed)) {
                assertThatThrownBy(() -> AutoUndoBench.update(goods, "UPDATE goods SET price = 0 WHERE id = 3"))
                        .isInstanceOf(SQLTransientException.class)
                        .hasMessageContaining(open.text());
            }
            bench.cancel(gid);
            assertThat(prices(bench))
                    .as("undone to what the closed one has left")
                    .isEqualTo(List.of("1", "5", "5"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLogIsAskedWhetherATransactionWasClosed(On on) throws Exception {
        try (AutoUndoBench bench = bench(on);
                Transactions transactions = bench.transactions()) {
            AtTransactions at = bench.undoing(transactions);
            TransactionId left;
            try (AtTransaction tx = at.begin(Duration.ofHours(1))) {
                left = tx.gid();
                AutoUndoBench.update(tx.connection("goods"), "UPDATE goods SET price = 5 WHERE id = 1");
                tx.leave(); // and nobody decides
            }
            transactions.suspend(left, "ann", "its row is wrong");
            try (AtTransaction next = at.begin(Duration.ofHours(1))) {
                Connection goods = next.connection("goods");
                assertThatThrownBy(() -> AutoUndoBench.update(goods, "UPDATE goods SET price = 9 WHERE id = 1"))
                        .isInstanceOf(SQLTransientException.class)
                        .hasMessageContaining(left.text());
            }
            transactions.closeAsIs(left, "ann", "the row is right now");
            try (AtTransaction next = at.begin(Duration.ofHours(1))) {
                AutoUndoBench.update(next.connection("goods"), "UPDATE goods SET price = price + 4 WHERE id = 1");
                next.commit();
            }
            bench.assertNothingIsLeft(left);
            assertThat(prices(bench)).isEqualTo(List.of("9", "1", "1"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowOfATransactionThatWasClosedAsItIsIsTakenOver(On on) throws Exception {
        try (AutoUndoBench bench = bench(on)) {
            TransactionId closed = locked(bench, 1);
            TransactionId active = locked(bench, 2);
            TransactionId gid = AutoUndoBench.newId();
            try (Connection goods = bench.connect(gid, closed)) {
                assertThatThrownBy(() -> AutoUndoBench.update(goods, "UPDATE goods SET price = 8 WHERE id = 2"))
                        .isInstanceOf(SQLTransientException.class)
                        .hasMessageContaining(active.text());
                AutoUndoBench.update(goods, "UPDATE goods SET price = 8 WHERE id <> 2");
                assertThat(bench.query("SELECT gid FROM tenon_undo WHERE gid = '" + closed.text() + "'"))
                        .as("what is taken over is another's until the commit")
                        .hasSize(1);
                goods.commit();
            }
            bench.assertNothingIsLeft(closed);
            bench.cancel(gid);
            assertThat(prices(bench)).as("as it was closed").isEqualTo(List.of("5", "5", "1"));
            bench.cancel(active);
            assertThat(prices(bench)).isEqualTo(List.of("5", "1", "1"));
        }
    }

    private static AutoUndoBench bench(On on) throws SQLException {
        AutoUndoBench bench = new AutoUndoBench(on);
        bench.run(
                "CREATE TABLE goods (id BIGINT PRIMARY KEY, code VARCHAR(10) UNIQUE, price INT)",
                "INSERT INTO goods VALUES (1, 'a', 1)",
                "INSERT INTO goods VALUES (2, 'b', 1)",
                "INSERT INTO goods VALUES (3, 'c', 1)");
        return bench;
    }

    /** A transaction that has committed a branch with one row, and has not ended. */
    private static TransactionId locked(AutoUndoBench bench, int id) throws SQLException {
        TransactionId gid = AutoUndoBench.newId();
        try (Connection goods = bench.connect(gid)) {
            AutoUndoBench.update(goods, "UPDATE goods SET price = 5 WHERE id = " + id);
            goods.commit();
        }
        return gid;
    }

    /**
     * A transaction whose only statement has failed after it had locked rows, and whose branch is committed all the
     * same.
     */
    private static TransactionId afterAFailure(AutoUndoBench bench, String sql) throws SQLException {
        TransactionId gid = AutoUndoBench.newId();
        try (Connection goods = bench.connect(gid)) {
            assertThatThrownBy(() -> AutoUndoBench.update(goods, sql)).isInstanceOf(SQLException.class);
            assertThat(AutoUndoBench.query(goods, "SELECT about FROM tenon_row_lock WHERE gid = '" + gid.text() + "'"))
                    .as("what it has locked before it failed")
                    .isNotEmpty();
            goods.commit();
        }
        return gid;
    }

    private static void assertFree(AutoUndoBench bench) throws SQLException {
        List<String> taken = new ArrayList<>();
        try (Connection goods = bench.connect(AutoUndoBench.newId())) {
            AutoUndoBench.update(goods, "UPDATE goods SET price = 7 WHERE id <= 3");
        } catch (SQLTransientException e) {
            taken.add(String.valueOf(e.getMessage()));
        }
        assertThat(taken).isEmpty();
    }

    private static List<String> prices(AutoUndoBench bench) throws SQLException {
        return bench.query("SELECT price FROM goods ORDER BY id");
    }
}
