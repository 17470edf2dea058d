package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Runs work on a link of its own, outside every transaction of the caller, and turns errors into those that Tenon
 * promises. Contention is tried again. A link that had rested and breaks at once is taken for one that the server had
 * long given up, and the work is done again on a new one. Thread-safe; calls block.
 */
final class SqlCalls {
    /** At how many times the rows that it takes a claim looks where it finds them before it locks them. */
    static final int LOOK_FURTHER = 4;

    private static final int ATTEMPTS_MAX = 200;
    /** One attempt alone may have waited as long as the database lets it. */
    private static final Duration CONTENTION_MAX = Duration.ofSeconds(5);
    /** So many there are in any case: a process that was paused during one has learned nothing of the others. */
    private static final int ATTEMPTS_MIN = 3;

    private static final long PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration STALE_WITHIN = Duration.ofSeconds(1);

    /** The class of the standard's SQL states for values that can't be kept, such as U+0000 in a text of PostgreSQL. */
    private static final String DATA_EXCEPTION = "22";

    private final Links links;
    private final Dialect dialect;
    private final Schema schema;
    private final TimeSource time;

    SqlCalls(Links links, Dialect dialect, Schema schema, TimeSource time) {
        this.links = links;
        this.dialect = dialect;
        this.schema = schema;
        this.time = time;
    }

    /** Work that may be run more than once. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * @param doubt whether an earlier run broke off, and may have had its effect
         */
        T run(Link link, boolean doubt) throws SQLException;
    }

    <T> T run(Work<T> work) {
        boolean doubt = false;
        long first = time.nanoTime();
        for (int attempt = 1; ; attempt++) {
            Link link = borrow(doubt);
            boolean broken = true;
            long started = time.nanoTime();
            try {
                schema.ensure(link);
                T result = work.run(link, doubt);
                broken = false;
                return result;
            } catch (TenonException e) {
                broken = false; // an answer like any other
                throw e;
            } catch (SQLException e) {
                SqlFailure failure = dialect.failure(e);
                broken = failure == SqlFailure.BROKEN;
                boolean stale = broken && !doubt && link.used() && time.nanoTime() - started < STALE_WITHIN.toNanos();
                boolean contended = failure == SqlFailure.CONTENTION
                        && attempt < ATTEMPTS_MAX
                        && (attempt < ATTEMPTS_MIN || time.nanoTime() - first < CONTENTION_MAX.toNanos());
                if (!stale && !contended) {
                    throw failed(failure, e, doubt, attempt);
                }
                doubt |= stale;
            } finally {
                links.giveBack(link, broken);
            }
            if (!doubt) {
                pause(attempt);
            }
        }
    }

    private Link borrow(boolean doubt) {
        try {
            return links.borrow(doubt);
        } catch (SQLException e) {
            throw doubt
                    ? new OutcomeUnknownException("The connection broke and there is no other: " + e.getMessage(), e)
                    : new BackendUnavailableException("No connection to the database: " + e.getMessage(), e);
        }
    }

    private void pause(int attempt) {
        long atMost = Math.min(PAUSE_NANOS_MAX, TimeUnit.MICROSECONDS.toNanos(100L << Math.min(attempt, 10)));
        time.park(Duration.ofNanos(ThreadLocalRandom.current().nextLong(atMost)));
    }

    private static RuntimeException failed(SqlFailure failure, SQLException e, boolean doubt, int attempts) {
        String message = e.getMessage() + " (SQLSTATE " + e.getSQLState() + ", error " + e.getErrorCode() + ")";
        if (doubt || failure == SqlFailure.BROKEN) {
            return new OutcomeUnknownException("The connection broke during a call: " + message, e);
        }
        if (String.valueOf(e.getSQLState()).startsWith(DATA_EXCEPTION)) {
            return new IllegalArgumentException("The database can't keep a value of this call: " + message, e);
        }
        return switch (failure) {
            case CONTENTION ->
                new BackendUnavailableException(
                        "Gave up after " + attempts + " attempts, as others were faster or are not over: " + message,
                        e);
            case REFUSED -> new BackendUnavailableException("The database refused: " + message, e);
            default -> new TenonException("The database does not understand or allow a statement: " + message, e);
        };
    }
}
