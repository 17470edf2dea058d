package dev.tenon.examples.recipes;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Lease;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The recipes at work, on an H2 in memory, and on a Redis if its address is given ({@code redis://localhost:6379}); and
 * the lock that they are recipes for. What goes wrong with each is shown by the tests of this package.
 */
public final class LockRecipes {
    private static final String DATABASE = "jdbc:h2:mem:recipes;DB_CLOSE_DELAY=-1";
    private static final Duration LEASE = Duration.ofSeconds(30);

    private LockRecipes() {}

    /** Runs the example. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        try (Connection connection = DriverManager.getConnection(DATABASE)) {
            inTables(connection);
            inRows(connection);
        }
        if (args.length > 0) {
            inRedis(args[0]);
        } else {
            System.out.println("Redis: give an address to see SETNX and the spin lock");
        }
        instead();
    }

    private static void inTables(Connection connection) throws SQLException, InterruptedException {
        RecipeTables.createLockTables(connection);
        MethodLock plain = new MethodLock(connection);
        System.out.println("method_lock: " + plain.tryLock("report()") + ", again: " + plain.tryLock("report()"));
        plain.unlock("report()");

        ResourceLock full = new ResourceLock(connection, "host-1/4711/main", LEASE);
        boolean twice = full.tryLock("report") && full.tryLock("report", Duration.ofSeconds(1));
        System.out.println("resource_lock: reentrant " + twice + ", renewed " + full.renewOnce());
        full.unlock("report");
        full.unlock("report");
    }

    private static void inRows(Connection connection) throws SQLException {
        RecipeTables.createStock(connection, 1);
        OptimisticStock optimistic = new OptimisticStock(connection);
        System.out.println("version: sold with " + optimistic.sell(1, 3) + " attempt");
        new RowLock(connection).sell(1);
        System.out.println("FOR UPDATE: sold, " + optimistic.read(1).left() + " left");
    }

    private static void inRedis(String uri) throws InterruptedException {
        RedisClient client = RedisClient.create(uri);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            OwnedRedisLock mine = new OwnedRedisLock(connection.sync(), LEASE);
            OwnedRedisLock yours = new OwnedRedisLock(connection.sync(), LEASE);
            System.out.println("SET NX PX: " + mine.tryLock("recipe") + ", another within 50 ms: "
                    + yours.tryLock("recipe", Duration.ofMillis(50)) + ", unlocked by another: "
                    + yours.unlock("recipe") + ", by its owner: " + mine.unlock("recipe"));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static void instead() throws InterruptedException {
        // tag::instead[]
        try (JdbcBackend database = JdbcBackend.connect(DATABASE); // or RedisBackend.connect("redis://…")
                Lease lease = database.locks().lock("report").acquire(Duration.ofSeconds(5))) {
            System.out.println("JdbcLockStore: " + lease.state() + ", renewed, with token " + lease.token());
        }
        // end::instead[]
    }
}
