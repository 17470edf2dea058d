package dev.tenon.jdbc;

import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Removes the rows of locks that nobody uses any more. A token that was deleted with its row must never come again,
 * even if the database's clock is set back: so before a row goes, one fence row for the whole table is raised above its
 * token, a pass earlier, when every statement that may not have seen the raise has long ended. Not thread-safe.
 */
final class LockSweeper {
    private static final int PAGE = 1000;

    private final SqlCalls sql;
    private final Duration idle;
    private final Consumer<String> settle;
    private final Sql idleLocks;
    private final Sql delete;
    private final Sql raise;
    private long raisedTo;

    /**
     * @param idle how long a row must have been left alone
     * @param settle hands on a lock whose holder is gone and that somebody still waits for
     */
    LockSweeper(SqlCalls sql, Dialect dialect, Duration idle, Consumer<String> settle) {
        this.sql = sql;
        this.idle = idle;
        this.settle = settle;
        this.idleLocks = dialect.sql(SqlStatement.LOCK_IDLE);
        this.delete = dialect.sql(SqlStatement.LOCK_DELETE);
        this.raise = dialect.sql(SqlStatement.FENCE_RAISE);
    }

    /** One pass. How many rows it removed. */
    int runOnce() {
        long allowed = raisedTo;
        int removed = 0;
        List<LockRow> page;
        int before;
        do {
            before = removed;
            page = sql.run((link, doubt) ->
                    link.query(idleLocks, new Args().number("idle", LockRow.micros(idle)), LockCalls::row));
            long newest = page.stream().mapToLong(LockRow::seed).max().orElse(0);
            long tokens = page.stream().mapToLong(r -> r.state().token()).max().orElse(0);
            if (Math.max(newest, tokens) > raisedTo) {
                raisedTo = Math.max(newest, tokens);
                Args args = new Args().number("token", raisedTo);
                sql.run((link, doubt) -> link.update(raise, args));
            }
            removed += sweep(page, allowed);
        } while (page.size() == PAGE && removed > before);
        return removed;
    }

    private int sweep(List<LockRow> page, long allowed) {
        List<Args> gone = new ArrayList<>();
        for (LockRow row : page) {
            Step<Boolean> settled = LockMachine.settle(row.state(), row.now(), row.seed());
            if (settled.state().isIdle()) {
                gone.add(new Args()
                        .text("name", row.state().name())
                        .number("version", row.version())
                        .number("fence", allowed));
            } else {
                settle.accept(row.state().name());
            }
        }
        if (gone.isEmpty()) {
            return 0;
        }
        int removed = 0;
        for (int count : sql.run((link, doubt) -> link.batch(delete, gone))) {
            removed += count;
        }
        return removed;
    }
}
