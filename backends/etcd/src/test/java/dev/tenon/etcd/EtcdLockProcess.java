package dev.tenon.etcd;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import java.time.Duration;

/** Takes a lock, says its token, and holds it until it is killed. */
final class EtcdLockProcess {
    private EtcdLockProcess() {}

    /** @param args endpoint, key prefix, name, lease and presence in milliseconds */
    public static void main(String[] args) throws Exception {
        EtcdOptions options = EtcdOptions.of(args[0]).withKeyPrefix(args[1]).withCommandTimeout(Duration.ofSeconds(30));
        EtcdBackend etcd = EtcdBackend.connect(options, Duration.ofMillis(Long.parseLong(args[4])));
        LockOptions held = LockOptions.DEFAULT.withLease(Duration.ofMillis(Long.parseLong(args[3])));
        Lease lease = etcd.locks().lock(args[2], held).acquire(Duration.ofSeconds(30));
        System.out.println(lease.token());
        System.in.readAllBytes(); // to the end of the test at the latest
    }
}
