package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.CountedDatabase.Count;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each mode costs when all goes well, counted: the table of docs/transactions/cost.md says so, and is right. */
class TransactionCostTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "transactions", "cost.md");

    /** The rows of the table: statements, commits, round trips to PostgreSQL, to MariaDB, to MySQL. */
    private static Map<String, List<Integer>> table() throws IOException {
        Map<String, List<Integer>> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.matches("\\|[^|]+(\\| *\\d+ *){5}\\|")) {
                List<String> cells =
                        Arrays.stream(line.split("\\|")).map(String::strip).toList();
                rows.put(
                        cells.get(1),
                        cells.subList(2, 7).stream().map(Integer::valueOf).toList());
            }
        }
        return rows;
    }

    /** What it costs to put 1 000 rows back on a database: statements, commits. */
    private static List<Integer> putBack(String database) throws IOException {
        for (String line : Files.readAllLines(PAGE)) {
            if (line.matches("\\| " + database + " (\\| *\\d+ *){2}\\|")) {
                return Arrays.stream(line.split("\\|"))
                        .skip(2)
                        .map(cell -> Integer.valueOf(cell.strip()))
                        .toList();
            }
        }
        throw new AssertionError("The page has no row for " + database);
    }

    @Test
    void theTableHasEveryMode() throws IOException {
        assertThat(table().keySet())
                .containsExactlyElementsOf(Arrays.stream(CostScenario.values())
                        .map(CostScenario::label)
                        .toList());
    }

    @Nested
    class OnPostgres extends OnDatabase {
        @Override
        String name() {
            return "PostgreSQL";
        }

        @Override
        void open() throws SQLException {
            bench = new CountedModes(
                    new CountedDatabase(PostgresServer.shared()), new CountedDatabase(PostgresServer.shared()));
        }

        @Override
        List<Integer> cost(Count count) {
            return List.of(count.statements(), count.commits(), count.roundTrips());
        }

        @Override
        List<Integer> expected(List<Integer> row) {
            return List.of(row.get(0), row.get(1), row.get(2));
        }
    }

    @Nested
    class OnMariaDb extends OnDatabase {
        @Override
        String name() {
            return "MariaDB";
        }

        @Override
        void open() throws SQLException {
            bench = new CountedModes(
                    new CountedDatabase(MariaDbServer.shared()), new CountedDatabase(MariaDbServer.shared()));
        }

        @Override
        List<Integer> cost(Count count) {
            return List.of(count.statements(), count.commits(), count.roundTrips());
        }

        @Override
        List<Integer> expected(List<Integer> row) {
            return List.of(row.get(0), row.get(1), row.get(3));
        }
    }

    /** Here what is one statement elsewhere may be two that are sent together, or one that is several inside. */
    @Nested
    class OnMySql extends OnDatabase {
        @Override
        String name() {
            return "MySQL";
        }

        @Override
        void open() throws SQLException {
            bench = new CountedModes(
                    new CountedDatabase(MySqlServer.shared()), new CountedDatabase(MySqlServer.shared()));
        }

        @Override
        List<Integer> cost(Count count) {
            return List.of(count.roundTrips());
        }

        @Override
        List<Integer> expected(List<Integer> row) {
            return List.of(row.get(4));
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnDatabase {
        private static final int TIMES_WHEN_BUSY = 40;
        private static final int TIMES = 4;

        CountedModes bench;

        abstract String name();

        abstract void open() throws SQLException;

        abstract List<Integer> cost(Count count);

        abstract List<Integer> expected(List<Integer> row);

        @BeforeAll
        void begin() throws SQLException {
            open();
        }

        @AfterAll
        void close() {
            bench.close();
        }

        @Test
        void rowsArePutBackForWhatThePageSays() throws Exception {
            CostScenario.changeMany(bench, false);
            List<Integer> page = putBack(name());
            Count least = bench.count(run -> CostScenario.changeMany(run, false));
            for (int i = 1; i < TIMES || i < TIMES_WHEN_BUSY && !cut(least).equals(page); i++) {
                least = least.least(bench.count(run -> CostScenario.changeMany(run, false)));
            }
            assertThat(cut(least)).as("statements, commits").isEqualTo(page);
        }

        private static List<Integer> cut(Count count) {
            return List.of(count.statements(), count.commits());
        }

        @ParameterizedTest
        @EnumSource
        void costsWhatThePageSays(CostScenario scenario) throws Exception {
            scenario.run(bench); // connects, and asks for what is asked for once
            Count least = bench.count(scenario::run);
            List<Integer> page = expected(table().get(scenario.label()));
            // On a busy machine whoever waits looks once more: that is no cost of the mode.
            for (int i = 1; i < TIMES || i < TIMES_WHEN_BUSY && !cost(least).equals(page); i++) {
                least = least.least(bench.count(scenario::run));
            }
            assertThat(cost(least))
                    .as("%s: statements, commits, round trips", scenario.label())
                    .isEqualTo(page);
        }
    }
}
