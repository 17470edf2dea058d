package dev.tenon.tx.xa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a transaction that was closed as it is leaves prepared is left alone, and ended by the statements of the page.
 */
class ClosedXaTest {
    private final SqlAddress mariaDb = MariaDbServer.shared();
    private final SqlAddress mySql = MySqlServer.shared();
    private final SqlAddress postgres = PostgresServer.shared();
    private final Map<String, Place> places = Map.of(
            "one", Place.mariaDb(mariaDb).prepared(),
            "two", Place.postgres(postgres).prepared(),
            "three", Place.mySql(mySql).prepared());
    private final TestLog log = new TestLog();
    private Cluster cluster;

    @BeforeEach
    void open() {
        cluster = new Cluster(log, places, XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)), Steps.NONE);
    }

    @AfterEach
    void close() {
        cluster.close();
        places.values().forEach(Place::close);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void branchesAreEndedByHand(boolean commits) throws Exception {
        log.atBegin = begin -> {
            begin.get();
            throw new OutcomeUnknownException("lost");
        };
        TransactionId gid;
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            Place.move(tx.connection("one"), "a");
            Place.move(tx.connection("two"), "a");
            Place.move(tx.connection("three"), "a");
            assertThatThrownBy(tx::commit).isInstanceOf(OutcomeUnknownException.class);
        }
        log.atBegin = Supplier::get;
        assertThat(cluster.transactions.closeAsIs(gid, "ann", "ended by hand").state())
                .isEqualTo(TransactionState.CLOSED);
        for (int look = 0; look < 3; look++) {
            cluster.xa.runOnce();
        }
        assertThat(places.values())
                .allSatisfy(place -> assertThat(Cluster.prepared(place)).hasSize(1));

        String global = Cluster.SERVICE + "/" + gid;
        List<String> onPostgres = ask(
                postgres,
                "SELECT gid, convert_from(decode(split_part(gid, '_', 2), 'base64'), 'UTF8') AS transaction,"
                        + " convert_from(decode(split_part(gid, '_', 3), 'base64'), 'UTF8') AS branch"
                        + " FROM pg_prepared_xacts WHERE gid LIKE '1413828175\\_%'",
                row -> row.get(1).equals(global));
        assertThat(onPostgres.get(2)).isEqualTo("two");
        run(postgres, (commits ? "COMMIT PREPARED '" : "ROLLBACK PREPARED '") + onPostgres.get(0) + "'");

        String hex = HexFormat.of().formatHex(global.getBytes(StandardCharsets.US_ASCII));
        List<String> onMariaDb = ask(
                mariaDb,
                "XA RECOVER FORMAT='SQL'",
                row -> row.get(row.size() - 1).toLowerCase(Locale.ROOT).startsWith("x'" + hex + "',"));
        String branch = onMariaDb.get(onMariaDb.size() - 1);
        assertThat(branch).endsWith(",1413828175");
        run(mariaDb, (commits ? "XA COMMIT " : "XA ROLLBACK ") + branch);

        // Formatted as the page says: the parts stand behind each other, and their lengths before them.
        List<String> onMySql = ask(
                mySql,
                "XA RECOVER CONVERT XID",
                row -> row.get(3).toLowerCase(Locale.ROOT).startsWith("0x" + hex));
        assertThat(onMySql.get(0)).isEqualTo("1413828175");
        int cut = 2 + 2 * Integer.parseInt(onMySql.get(1));
        String data = onMySql.get(3);
        String xid = "X'" + data.substring(2, cut) + "',X'" + data.substring(cut) + "'," + onMySql.get(0);
        run(mySql, (commits ? "XA COMMIT " : "XA ROLLBACK ") + xid);

        assertThat(places.values()).allSatisfy(place -> {
            assertThat(place.has("a")).isEqualTo(commits);
            assertThat(Cluster.prepared(place)).isEmpty();
        });
    }

    /** The columns of the row that is meant: other tests have branches on the same server. */
    private static List<String> ask(SqlAddress at, String sql, Predicate<List<String>> meant) throws SQLException {
        try (Connection connection = at.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    columns.add(row.getString(i));
                }
                if (meant.test(columns)) {
                    return columns;
                }
            }
        }
        throw new AssertionError("Not listed by " + sql);
    }

    private static void run(SqlAddress at, String sql) throws SQLException {
        try (Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
