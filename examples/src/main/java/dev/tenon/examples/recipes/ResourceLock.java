package dev.tenon.examples.recipes;

import dev.tenon.TimeSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * The fuller lock table: an owner who may lock again, an end that the owner puts off, and a version by which only one
 * of several takes over what has ended. Expiry goes by the clock of the database. One connection, in autocommit mode,
 * and one owner each; not thread-safe.
 */
final class ResourceLock {
    private static final Duration POLL = Duration.ofMillis(20);

    private final Connection connection;
    private final String node;
    private final Duration lease;

    /**
     * @param node who this is: host, process and thread
     * @param lease how long a lock outlives its last sign of life
     */
    ResourceLock(Connection connection, String node, Duration lease) {
        this.connection = connection;
        this.node = node;
        this.lease = lease;
    }

    // tag::lock[]
    /** False: it is taken. */
    boolean tryLock(String resource) throws SQLException {
        Timestamp now = now();
        return lockAgain(resource, now) || insert(resource, now) || takeOver(resource, now);
    }

    private boolean lockAgain(String resource, Timestamp now) throws SQLException {
        String sql =
                "UPDATE resource_lock SET count = count + 1, version = version + 1, update_time = ?, expire_time = ?"
                        + " WHERE resource_name = ? AND node_info = ? AND expire_time > ?";
        return update(sql, now, end(now), resource, node, now) == 1;
    }

    private boolean insert(String resource, Timestamp now) throws SQLException {
        String sql = "INSERT INTO resource_lock"
                + " (resource_name, node_info, count, create_time, update_time, expire_time, version)"
                + " VALUES (?, ?, 1, ?, ?, ?, 0)";
        try {
            return update(sql, resource, node, now, now, end(now)) == 1;
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("23")) {
                return false;
            }
            throw e;
        }
    }

    /** Only one of those who saw the expired row changes it: for the others it has another version by then. */
    private boolean takeOver(String resource, Timestamp now) throws SQLException {
        OptionalInt version = expiredVersion(resource, now);
        return version.isPresent() && takeOver(resource, version.getAsInt(), now);
    }

    boolean takeOver(String resource, int seenVersion, Timestamp now) throws SQLException {
        String sql = "UPDATE resource_lock SET node_info = ?, count = 1, version = version + 1, update_time = ?,"
                + " expire_time = ? WHERE resource_name = ? AND version = ?";
        return update(sql, node, now, end(now), resource, seenVersion) == 1;
    }
    // end::lock[]

    // tag::unlock[]
    /** False: it was this owner's no more. */
    boolean unlock(String resource) throws SQLException {
        String less = "UPDATE resource_lock SET count = count - 1, version = version + 1"
                + " WHERE resource_name = ? AND node_info = ? AND count > 1";
        String last = "DELETE FROM resource_lock WHERE resource_name = ? AND node_info = ? AND count = 1";
        return update(less, resource, node) == 1 || update(last, resource, node) == 1;
    }

    /**
     * The watchdog: puts off the end of all that this owner holds. Call it three times a lease, on a connection of its
     * own.
     */
    int renewOnce() throws SQLException {
        Timestamp now = now();
        String sql = "UPDATE resource_lock SET expire_time = ?, update_time = ?, version = version + 1"
                + " WHERE node_info = ? AND expire_time > ?";
        return update(sql, end(now), now, node, now);
    }

    /** The clean-up job: deletes what has ended, whosoever it was. */
    int cleanOnce() throws SQLException {
        return update("DELETE FROM resource_lock WHERE expire_time <= ?", now());
    }
    // end::unlock[]

    // tag::wait[]
    /** Asks again and again until it has the lock, or the time is over. */
    boolean tryLock(String resource, Duration wait) throws SQLException, InterruptedException {
        TimeSource time = TimeSource.system();
        long deadline = time.nanoTime() + wait.toNanos();
        while (!tryLock(resource)) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (deadline - time.nanoTime() <= 0) {
                return false;
            }
            time.park(POLL);
        }
        return true;
    }
    // end::wait[]

    OptionalInt expiredVersion(String resource, Timestamp now) throws SQLException {
        String sql = "SELECT version FROM resource_lock WHERE resource_name = ? AND expire_time <= ?";
        try (PreparedStatement statement = prepare(sql, resource, now);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? OptionalInt.of(row.getInt(1)) : OptionalInt.empty();
        }
    }

    Timestamp now() throws SQLException {
        try (PreparedStatement statement = prepare("SELECT CURRENT_TIMESTAMP(3)");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getTimestamp(1);
        }
    }

    private Timestamp end(Timestamp now) {
        return new Timestamp(now.getTime() + lease.toMillis());
    }

    private int update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values)) {
            return statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
