package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Links from the caller's own {@code DataSource}: one a call, given back after it. How a pool isolates is its owner's
 * choice; what a transaction begins with here holds for that one alone, and nothing has to be put back.
 */
final class DataSourceLinks implements Links {
    /**
     * What connections of the backend's own have. Drivers wait for ever unless told otherwise, and a thread with each.
     */
    private static final Duration SILENCE_MAX = Duration.ofSeconds(10);

    private final DataSource source;
    private final @Nullable Sql isolation;

    /** @param isolation what a transaction begins with */
    DataSourceLinks(DataSource source, @Nullable Sql isolation) {
        this.source = source;
        this.isolation = isolation;
    }

    @Override
    public Link borrow(boolean fresh) throws SQLException {
        return dedicated();
    }

    @Override
    public void giveBack(Link link, boolean broken) {
        link.close();
    }

    @Override
    public Link dedicated() throws SQLException {
        Connection connection = source.getConnection();
        Link link = new Link(connection, isolation);
        boolean usable = false;
        try {
            link.limit(SILENCE_MAX);
            // Known to the driver, so that this costs a round trip only where a pool is set up otherwise.
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            usable = true;
            return link;
        } finally {
            if (!usable) {
                link.close();
            }
        }
    }

    @Override
    public void runOnce() {}

    @Override
    public void close() {}
}
