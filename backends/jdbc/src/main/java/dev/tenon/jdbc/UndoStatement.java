package dev.tenon.jdbc;

import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.sf.jsqlparser.JSQLParserException;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/**
 * What automatic undo has to know of a statement. What it can't undo is refused here, before it runs.
 *
 * @param kind what it does
 * @param table which it does it to, as the statement names it
 * @param columns those that are set, or given to a new row
 * @param values what is given to a new row, as expressions in the order of {@code columns}
 * @param where the condition, as text; empty if there is none
 * @param whereParameters how many of the last parameters are in the condition
 * @param head an {@code UPDATE} or {@code DELETE} up to its condition
 */
record UndoStatement(
        Kind kind,
        String table,
        List<String> columns,
        List<String> values,
        String where,
        int whereParameters,
        String head) {
    private static final String SUPPORTED =
            "automatic undo takes INSERT of one row with VALUES, UPDATE and DELETE of one"
                    + " table with a primary key, and queries; for anything else use a saga or TCC";

    /** What a statement does. */
    enum Kind {
        QUERY,
        INSERT,
        UPDATE,
        DELETE
    }

    UndoStatement {
        columns = List.copyOf(columns);
        values = List.copyOf(values);
    }

    /**
     * Reads a statement.
     *
     * @param mySql whether the database speaks MySQL
     * @throws SQLFeatureNotSupportedException if it is not one that can be undone
     */
    static UndoStatement parse(String sql, boolean mySql) throws SQLException {
        UndoText.require(sql, mySql);
        List<? extends Statement> statements;
        try {
            statements = CCJSqlParserUtil.parseStatements(sql);
        } catch (JSQLParserException e) {
            throw new SQLFeatureNotSupportedException("Not understood: " + sql + " (" + SUPPORTED + ")", e);
        }
        if (statements == null || statements.size() != 1) {
            return refuse(sql, "not one statement");
        }
        Statement statement = statements.get(0);
        if (statement instanceof Select select) {
            requireReading(sql, select);
            return new UndoStatement(Kind.QUERY, "", List.of(), List.of(), "", 0, "");
        }
        if (statement instanceof Insert insert) {
            return insert(sql, insert);
        }
        if (statement instanceof Update update) {
            return update(sql, update);
        }
        if (statement instanceof Delete delete) {
            return delete(sql, delete);
        }
        return refuse(sql, statement.getClass().getSimpleName());
    }

    /** Refuses what writes, in parentheses and in each part of a {@code UNION}, too. */
    private static void requireReading(String sql, Select select) throws SQLException {
        requireNone(sql, "WITH", select.getWithItemsList());
        if (select instanceof PlainSelect plain) {
            requireNone(sql, "INTO", plain.getIntoTables());
        } else if (select instanceof ParenthesedSelect inner) {
            requireReading(sql, inner.getSelect());
        } else if (select instanceof SetOperationList list) {
            for (Select each : list.getSelects()) {
                requireReading(sql, each);
            }
        }
    }

    private static UndoStatement insert(String sql, Insert insert) throws SQLException {
        requireNone(sql, "WITH", insert.getWithItemsList());
        requireNone(sql, "RETURNING", insert.getReturningClause());
        requireNone(sql, "ON CONFLICT", insert.getConflictAction());
        requireNone(sql, "ON DUPLICATE KEY", insert.getDuplicateUpdateSets());
        boolean plain = insert.getSelect() instanceof Values && insert.getColumns() != null;
        if (insert.isModifierIgnore() || !plain) {
            return refuse(sql, "an INSERT without column names and VALUES, or with IGNORE");
        }
        List<String> columns =
                insert.getColumns().stream().map(UndoStatement::name).toList();
        List<String> values = new ArrayList<>();
        for (Object value : insert.getValues().getExpressions()) {
            if (value instanceof ExpressionList) {
                return refuse(sql, "an INSERT of several rows");
            }
            values.add(String.valueOf(value));
        }
        if (values.size() != columns.size()) {
            return refuse(sql, "an INSERT of as many values as it has columns is needed");
        }
        return new UndoStatement(Kind.INSERT, table(insert.getTable()), columns, values, "", 0, "");
    }

    private static UndoStatement update(String sql, Update update) throws SQLException {
        requireNone(sql, "WITH", update.getWithItemsList());
        requireNone(sql, "RETURNING", update.getReturningClause());
        requireNone(sql, "FROM", update.getFromItem());
        requireNone(sql, "a join", update.getJoins());
        requireNone(sql, "a join", update.getStartJoins());
        requireNone(sql, "ORDER BY", update.getOrderByElements());
        requireNone(sql, "LIMIT", update.getLimit());
        if (update.isModifierIgnore()) {
            return refuse(sql, "IGNORE");
        }
        List<String> columns = new ArrayList<>();
        for (UpdateSet set : update.getUpdateSets()) {
            set.getColumns().forEach(column -> columns.add(name(column)));
        }
        Expression where = update.getWhere();
        update.setWhere(null);
        return conditional(Kind.UPDATE, update.getTable(), columns, where, update.toString());
    }

    private static UndoStatement delete(String sql, Delete delete) throws SQLException {
        requireNone(sql, "WITH", delete.getWithItemsList());
        requireNone(sql, "RETURNING", delete.getReturningClause());
        requireNone(sql, "USING", delete.getUsingList());
        requireNone(sql, "a join", delete.getJoins());
        requireNone(sql, "ORDER BY", delete.getOrderByElements());
        requireNone(sql, "LIMIT", delete.getLimit());
        if (delete.isModifierIgnore()) {
            return refuse(sql, "IGNORE");
        }
        String head = "DELETE FROM " + table(delete.getTable());
        return conditional(Kind.DELETE, delete.getTable(), List.of(), delete.getWhere(), head);
    }

    private static UndoStatement conditional(
            Kind kind, Table table, List<String> columns, @Nullable Expression where, String head) {
        String condition = where == null ? "" : where.toString();
        String alias = table.getAlias() == null ? "" : " " + table.getAlias().getName();
        return new UndoStatement(
                kind, table(table) + alias, columns, List.of(), condition, parameters(condition), head);
    }

    /** How many question marks of an expression are parameters. */
    static int parameters(String expression) {
        int count = 0;
        char quote = 0;
        for (int i = 0; i < expression.length(); i++) {
            char c = expression.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"' || c == '`') {
                quote = c;
            } else if (c == '?') {
                count++;
            }
        }
        return count;
    }

    /** The table without the alias that the condition may use. */
    String bareTable() {
        int space = table.indexOf(' ');
        return space < 0 ? table : table.substring(0, space);
    }

    private static String table(Table table) {
        return table.getFullyQualifiedName();
    }

    private static String name(Column column) {
        return unquoted(column.getColumnName()).toLowerCase(Locale.ROOT);
    }

    /** A name without the quotes of any dialect. */
    static String unquoted(String name) {
        boolean quoted = name.length() > 1 && "\"`".indexOf(name.charAt(0)) >= 0;
        return quoted ? name.substring(1, name.length() - 1) : name;
    }

    private static void requireNone(String sql, String what, @Nullable Object part) throws SQLException {
        boolean some = part instanceof List<?> list ? !list.isEmpty() : part != null;
        if (some) {
            refuse(sql, what);
        }
    }

    private static UndoStatement refuse(String sql, String what) throws SQLException {
        throw new SQLFeatureNotSupportedException("Can't be undone (" + what + "): " + sql + "; " + SUPPORTED);
    }
}
