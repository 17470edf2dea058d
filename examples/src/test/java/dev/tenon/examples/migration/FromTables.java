package dev.tenon.examples.migration;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Duration;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** One piece of work under a row of a table {@code method_lock}, both, Tenon. */
record FromTables(DataSource database, Locks locks) implements OneAtATime {
    // tag::before[]
    @Override
    public void before(Runnable work) throws SQLException {
        if (!run("INSERT INTO method_lock (method_name) VALUES (?)", "stock-42")) {
            return; // somebody else is at it
        }
        try {
            work.run();
        } finally {
            run("DELETE FROM method_lock WHERE method_name = ?", "stock-42");
        }
    }

    private boolean run(String sql, String name) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            return statement.executeUpdate() == 1;
        } catch (SQLIntegrityConstraintViolationException taken) {
            return false;
        }
    }
    // end::before[]

    // tag::both[]
    @Override
    public void both(LongConsumer work) throws InterruptedException, SQLException {
        if (!run("INSERT INTO method_lock (method_name) VALUES (?)", "stock-42")) { // always the old one first
            return;
        }
        try (Lease lease = locks.lock("stock-42").acquire(Duration.ofSeconds(30))) {
            work.accept(lease.token());
        } finally {
            run("DELETE FROM method_lock WHERE method_name = ?", "stock-42");
        }
    }
    // end::both[]

    // tag::after[]
    @Override
    public void after(LongConsumer work) throws InterruptedException {
        try (Lease lease = locks.lock("stock-42").acquire(Duration.ofSeconds(30))) { // or LockTimeoutException
            work.accept(lease.token()); // which it shows to what it writes to
        }
    }
    // end::after[]
}
