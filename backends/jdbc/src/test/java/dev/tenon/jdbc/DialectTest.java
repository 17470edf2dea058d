package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The list of statements, the files with their texts, and what asks for them. */
class DialectTest {
    private static final Path FILES = Path.of("src/main/resources/dev/tenon/jdbc");
    private static final Path CODE = Path.of("src/main/java/dev/tenon/jdbc");

    private static final Pattern ASKED = Pattern.compile("\\b(?:Sql|BuiltIn)Statement\\.([A-Z_]+)\\b");

    static Stream<Dialect> ours() {
        return Stream.of(H2Dialect.H2, MariaDbDialect.MARIADB, MySqlDialect.MYSQL, PostgresDialect.POSTGRESQL);
    }

    @ParameterizedTest
    @MethodSource("ours")
    void hasEveryStatementWithItsParameters(Dialect dialect) {
        assertThat(DialectCheck.problems(dialect)).isEmpty();
        for (BuiltInStatement statement : BuiltInStatement.values()) {
            Sql sql = dialect.ownSql(statement);
            if (sql != null) {
                assertThat(DialectCheck.problems(statement.allParameters(), sql))
                        .isEmpty();
            }
        }
    }

    @Test
    void everyFileIsAStatementOfTheListAndEveryStatementHasOne() throws IOException {
        Set<String> listed = Stream.concat(
                        Stream.of(SqlStatement.values()).map(SqlStatement::file),
                        Stream.of(BuiltInStatement.values()).map(BuiltInStatement::file))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> found = new TreeSet<>();
        for (String folder : List.of("every", "h2", "mariadb", "mysql", "postgresql")) {
            found.addAll(files(FILES.resolve(folder)));
        }
        assertThat(found).isEqualTo(listed);
    }

    @Test
    void whatIsCommonAndNothingElseHasACommonText() throws IOException {
        assertThat(files(FILES.resolve("every")))
                .containsExactlyInAnyOrderElementsOf(Stream.of(SqlStatement.values())
                        .filter(statement -> statement.need() == SqlStatement.Need.COMMON)
                        .map(SqlStatement::file)
                        .toList());
    }

    @Test
    void everyStatementIsAskedFor() throws IOException {
        Set<String> asked = new TreeSet<>();
        try (Stream<Path> sources = Files.list(CODE)) {
            for (Path source : sources.toList()) {
                Matcher name = ASKED.matcher(Files.readString(source));
                while (name.find()) {
                    asked.add(name.group(1));
                }
            }
        }
        assertThat(asked).containsAll(names(SqlStatement.values())).containsAll(names(BuiltInStatement.values()));
    }

    private static List<String> names(Enum<?>... statements) {
        return Stream.of(statements).map(Enum::name).toList();
    }

    @Test
    void oneFromElsewhereHasWhatTheOneHasThatItIsBasedOn() {
        Altered based = new Altered(H2Dialect.H2);
        assertThat(DialectCheck.problems(new PluggedDialect(based))).isEmpty();
    }

    @Test
    void oneThatLacksARequiredStatementIsRefused() {
        assertRefused(new Altered(H2Dialect.H2).without(SqlStatement.GUARD_RAISE), "it has no GUARD_RAISE");
    }

    @Test
    void anotherStatementMayStandInsteadOfARequiredOne() {
        Altered other = new Altered(H2Dialect.H2)
                .without(SqlStatement.GUARD_RAISE)
                .with(SqlStatement.GUARD_WRITE, "CALL SHOWN(:resource, :token)");
        assertThat(DialectCheck.problems(new PluggedDialect(other))).isEmpty();
    }

    @Test
    void aStatementThatLacksAParameterOrHasAnUnknownOneIsRefused() {
        String text = "SELECT * FROM tenon_lock WHERE name = :nmae";
        assertRefused(
                new Altered(H2Dialect.H2).with(SqlStatement.LOCK_READ, text),
                "H2/lock-read lacks its parameter :name; H2/lock-read has an unknown parameter :nmae");
    }

    @Test
    void anUnknownPlaceholderIsRefused() {
        assertRefused(
                new Altered(H2Dialect.H2).with(SqlStatement.TX_NOW, "SELECT {clok}"),
                "H2/tx-now has an unknown {clok}");
    }

    @Test
    void anOldSchemaIsRefused() {
        Altered old = new Altered(H2Dialect.H2);
        old.scripts.remove(10);
        assertRefused(old, "its schema has 10 scripts and must have 11");
    }

    @Test
    void everyProblemIsListedAtOnce() {
        Altered poor =
                new Altered(H2Dialect.H2).without(SqlStatement.BARRIER_INSERT).without(SqlStatement.ID_BUILDER);
        assertRefused(poor, "it has no ID_BUILDER; it has no BARRIER_INSERT");
    }

    private static void assertRefused(SqlDialect dialect, String problems) {
        assertThatThrownBy(() -> JdbcOptions.DEFAULT.withDialect(dialect))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The dialect H2 is incomplete: " + problems);
    }

    private static Set<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** A dialect as another author would base it on one of ours. */
    static final class Altered implements SqlDialect {
        private final SqlDialect base;
        private final Map<SqlStatement, Optional<String>> own = new HashMap<>();
        final List<String> scripts;

        Altered(SqlDialect base) {
            this.base = base;
            this.scripts = new ArrayList<>(base.schema());
        }

        Altered with(SqlStatement statement, String text) {
            own.put(statement, Optional.of(text));
            return this;
        }

        Altered without(SqlStatement statement) {
            own.put(statement, Optional.empty());
            return this;
        }

        @Override
        public String name() {
            return base.name();
        }

        @Override
        public String clock() {
            return base.clock();
        }

        @Override
        public String incarnation() {
            return base.incarnation();
        }

        @Override
        public Optional<String> source(SqlStatement statement) {
            return own.getOrDefault(statement, base.source(statement));
        }

        @Override
        public List<String> schema() {
            return scripts;
        }

        @Override
        public SqlFailure failure(SQLException e) {
            return base.failure(e);
        }
    }
}
