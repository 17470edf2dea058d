package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection that its user keeps over the begin and the end of global transactions, as JPA does for a whole request.
 */
class GlobalDataSourceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final IllegalStateException FAILURE = new IllegalStateException("as this test wants it");

    private final GlobalScope scope = new GlobalScope();
    private AutoUndoBench bench;
    private Transactions transactions;
    private GlobalTransactions globals;
    private GlobalDataSource database;
    private final Connection[] held = new Connection[1];

    private void on(On on) throws SQLException {
        bench = new AutoUndoBench(on);
        bench.run("DROP TABLE IF EXISTS kept", "CREATE TABLE kept (id INT PRIMARY KEY, n INT)");
        bench.run("INSERT INTO kept VALUES (1, 10), (2, 20)");
        transactions = bench.transactions();
        globals = bench.globals(transactions, scope);
        database = bench.global(scope);
    }

    @AfterEach
    void close() {
        transactions.close();
        bench.close();
    }

    private interface Step {
        void run() throws SQLException;
    }

    private void committed(Step step) throws SQLException {
        globals.<Boolean, SQLException>call(GlobalOptions.DEFAULT, () -> {
            step.run();
            return true;
        });
    }

    /** Returns when all is undone: on a busy machine the call itself does not wait for so long. */
    private void failed(Step step) {
        assertThatThrownBy(() -> committed(() -> {
                    step.run();
                    throw FAILURE;
                }))
                .isSameAs(FAILURE);
        await().atMost(PATIENCE)
                .until(() -> transactions.list(TransactionFilter.ALL, "", 100).transactions().stream()
                        .allMatch(transaction -> transaction.state().isFinal()));
    }

    private static void inLocal(Connection connection, String... statements) throws SQLException {
        connection.setAutoCommit(false);
        for (String sql : statements) {
            AutoUndoBench.update(connection, sql);
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private List<String> rows() throws SQLException {
        return bench.query("SELECT id, n FROM kept ORDER BY id");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void whatWasReadBeforeDoesNotKeepTheRestOutside(On on) throws Exception {
        on(on);
        try (Connection kept = database.getConnection()) {
            assertThat(AutoUndoBench.query(kept, "SELECT n FROM kept WHERE id = 1"))
                    .containsExactly("10");
            failed(() -> inLocal(kept, "UPDATE kept SET n = 11 WHERE id = 1", "DELETE FROM kept WHERE id = 2"));
            assertThat(rows()).containsExactly("1|10", "2|20");
            committed(() -> inLocal(kept, "UPDATE kept SET n = 12 WHERE id = 1"));
            assertThat(rows()).containsExactly("1|12", "2|20");
            inLocal(kept, "UPDATE kept SET n = 13 WHERE id = 1");
            AutoUndoBench.update(kept, "UPDATE kept SET n = 21 WHERE id = 2");
            assertThat(rows()).containsExactly("1|13", "2|21");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void eachLocalTransactionOfAKeptConnectionIsABranch(On on) throws Exception {
        on(on);
        for (boolean before : List.of(true, false)) {
            Connection[] kept = {before ? database.getConnection() : null};
            failed(() -> {
                kept[0] = before ? kept[0] : database.getConnection();
                inLocal(kept[0], "UPDATE kept SET n = n + 1 WHERE id = 1");
                inLocal(kept[0], "UPDATE kept SET n = n + 1 WHERE id = 2", "INSERT INTO kept (id, n) VALUES (3, 30)");
                kept[0].setAutoCommit(false);
                AutoUndoBench.update(kept[0], "DELETE FROM kept");
                kept[0].rollback();
                kept[0].setAutoCommit(true);
                inLocal(kept[0], "UPDATE kept SET n = n + 1 WHERE id = 1");
            });
            assertThat(rows()).containsExactly("1|10", "2|20");
            inLocal(kept[0], "INSERT INTO kept VALUES (4, 40)");
            AutoUndoBench.update(kept[0], "DELETE FROM kept WHERE id = 4");
            kept[0].close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void statementsThatAreCommittedByThemselvesTakePart(On on) throws Exception {
        on(on);
        try (Connection kept = database.getConnection()) {
            failed(() -> {
                AutoUndoBench.update(kept, "UPDATE kept SET n = 11 WHERE id = 1");
                assertThat(AutoUndoBench.query(kept, "SELECT n FROM kept WHERE id = 1"))
                        .containsExactly("11");
                assertThat(rows()).as("committed before the next one").containsExactly("1|11", "2|20");
                AutoUndoBench.update(kept, "UPDATE kept SET n = 21 WHERE id = 2");
            });
            assertThat(rows()).containsExactly("1|10", "2|20");
            committed(() -> {
                try (PreparedStatement update = kept.prepareStatement("UPDATE kept SET n = n + ? WHERE id = ?")) {
                    for (int id : List.of(1, 2)) {
                        update.setInt(1, 5);
                        update.setInt(2, id);
                        assertThat(update.executeUpdate()).isEqualTo(1);
                    }
                }
            });
            assertThat(rows()).as("the last one is committed with the whole").containsExactly("1|15", "2|25");
            AutoUndoBench.update(kept, "UPDATE kept SET n = 10 WHERE id = 1");
            assertThat(rows()).containsExactly("1|10", "2|25");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void aLocalTransactionOverTheEdgeOfAGlobalOneIsRefused(On on) throws Exception {
        on(on);
        try (Connection kept = database.getConnection()) {
            kept.setAutoCommit(false);
            AutoUndoBench.update(kept, "UPDATE kept SET n = 11 WHERE id = 1");
            assertThatThrownBy(() -> committed(() -> AutoUndoBench.update(kept, "UPDATE kept SET n = 21 WHERE id = 2")))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("outside of the global transaction: commit it, or roll it back, first");
            kept.rollback();
            assertThatThrownBy(() -> committed(() -> AutoUndoBench.update(kept, "UPDATE kept SET n = 12 WHERE id = 1")))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("a local transaction in \"goods\" is not over");
            assertThatThrownBy(() -> AutoUndoBench.update(kept, "UPDATE kept SET n = 13 WHERE id = 1"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("in another global transaction");
            kept.rollback();
            inLocal(kept, "UPDATE kept SET n = 14 WHERE id = 1");
            assertThat(rows()).containsExactly("1|14", "2|20");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void aScopeForReadingLooksAtWhatTheLocalTransactionRoundItHasDone(On on) throws Exception {
        on(on);
        GlobalTransactions.Work<List<String>, SQLException> reading = () -> {
            Connection kept = held[0];
            return globals.call(
                    GlobalOptions.DEFAULT.reading(),
                    () -> AutoUndoBench.query(kept, "SELECT n FROM kept WHERE id = 1"));
        };
        try (Connection kept = database.getConnection()) {
            held[0] = kept;
            kept.setAutoCommit(false);
            AutoUndoBench.update(kept, "UPDATE kept SET n = 11 WHERE id = 1");
            assertThat(reading.run()).containsExactly("11");
            kept.rollback();
            failed(() -> {
                AutoUndoBench.update(kept, "UPDATE kept SET n = 12 WHERE id = 1");
                assertThat(reading.run()).containsExactly("12");
                AutoUndoBench.update(kept, "UPDATE kept SET n = 13 WHERE id = 1");
                kept.commit();
            });
            assertThat(rows()).containsExactly("1|10", "2|20");
            kept.setAutoCommit(true);
            failed(() -> {
                AutoUndoBench.update(kept, "UPDATE kept SET n = 14 WHERE id = 1");
                assertThat(reading.run()).containsExactly("14");
            });
            assertThat(rows()).containsExactly("1|10", "2|20");
            kept.setAutoCommit(false);
            assertThat(committedWith(kept)).isTrue();
            kept.commit();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void aStatementThatFailsByItselfIsNoConcernOfTheNext(On on) throws Exception {
        on(on);
        try (Connection kept = database.getConnection()) {
            committed(() -> {
                assertThatThrownBy(() -> AutoUndoBench.update(kept, "INSERT INTO kept (id, n) VALUES (1, 11)"))
                        .isInstanceOf(SQLException.class);
                AutoUndoBench.update(kept, "UPDATE kept SET n = 12 WHERE id = 1");
                assertThatThrownBy(() -> AutoUndoBench.query(kept, "SELECT missing FROM kept"))
                        .isInstanceOf(SQLException.class);
                assertThat(AutoUndoBench.query(kept, "SELECT n FROM kept WHERE id = 1"))
                        .containsExactly("12");
            });
            globals.<Boolean, SQLException>call(GlobalOptions.DEFAULT.reading(), () -> {
                assertThatThrownBy(() -> AutoUndoBench.query(kept, "SELECT missing FROM kept"))
                        .isInstanceOf(SQLException.class);
                assertThat(AutoUndoBench.query(kept, "SELECT n FROM kept WHERE id = 1"))
                        .containsExactly("12");
                return true;
            });
        }
        assertThat(rows()).containsExactly("1|12", "2|20");
    }

    /** As Hikari's {@code auto-commit: false}. */
    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void connectionsThatBeginTransactionsByThemselvesDoSoWithin(On on) throws Exception {
        on(on);
        DataSource begins = AutoUndoBench.source(() -> {
            Connection connection = bench.open();
            connection.setAutoCommit(false);
            return connection;
        });
        GlobalDataSource pool = new GlobalDataSource(begins, "goods", scope);
        failed(() -> {
            try (Connection connection = pool.getConnection()) {
                AutoUndoBench.update(connection, "UPDATE kept SET n = 11 WHERE id = 1");
                AutoUndoBench.update(connection, "UPDATE kept SET n = 21 WHERE id = 2");
                assertThat(rows()).as("one local transaction").containsExactly("1|10", "2|20");
                connection.commit();
            }
        });
        assertThat(rows()).containsExactly("1|10", "2|20");
        try (Connection kept = pool.getConnection()) {
            assertThat(AutoUndoBench.query(kept, "SELECT n FROM kept WHERE id = 1"))
                    .containsExactly("10");
            assertThatThrownBy(() -> committed(() -> AutoUndoBench.update(kept, "UPDATE kept SET n = 12 WHERE id = 1")))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("outside of the global transaction");
            globals.<Boolean, SQLException>call(GlobalOptions.DEFAULT.reading(), () -> {
                try (Connection reading = pool.getConnection()) {
                    assertThat(AutoUndoBench.query(reading, "SELECT n FROM kept WHERE id = 1"))
                            .containsExactly("10");
                }
                return true;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL", "POSTGRES"})
    void nothingIsDoneWhereTheUndoWouldNotLook(On on) throws Exception {
        on(on);
        boolean schemas = on == On.POSTGRES;
        String elsewhere = schemas ? "pg_catalog" : "mysql";
        for (boolean before : List.of(true, false)) {
            try (Connection kept = database.getConnection()) {
                String home = schemas ? kept.getSchema() : kept.getCatalog();
                if (before) {
                    place(kept, schemas, elsewhere);
                }
                committed(() -> {
                    place(kept, schemas, elsewhere);
                    for (int time = 1; time <= 2; time++) {
                        assertThatThrownBy(() -> AutoUndoBench.update(kept, "DELETE FROM kept"))
                                .isInstanceOf(SQLFeatureNotSupportedException.class)
                                .hasMessageContaining("the undo would look for the rows elsewhere");
                    }
                });
                place(kept, schemas, home);
                committed(() -> AutoUndoBench.update(kept, "UPDATE kept SET n = n + 1 WHERE id = 1"));
            }
        }
        assertThat(rows()).containsExactly("1|12", "2|20");
    }

    private static void place(Connection connection, boolean schemas, String name) throws SQLException {
        if (schemas) {
            connection.setSchema(name);
        } else {
            connection.setCatalog(name);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void metadataLeadsToNoOtherConnection(On on) throws Exception {
        on(on);
        try (Connection kept = database.getConnection()) {
            failed(() ->
                    AutoUndoBench.update(kept.getMetaData().getConnection(), "UPDATE kept SET n = 11 WHERE id = 1"));
        }
        assertThat(rows()).containsExactly("1|10", "2|20");
    }

    /** What is switched within is so for what comes after. */
    private boolean committedWith(Connection kept) throws SQLException {
        committed(() -> {
            kept.setAutoCommit(true);
            kept.setAutoCommit(false);
        });
        AutoUndoBench.update(kept, "UPDATE kept SET n = 15 WHERE id = 1");
        kept.rollback();
        return rows().equals(List.of("1|10", "2|20"));
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL", "POSTGRES"})
    void whatIsSetOnItHoldsForEachLocalTransaction(On on) throws Exception {
        on(on);
        try (Connection kept = database.getConnection()) {
            int usual = kept.getTransactionIsolation();
            committed(() -> {
                kept.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                inLocal(kept, "UPDATE kept SET n = 11 WHERE id = 1");
                kept.setAutoCommit(false);
                String asked = switch (on) {
                    case MARIADB -> "SELECT @@tx_isolation";
                    case MYSQL -> "SELECT @@transaction_isolation";
                    default -> "SELECT current_setting('transaction_isolation')";
                };
                assertThat(AutoUndoBench.query(kept, asked).get(0)).isEqualToIgnoringCase("serializable");
                kept.rollback();
                kept.setAutoCommit(true);
                kept.setTransactionIsolation(usual);
            });
            assertThat(kept.getTransactionIsolation()).isEqualTo(usual);
            globals.<Boolean, SQLException>call(GlobalOptions.DEFAULT.reading(), () -> {
                assertThatThrownBy(() -> AutoUndoBench.update(kept, "UPDATE kept SET n = 12 WHERE id = 1"))
                        .isInstanceOf(SQLException.class);
                if (on == On.POSTGRES) {
                    assertThat(AutoUndoBench.query(kept, "SELECT current_setting('default_transaction_read_only')"))
                            .as("what would stay with the session, which a pool of sessions gives to others")
                            .containsExactly("off");
                }
                return true;
            });
            AutoUndoBench.update(kept, "UPDATE kept SET n = 13 WHERE id = 1");
        }
        assertThat(rows()).containsExactly("1|13", "2|20");
    }
}
