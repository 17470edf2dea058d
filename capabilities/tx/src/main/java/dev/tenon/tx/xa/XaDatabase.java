package dev.tenon.tx.xa;

import dev.tenon.tx.spi.BarrierStore;
import java.util.Objects;
import javax.sql.XADataSource;

/**
 * One of the databases that a transaction may span. Immutable; as thread-safe as its source.
 *
 * @param source the driver's. Give it a limit for reads ({@code socketTimeout} or what the driver calls it), as a
 *     server that has gone silent holds up the transaction otherwise
 * @param markers the barrier of <i>this</i> database: a row of it is written in each branch and committed with it, and
 *     so tells for good whether the branch was committed
 * @param connections how many at most, 1 to 10 000
 */
public record XaDatabase(XADataSource source, BarrierStore markers, int connections) {
    private static final int CONNECTIONS = 20;

    /**
     * @throws IllegalArgumentException if {@code connections} is out of its bounds
     */
    public XaDatabase {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(markers, "markers");
        if (connections < 1 || connections > 10_000) {
            throw new IllegalArgumentException("1 to 10000 connections are allowed, not " + connections);
        }
    }

    /** A database with up to 20 connections. */
    public static XaDatabase of(XADataSource source, BarrierStore markers) {
        return new XaDatabase(source, markers, CONNECTIONS);
    }

    /** This with up to so many connections. */
    public XaDatabase withConnections(int most) {
        return new XaDatabase(source, markers, most);
    }
}
