package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.AutoUndoBench.On;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random use of one connection over the begin and the end of global transactions, beside a model of what has to be
 * there: statements that commit by themselves, local transactions, those that are left open over an edge, global ones
 * that are committed, rolled back or only read.
 */
class GlobalDataSourceMachineTest {
    private static final long SEED = Long.getLong("tenon.connection.seed", 1);
    private static final int RUNS = Integer.getInteger("tenon.connection.runs", 30);
    private static final int STEPS = 25;

    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Who has begun the local transaction that is open. */
    private enum Open {
        NOBODY,
        OUTSIDE,
        WITHIN,
        /** A global transaction that is over. */
        BEFORE,
        /** A scope for reading that is over; another one may go on with it. */
        READER_BEFORE
    }

    private final GlobalScope scope = new GlobalScope();
    private final List<String> log = new ArrayList<>();
    private GlobalTransactions globals;
    private Connection kept;
    private Random random;
    private boolean auto;
    private boolean within;
    private Open open;
    /** What is committed, what of that the global transaction has to undo, and what is not committed yet. */
    private int committed;

    private int ofGlobal;
    private int pending;
    /** What was aborted may be undone later: its row was locked by what was left open. */
    private boolean undoWaits;

    @ParameterizedTest
    @EnumSource(names = {"H2", "MARIADB", "MYSQL", "POSTGRES"})
    void theRowIsAsTheModelSays(On on) throws Exception {
        try (AutoUndoBench bench = new AutoUndoBench(on);
                Transactions transactions = bench.transactions()) {
            bench.run("DROP TABLE IF EXISTS machine", "CREATE TABLE machine (id INT PRIMARY KEY, n INT)");
            globals = bench.globals(transactions, scope);
            GlobalDataSource database = bench.global(scope);
            for (long seed = SEED; seed < SEED + RUNS; seed++) {
                bench.run("DELETE FROM machine", "INSERT INTO machine VALUES (1, 0)");
                begin(seed);
                try (Connection connection = database.getConnection()) {
                    kept = connection;
                    for (int step = 0; step < STEPS; step++) {
                        if (random.nextInt(5) == 0) {
                            global();
                        } else {
                            step();
                        }
                        if (open == Open.NOBODY) {
                            require(bench);
                        }
                    }
                    if (!auto) {
                        kept.rollback();
                    }
                } catch (SQLException | AssertionError | TransactionAbortedException e) {
                    throw new AssertionError("seed " + seed + ": " + log, e);
                }
                open = Open.NOBODY;
                require(bench);
            }
        }
    }

    private void begin(long seed) {
        random = new Random(seed);
        log.clear();
        auto = true;
        within = false;
        open = Open.NOBODY;
        committed = 0;
        ofGlobal = 0;
        pending = 0;
        undoWaits = false;
    }

    /** What is undone may have waited for the local transaction that was left open on the same row. */
    private void require(AutoUndoBench bench) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(40))
                .pollDelay(Duration.ZERO)
                .untilAsserted(() -> assertThat(bench.query("SELECT n FROM machine"))
                        .as("what is committed, %s", log)
                        .containsExactly(String.valueOf(committed)));
        undoWaits = false;
    }

    private void global() throws SQLException {
        boolean fails = random.nextInt(3) == 0;
        boolean reads = random.nextInt(4) == 0;
        log.add(reads ? "read {" : "{");
        ofGlobal = 0;
        boolean aborted = false;
        within = !reads;
        try {
            globals.<Boolean, SQLException>call(reads ? GlobalOptions.DEFAULT.reading() : GlobalOptions.DEFAULT, () -> {
                for (int step = random.nextInt(6); step > 0; step--) {
                    if (reads) {
                        look();
                    } else {
                        step();
                    }
                }
                if (open == Open.WITHIN && random.nextInt(8) > 0) {
                    boolean commits = random.nextBoolean();
                    log.add(commits ? "commit" : "rollback");
                    if (commits) {
                        kept.commit();
                    } else {
                        kept.rollback();
                    }
                    ended(commits);
                }
                if (fails) {
                    throw new Failure();
                }
                return true;
            });
            assertThat(!reads && open == Open.WITHIN)
                    .as("left open, and committed")
                    .isFalse();
        } catch (Failure e) {
            aborted = !reads;
        } catch (TransactionAbortedException e) {
            assertThat(open).as(String.valueOf(e)).isEqualTo(Open.WITHIN);
            aborted = true;
        }
        within = false;
        if (aborted) {
            committed -= ofGlobal;
        }
        if (open == Open.WITHIN) {
            open = reads ? Open.READER_BEFORE : Open.BEFORE;
            undoWaits |= !reads;
            pending = 0;
        }
        log.add(aborted ? "} aborted" : "}");
    }

    private void step() throws SQLException {
        switch (random.nextInt(8)) {
            case 0 -> {
                auto = !auto;
                log.add("auto " + auto);
                if (isOver()) {
                    kept.rollback();
                    open = Open.NOBODY;
                }
                kept.setAutoCommit(auto);
                ended(true);
            }
            case 1, 2 -> {
                if (!auto && !isOver()) {
                    log.add("commit");
                    kept.commit();
                    ended(true);
                }
            }
            case 3 -> {
                if (!auto) {
                    log.add("rollback");
                    kept.rollback();
                    ended(false);
                }
            }
            case 4 -> look();
            default -> change();
        }
    }

    private void ended(boolean commits) {
        if (commits) {
            committed += pending;
            ofGlobal += open == Open.WITHIN ? pending : 0;
        }
        pending = 0;
        open = Open.NOBODY;
    }

    private boolean isOver() {
        return open == Open.BEFORE || open == Open.READER_BEFORE;
    }

    private boolean isRefused() {
        return switch (open) {
            case NOBODY, WITHIN -> false;
            case OUTSIDE -> within;
            case BEFORE -> true;
            case READER_BEFORE -> !scope.isReadOnly();
        };
    }

    private void look() throws SQLException {
        boolean refused = isRefused();
        log.add("look" + (refused ? ", refused" : ""));
        try {
            List<String> seen = AutoUndoBench.query(kept, "SELECT n FROM machine");
            assertThat(refused).as("seen %s though it is another's", seen).isFalse();
            assertThat(seen).as("seen").containsExactly(String.valueOf(committed + pending));
        } catch (SQLException e) {
            if (!refused) {
                throw e;
            }
            return;
        }
        begun();
    }

    private void change() throws SQLException {
        boolean refused = isRefused();
        log.add("change" + (refused ? ", refused" : ""));
        try {
            AutoUndoBench.update(kept, "UPDATE machine SET n = n + 1 WHERE id = 1");
            assertThat(refused).as("changed though it is another's").isFalse();
        } catch (SQLTransientException e) {
            if (!undoWaits) {
                throw e;
            }
            log.add("the row is another's");
            if (!auto) {
                kept.rollback();
                ended(false);
            }
            return;
        } catch (SQLException e) {
            if (!refused) {
                throw e;
            }
            return;
        }
        if (auto) {
            committed++;
            ofGlobal += within ? 1 : 0;
        } else {
            pending++;
        }
        begun();
    }

    private void begun() {
        if (!auto && open == Open.NOBODY) {
            open = within || scope.isReadOnly() ? Open.WITHIN : Open.OUTSIDE;
        }
    }
}
