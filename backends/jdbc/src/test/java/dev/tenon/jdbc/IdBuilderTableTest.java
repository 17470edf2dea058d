package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.builder.IdBuilderOptions;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.jdbc.BuilderTable.Moved;
import dev.tenon.testkit.BuilderConfigStoreContract.Row;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ID-builder service's table as its users have it: as it was published, and with foreign instances on it. */
class IdBuilderTableTest {
    /** Written down anew from the published description: names, types, keys and defaults are its. */
    private static final String PUBLISHED_FOR_MYSQL = """
            CREATE TABLE `t_id_builder_config` (
              `id` int(11) NOT NULL AUTO_INCREMENT,
              `des` varchar(255) COLLATE utf8mb4_unicode_ci DEFAULT NULL COMMENT 'what it is for',
              `init_num` bigint(13) DEFAULT NULL, `current_threshold` bigint(16) DEFAULT NULL,
              `step` int(8) DEFAULT NULL, `biz_code` varchar(60) COLLATE utf8mb4_unicode_ci DEFAULT NULL,
              `version` int(11) NOT NULL DEFAULT '0', `is_seq` smallint(2) NOT NULL DEFAULT '0',
              `create_time` datetime DEFAULT CURRENT_TIMESTAMP,
              `update_time` datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
              PRIMARY KEY (`id`)
            ) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci
            """;

    private static final String PUBLISHED = """
            CREATE TABLE t_id_builder_config (
              id serial PRIMARY KEY, des varchar(255), init_num bigint, current_threshold bigint, step int,
              biz_code varchar(60), version int DEFAULT 0, is_seq smallint,
              create_time timestamp, update_time timestamp)
            """;

    private enum Database {
        H2(() -> {
            String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            return new At(url, "", "");
        }),
        MARIADB(() -> At.of(MariaDbServer.shared())),
        MYSQL(() -> At.of(MySqlServer.shared())),
        POSTGRESQL(() -> At.of(PostgresServer.shared()));

        private final Supplier<At> open;

        Database(Supplier<At> open) {
            this.open = open;
        }
    }

    private record At(String url, String user, String password) {
        static At of(SqlAddress address) {
            return new At(address.url(), address.user(), address.password());
        }

        JdbcBackend backend() {
            return JdbcBackend.connect(url, user, password);
        }

