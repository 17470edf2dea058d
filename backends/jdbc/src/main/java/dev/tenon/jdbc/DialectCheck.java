package dev.tenon.jdbc;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a dialect has every statement that it must have, with the parameters that Tenon gives. */
final class DialectCheck {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");

    /** Those that are still there when a statement is asked for: what is between them stands once for each row. */
    private static final Set<String> LATER = Set.of("each", "end");

    private DialectCheck() {}

    /** What a dialect lacks, or has wrong; empty if nothing. */
    static List<String> problems(Dialect dialect) {
        List<String> problems = new ArrayList<>();
        if (dialect.schema().size() != Dialect.SCHEMA.size()) {
            problems.add(
                    "its schema has " + dialect.schema().size() + " scripts and must have " + Dialect.SCHEMA.size());
        }
        Set<SqlStatement> missing = EnumSet.noneOf(SqlStatement.class);
        for (SqlStatement statement : SqlStatement.values()) {
            Optional<Sql> sql = dialect.find(statement);
            if (sql.isPresent()) {
                problems.addAll(problems(statement.allParameters(), sql.get()));
            } else if (statement.need() != SqlStatement.Need.OPTIONAL) {
                missing.add(statement);
            }
        }
        for (SqlStatement statement : SqlStatement.values()) {
            if (dialect.ownSql(statement) != null) {
                statement.insteadOf().ifPresent(missing::remove);
            }
        }
        missing.forEach(statement -> problems.add("it has no " + statement));
        return problems;
    }

    /** What is wrong with a text. */
    static List<String> problems(SqlParameters parameters, Sql sql) {
        List<String> problems = new ArrayList<>(parameters.problems(sql));
        Matcher placeholder = PLACEHOLDER.matcher(sql.text());
        while (placeholder.find()) {
            if (!LATER.contains(placeholder.group(1))) {
                problems.add(sql.id() + " has an unknown " + placeholder.group());
            }
        }
        return problems;
    }
}
