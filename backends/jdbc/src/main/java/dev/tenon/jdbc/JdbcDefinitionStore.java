package dev.tenon.jdbc;

import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.spi.DefinitionStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** ID definitions as rows of {@code tenon_definition}. Thread-safe. */
final class JdbcDefinitionStore implements DefinitionStore {
    private static final String NAME = "definition name";

    private final SqlCalls sql;
    private final Sql read;
    private final Sql insert;
    private final Sql list;
    private final Sql lock;
    private final Sql replace;
    private final Sql remove;

    JdbcDefinitionStore(SqlCalls sql, Dialect dialect) {
        this.sql = sql;
        this.read = dialect.sql(SqlStatement.DEFINITION_READ);
        this.insert = dialect.sql(SqlStatement.DEFINITION_INSERT);
        this.list = dialect.sql(SqlStatement.DEFINITION_LIST);
        this.lock = dialect.sql(SqlStatement.DEFINITION_LOCK);
        this.replace = dialect.sql(SqlStatement.DEFINITION_REPLACE);
        this.remove = dialect.sql(SqlStatement.DEFINITION_REMOVE);
    }

    @Override
    public Optional<String> find(String name) {
        Names.requireValid(NAME, name);
        return sql.run((link, doubt) -> find(link, name));
    }

    @Override
    public String putIfAbsent(String name, String text) {
        Args row = row(name).text("text", DefinitionStore.requireText(text));
        return sql.run((link, doubt) -> {
            Optional<String> before = find(link, name);
            if (before.isEmpty()) {
                link.update(insert, row); // fails if another was faster, and then all of this runs again
            }
            return before.orElse(text);
        });
    }

    @Override
    public boolean replace(String name, String before, String text) {
        return ifStill(name, before, replace, row(name).text("text", DefinitionStore.requireText(text)));
    }

    @Override
    public boolean remove(String name, String text) {
        return ifStill(name, text, remove, row(name));
    }

    /** Texts are compared here: a database may hold two for equal that are not. */
    private boolean ifStill(String name, String text, Sql change, Args args) {
        return sql.run((link, doubt) -> {
            boolean changed = link.atomically(() -> {
                List<String> there = link.query(lock, row(name), row -> row.getString(1));
                return there.contains(text) && link.update(change, args) == 1;
            });
            if (doubt && !changed) {
                throw new OutcomeUnknownException(
                        "The connection broke during a change of the definition of \"" + name + "\"");
            }
            return changed;
        });
    }

    private static Args row(String name) {
        return new Args().text("name", Names.requireValid(NAME, name));
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
