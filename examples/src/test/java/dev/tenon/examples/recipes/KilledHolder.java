package dev.tenon.examples.recipes;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.LockOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;

/** Takes the plain lock and Tenon's, says so, and is killed. The arguments are the database's address. */
final class KilledHolder {
    static final String PLAIN = "report()";
    static final String TENON = "report";

    private KilledHolder() {}

    public static void main(String[] args) throws Exception {
        try (Connection connection = DriverManager.getConnection(args[0], args[1], args[2]);
                JdbcBackend database = JdbcBackend.connect(args[0], args[1], args[2])) {
            LockOptions brief = LockOptions.DEFAULT.withLease(Duration.ofSeconds(2));
            boolean plain = new MethodLock(connection).tryLock(PLAIN);
            boolean tenon = database.locks().lock(TENON, brief).tryAcquire().isPresent();
            System.out.println(plain + " " + tenon);
            System.in.read();
        }
    }
}
