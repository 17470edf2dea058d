package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Numbers inside transactions of the caller's, on one database for all of its tests, which use names of their own. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class GapFreeScenario {
    private String name = "";
    private JdbcBackend backend;
    private GapFreeSequence invoices;

    /** A backend on the database, as one process has it. */
    abstract JdbcBackend open();

    /** A connection of the application's own. */
    abstract Connection connect() throws SQLException;

    /** A connection of another database, which has no tables. */
    abstract Connection connectElsewhere() throws SQLException;

    /** Makes a session wait for locks for a tenth of a second, or the least that there is. */
    abstract String shortLockWait();

    @BeforeEach
    void begin() throws SQLException {
        name = "invoices:" + UUID.randomUUID();
        backend = open();
        invoices = backend.gapFree(name);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS invoice (n BIGINT PRIMARY KEY)");
            statement.execute("DELETE FROM invoice");
        }
    }

    @AfterEach
    void end() {
        backend.close();
    }

    private Connection transaction() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Work of one thread. */
    private interface Task<T> {
        T run(int thread) throws Exception;
    }

    private static <T> List<T> onThreads(int count, Task<T> task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<T>> started = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int thread = i;
                started.add(threads.submit(() -> task.run(thread)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : started) {
                results.add(each.get(60, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    /** The least, the greatest and the number of the invoices. */
    private static long[] invoices(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT COALESCE(MIN(n), 1), COALESCE(MAX(n), 0), COUNT(*) FROM invoice")) {
            row.next();
            return new long[] {row.getLong(1), row.getLong(2), row.getLong(3)};
        }
    }

    @Test
    void aRollbackGivesTheNumberBack() throws SQLException {
        try (Connection connection = transaction()) {
            assertThat(invoices.next(connection)).isEqualTo(1);
            assertThat(invoices.next(connection)).isEqualTo(2);
            connection.commit();
            assertThat(invoices.next(connection)).isEqualTo(3);
            connection.rollback();
            assertThat(invoices.nextRange(connection, 5)).isEqualTo(new IdRange(3, 5, 1));
            connection.commit();
        }
        try (Connection connection = transaction()) {
            assertThat(invoices.next(connection)).isEqualTo(8);
        } // closed without a commit
        try (JdbcBackend other = open();
                Connection connection = transaction()) {
            assertThat(other.gapFree(name).next(connection)).isEqualTo(8);
            connection.commit();
        }
    }

    @Test
    void aRollbackToASavepointGivesItBackToo() throws SQLException {
        try (Connection connection = transaction()) {
            assertThat(invoices.next(connection)).isEqualTo(1);
            Savepoint savepoint = connection.setSavepoint();
            assertThat(invoices.next(connection)).isEqualTo(2);
            assertThat(invoices.next(connection)).isEqualTo(3);
            connection.rollback(savepoint);
            assertThat(invoices.next(connection)).isEqualTo(2);
            connection.commit();
        }
        try (Connection connection = transaction()) {
            assertThat(invoices.next(connection)).isEqualTo(3);
            connection.rollback();
        }
    }

    @Test
    void oneThatWaitsGetsTheNumberThatWasGivenBack() throws Exception {
        try (Connection first = transaction()) {
            assertThat(invoices.next(first)).isEqualTo(1);
            CompletableFuture<Long> second = CompletableFuture.supplyAsync(() -> {
                try (Connection connection = transaction()) {
                    long number = invoices.next(connection);
                    connection.commit();
                    return number;
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            first.rollback();
            assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(invoices.next(first)).isEqualTo(2);
            first.rollback();
        }
    }

    @Test
    void whoReadsFindsNoGapWhileOthersCommitAndRollBack() throws Exception {
        AtomicBoolean writing = new AtomicBoolean(true);
        AtomicInteger rolledBack = new AtomicInteger();
        CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(() -> {
            int reads = 0;
            try (Connection connection = connect()) {
                do {
                    long[] now = invoices(connection);
                    assertThat(now[0]).isEqualTo(1);
                    assertThat(now[1]).as("the greatest is their number").isEqualTo(now[2]);
                    reads++;
                } while (writing.get());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return reads;
        });
        try {
            onThreads(6, thread -> {
                try (Connection connection = transaction()) {
                    for (int i = 0; i < 30; i++) {
                        rolledBack.addAndGet(write(connection));
                    }
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                return true;
            });
        } finally {
            writing.set(false);
        }
        assertThat(reader.get(60, TimeUnit.SECONDS)).isPositive();
        assertThat(rolledBack.get()).isPositive();
        try (Connection connection = connect()) {
            assertThat(invoices(connection)).containsExactly(1, 180, 180);
        }
    }

    /** Writes one invoice. How many attempts were rolled back before. */
    private int write(Connection connection) throws SQLException {
        for (int rollbacks = 0; ; rollbacks++) {
            try {
                long number = invoices.next(connection);
                execute(connection, "INSERT INTO invoice VALUES (" + number + ")");
                if (ThreadLocalRandom.current().nextInt(3) > 0) {
                    connection.commit();
                    return rollbacks;
                }
            } catch (BackendUnavailableException e) {
                // As the exception says: run it again.
            }
            connection.rollback();
        }
    }

    @Test
    void aConnectionThatCommitsByItselfIsRefused() throws SQLException {
        try (Connection connection = connect()) {
            assertThatThrownBy(() -> invoices.next(connection))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            assertThat(invoices.next(connection)).isEqualTo(1);
            connection.rollback();
            assertThatThrownBy(() -> invoices.nextRange(connection, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aDeadlockEndsOneOfBothAndLosesNoNumber() throws Exception {
        GapFreeSequence credits = backend.gapFree(name + ":credits");
        CyclicBarrier both = new CyclicBarrier(2);
        List<Integer> retries = onThreads(2, thread -> {
            GapFreeSequence one = thread == 0 ? invoices : credits;
            GapFreeSequence other = thread == 0 ? credits : invoices;
            try (Connection connection = transaction()) {
                for (int attempt = 0; ; attempt++) {
                    try {
                        one.next(connection);
                        if (attempt == 0) {
                            both.await(60, TimeUnit.SECONDS);
                        }
                        other.next(connection);
                        connection.commit();
                        return attempt;
                    } catch (BackendUnavailableException e) {
                        assertThat(e).hasMessageContaining("roll back, and run this transaction again");
                        connection.rollback();
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(retries.get(0) + retries.get(1)).isPositive();
        try (Connection connection = transaction()) {
            assertThat(invoices.next(connection)).isEqualTo(3);
            assertThat(credits.next(connection)).isEqualTo(3);
            connection.rollback();
        }
    }

    @Test
    void aWaitThatTakesTooLongSaysSo() throws SQLException {
        try (Connection first = transaction();
                Connection second = transaction()) {
            invoices.next(first);
            execute(second, shortLockWait());
            assertThatThrownBy(() -> invoices.next(second))
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("Another transaction was in the way");
            second.rollback();
            first.rollback();
            assertThat(invoices.next(second)).isEqualTo(1);
            second.rollback();
        }
    }

    @Test
    void goesOnWhereAnAutoIncrementColumnHasEnded() throws SQLException {
        try (Connection connection = transaction()) {
            execute(connection, "INSERT INTO invoice VALUES (4711)");
            connection.commit();
            backend.ranges().raiseTo(name, invoices(connection)[1]);
            connection.rollback();
            assertThat(invoices.next(connection)).isEqualTo(4712);
            connection.rollback();
        }
    }

    @Test
    void startStepAndMaxAreThoseOfTheDefinition() throws SQLException {
        String even = name + ":even";
        backend.ranges().define(even, new RangeDefinition(10, 2, 17));
        GapFreeSequence four = backend.gapFree(even);
        try (Connection connection = transaction()) {
            assertThat(four.next(connection)).isEqualTo(10);
            assertThat(four.nextRange(connection, 100)).isEqualTo(new IdRange(12, 3, 2));
            assertThatThrownBy(() -> four.next(connection)).isInstanceOf(RangeExhaustedException.class);
            connection.rollback();
            assertThat(four.next(connection)).isEqualTo(10);
            connection.rollback();
        }
    }

    @Test
    void anotherDatabaseAndABrokenConnectionAreToldOf() throws SQLException {
        try (Connection connection = connectElsewhere()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> invoices.next(connection))
                    .isInstanceOf(TenonException.class)
                    .isNotInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("is this connection of the backend's database?");
        }
        Connection closed = transaction();
        closed.close();
        assertThatThrownBy(() -> invoices.next(closed))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("run it again from its start");
    }
}
