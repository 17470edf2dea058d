package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Links from the caller's own {@code DataSource}: one a call, given back after it. */
final class DataSourceLinks implements Links {
    private final DataSource source;

    DataSourceLinks(DataSource source) {
        this.source = source;
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
        // Known to the driver, so that this costs a round trip only where a pool is set up otherwise.
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
        }
        return new Link(connection);
    }

    @Override
    public void runOnce() {}

    @Override
    public void close() {}
}
