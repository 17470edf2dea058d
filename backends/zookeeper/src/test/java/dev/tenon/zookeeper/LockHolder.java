package dev.tenon.zookeeper;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import java.time.Duration;
import java.util.HexFormat;
import org.apache.zookeeper.ZooKeeper;

/** A process that holds a lock until it is killed: prints its token and ZooKeeper's session. */
final class LockHolder {
    private LockHolder() {}

    /** @param arguments connect string, lock name, lease in milliseconds, session timeout in milliseconds */
    public static void main(String[] arguments) throws Exception {
        LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMillis(Long.parseLong(arguments[2])));
        Duration sessionTimeout = Duration.ofMillis(Long.parseLong(arguments[3]));
        try (ZooKeeperBackend zooKeeper = ZooKeeperBackend.connect(
                        arguments[0], ZooKeeperOptions.DEFAULT.withSessionTimeout(sessionTimeout));
                Lease lease = zooKeeper.locks().lock(arguments[1], options).acquire(Duration.ofSeconds(20))) {
            ZooKeeper handle = zooKeeper.link().handle();
            System.out.println("holds " + lease.token() + " " + handle.getSessionId() + " "
                    + HexFormat.of().formatHex(handle.getSessionPasswd()));
            System.in.readAllBytes(); // to the end of the test at the latest
        }
    }
}
