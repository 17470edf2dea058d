package dev.tenon.jdbc;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A JDBC batch: its statements run one after the other, as each is read before and after. One thread at a time. */
final class UndoBatch {
    private final List<Statement> statements = new ArrayList<>();

    /** A statement that waits for its turn. */
    @FunctionalInterface
    interface Statement {
        /** Runs it, and tells how many rows it has changed. */
        long run() throws Throwable;
    }

    void add(Statement statement) {
        statements.add(statement);
    }

    void clear() {
        statements.clear();
    }

    /**
     * Runs and forgets them.
     *
     * @return how many rows each has changed: {@code int[]}, or {@code long[]}
     * @throws BatchUpdateException at the first that fails, with the counts of those before
     */
    Object run(boolean large) throws Throwable {
        List<Statement> all = List.copyOf(statements);
        statements.clear();
        List<Long> counts = new ArrayList<>();
        try {
            for (Statement each : all) {
                counts.add(each.run());
            }
        } catch (SQLException e) {
            BatchUpdateException failed =
                    new BatchUpdateException(e.getMessage(), e.getSQLState(), e.getErrorCode(), ints(counts), e);
            failed.setNextException(e);
            throw failed;
        }
        return large ? counts.stream().mapToLong(Long::longValue).toArray() : ints(counts);
    }

    private static int[] ints(List<Long> counts) {
        return counts.stream().mapToInt(Long::intValue).toArray();
    }
}
