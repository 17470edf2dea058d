package dev.tenon.jdbc;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** ID definitions as rows of {@code tenon_definition}, which are written once and never changed. Thread-safe. */
final class JdbcDefinitionStore implements DefinitionStore {
    private static final String NAME = "definition name";

    private final SqlCalls sql;
    private final Sql read;
    private final Sql insert;
    private final Sql list;

    JdbcDefinitionStore(SqlCalls sql, Dialect dialect) {
        this.sql = sql;
        this.read = dialect.sql("definition-read");
        this.insert = dialect.sql("definition-insert");
        this.list = dialect.sql("definition-list");
    }

    @Override
    public Optional<String> find(String name) {
        Names.requireValid(NAME, name);
        return sql.run((link, doubt) -> find(link, name));
    }

    @Override
    public String putIfAbsent(String name, String text) {
        Args row =
                new Args().text("name", Names.requireValid(NAME, name)).text("text", DefinitionStore.requireText(text));
        return sql.run((link, doubt) -> {
            Optional<String> before = find(link, name);
            if (before.isEmpty()) {
                link.update(insert, row); // fails if another was faster, and then all of this runs again
            }
            return before.orElse(text);
        });
    }

    @Override
    public Map<String, String> all() {
        Map<String, String> all = new TreeMap<>();
        sql.run((link, doubt) -> link.query(list, new Args(), row -> Map.entry(row.getString(1), row.getString(2))))
                .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        return all;
    }

    private Optional<String> find(Link link, String name) throws SQLException {
        return link.query(read, new Args().text("name", name), row -> row.getString(1)).stream()
                .findFirst();
    }
}
