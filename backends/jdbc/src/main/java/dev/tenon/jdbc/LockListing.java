package dev.tenon.jdbc;

import dev.tenon.lock.engine.SessionAddress;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** What people may see of the rows. Blocking; thread-safe. */
final class LockListing {
    private static final int LIMIT_MAX = 1000;

    private final SqlCalls sql;
    private final Sql list;

    LockListing(SqlCalls sql, Dialect dialect) {
        this.sql = sql;
        this.list = dialect.sql(SqlStatement.LOCK_LIST);
    }

    /**
     * A page of locks.
     *
     * @param inspect looks at one lock more closely, where time has done something to it that must be written down
     */
    LockPage page(String prefix, String after, int limit, Function<String, Optional<LockView>> inspect) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException("Limit must be between 1 and " + LIMIT_MAX + ": " + limit);
        }
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(after, "after");
        List<LockView> page = new ArrayList<>();
        String from = after;
        while (true) {
            List<LockRow> rows = rows(prefix, from, limit + 1);
            for (LockRow row : rows) {
                if (!row.state().name().startsWith(prefix)) {
                    return new LockPage(page, Optional.empty());
                }
                Optional<LockView> view = viewOf(row, inspect);
                if (view.isPresent() && page.size() == limit) {
                    return new LockPage(page, Optional.of(page.get(limit - 1).name()));
                }
                view.ifPresent(page::add);
                from = row.state().name();
            }
            if (rows.size() <= limit) {
                return new LockPage(page, Optional.empty());
            }
        }
    }

    /** The state as people may see it; what time has brought about is part of the step. */
    static Step<Optional<LockView>> view(LockState state, Instant now, long seed) {
        Step<Boolean> settled = LockMachine.settle(state, now, seed);
        LockState next = settled.state();
        return new Step<>(
                next,
                next.isIdle() ? Optional.empty() : Optional.of(SessionAddress.local(next.view(now))),
                settled.grants());
    }

    /** The text by which a session stands in a state, if it does; that of this process before another's. */
    static Optional<String> addressIn(LockState state, SessionAddress own) {
        List<String> addresses = new ArrayList<>();
        state.holders().forEach(h -> addresses.add(h.sessionId()));
        state.queue().forEach(w -> addresses.add(w.sessionId()));
        if (addresses.contains(own.text())) {
            return Optional.of(own.text());
        }
        return addresses.stream()
                .filter(a -> SessionAddress.sessionOf(a).equals(own.sessionId()))
                .findFirst();
    }

    private Optional<LockView> viewOf(LockRow row, Function<String, Optional<LockView>> inspect) {
        Step<Optional<LockView>> step = view(row.state(), row.now(), row.seed());
        return step.grants().isEmpty()
                ? step.answer()
                : inspect.apply(row.state().name());
    }

    private List<LockRow> rows(String prefix, String after, int count) {
        Args args = new Args().text("prefix", prefix).text("after", after).number("count", count);
        return sql.run((link, doubt) -> link.query(list, args, LockCalls::row));
    }
}