        Connection connect() {
            try {
                return DriverManager.getConnection(url, user, password);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        /** The published table, with one row as it comes with it. */
        BuilderTable published(Database database) throws SQLException {
            BuilderTable table = new BuilderTable(connect());
            table.execute(database == Database.MARIADB ? PUBLISHED_FOR_MYSQL : PUBLISHED);
            table.put(new Row(4, 10_000L, 20, "contract_", 1));
            return table;
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsMadeUntilItIsAskedFor(Database database) throws SQLException {
        At at = database.open.get();
        try (JdbcBackend backend = at.backend();
                Connection connection = at.connect()) {
            assertThatThrownBy(() -> backend.builderConfigs().take(1))
                    .isInstanceOf(UnknownCodeException.class)
                    .hasMessageContaining("createIdBuilderTable")
                    .hasMessageContaining("id-builder.sql");
            assertThat(backend.builderConfigs().configs()).isEmpty();
            assertThat(tables(connection)).isEmpty();
            backend.createIdBuilderTable();
            backend.createIdBuilderTable();
            assertThat(tables(connection)).containsExactly("t_id_builder_config");
            assertThatThrownBy(() -> backend.builderConfigs().take(1)).hasMessageContaining("INSERT INTO");
        }
        try (JdbcBackend backend = at.backend();
                BuilderTable table = new BuilderTable(at.connect())) {
            table.put(new Row(1, 7L, 10, "", 0));
            backend.createIdBuilderTable();
            assertThat(backend.builderConfigs().take(1).first()).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPublishedTableIsMovedOnAsItsOwnersDo(Database database) throws SQLException {
        At at = database.open.get();
        try (BuilderTable table = at.published(database);
                JdbcBackend backend = at.backend();
                Connection connection = at.connect()) {
            table.execute("UPDATE t_id_builder_config SET update_time = '2020-12-23 12:17:10'");
            Moved before = table.row(4);
            assertThat(backend.builderConfigs().take(4).first()).isEqualTo(10_000);
            Moved after = table.row(4);
            assertThat(after.threshold()).isEqualTo(10_020);
            assertThat(after.version()).isEqualTo(before.version() + 1);
            assertThat(after.updated()).isAfter(before.updated());
            assertThat(after.description()).isEqualTo(before.description());
            assertThat(after.initNum()).isEqualTo(before.initNum());
            assertThat(backend.builderConfigs().raiseTo(4, 1)).isEqualTo(10_020);
            assertThat(table.row(4)).isEqualTo(after);
            assertThat(tables(connection)).containsExactly("t_id_builder_config");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aVersionThatIsUsedUpBeginsAnew(Database database) throws SQLException {
        At at = database.open.get();
        try (BuilderTable table = at.published(database);
                JdbcBackend backend = at.backend()) {
            table.execute("UPDATE t_id_builder_config SET version = 2147483647");
            assertThat(backend.builderConfigs().take(4).first()).isEqualTo(10_000);
            assertThat(table.row(4).version()).isZero();
            assertThat(backend.builderConfigs().take(4).first()).isEqualTo(10_020);
            assertThat(table.row(4).version()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void foreignInstancesOnTheSameRowsGetOtherNumbers(Database database) throws Exception {
        At at = database.open.get();
        List<CompletableFuture<List<Long>>> all = new ArrayList<>();
        try (BuilderTable table = at.published(database);
                JdbcBackend here = at.backend();
                JdbcBackend there = at.backend();
                LocalIdBuilder one = LocalIdBuilder.create(here.builderConfigs(), IdBuilderOptions.DEFAULT);
                LocalIdBuilder other = LocalIdBuilder.create(there.builderConfigs(), IdBuilderOptions.DEFAULT)) {
            for (int i = 0; i < 2; i++) {
                all.add(CompletableFuture.supplyAsync(() -> foreign(at, 50)));
            }
            all.add(CompletableFuture.supplyAsync(() -> ids(1_000, () -> one.unionSeqId(4))));
            all.add(CompletableFuture.supplyAsync(() -> ids(1_000, () -> one.unionId(4))));
            all.add(CompletableFuture.supplyAsync(() -> ids(1_000, () -> other.unionSeqId(4))));
            List<Long> numbers = new ArrayList<>();
            for (CompletableFuture<List<Long>> each : all) {
                numbers.addAll(each.get());
            }
            assertThat(numbers).hasSize(2 * 50 * 20 + 3 * 1_000).doesNotHaveDuplicates();
            var row = table.row(4); // once: a segment may still be fetched ahead
            assertThat(row.version()).isEqualTo((int) ((row.threshold() - 10_000) / 20));
        }
    }

    private static List<Long> ids(int count, Supplier<Long> next) {
        return LongStream.range(0, count).mapToObj(i -> next.get()).toList();
    }

    private static List<Long> foreign(At at, int segments) {
        try (BuilderTable table = new BuilderTable(at.connect())) {
            List<Long> numbers = new ArrayList<>();
            for (int i = 0; i < segments; i++) {
                long first = table.takeAsForeignInstance(4);
                LongStream.range(first, first + 20).forEach(numbers::add);
            }
            return numbers;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> tables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet all = connection
                .getMetaData()
                .getTables(connection.getCatalog(), null, "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (all.next()) {
                String schema = String.valueOf(all.getString("TABLE_SCHEM"));
                if (!schema.equals("INFORMATION_SCHEMA")) {
                    tables.add(all.getString("TABLE_NAME").toLowerCase(java.util.Locale.ROOT));
                }
            }
        }
        return tables;
    }
}
