package dev.tenon.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Where a {@code DataSource} leads, for those who make it a backend only if that is a place for locks. */
public final class DatabaseUrl {
    private DatabaseUrl() {}

    /**
     * The URL of its connections, as their driver tells it; connects once. A user and a password may be in it: it is
     * not for a log as it is.
     *
     * @return empty if the driver doesn't tell, or there is no connection now, as whoever uses the source will find out
     */
    public static Optional<String> of(DataSource source) {
        try (Connection connection = source.getConnection()) {
            return Optional.ofNullable(connection.getMetaData().getURL());
        } catch (SQLException e) {
            return Optional.empty();
        }
    }
}
