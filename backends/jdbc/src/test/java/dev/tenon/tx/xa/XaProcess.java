package dev.tenon.tx.xa;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A process of the service that is killed: in the middle of its transactions, or in the middle of recovery. */
final class XaProcess {
    private XaProcess() {}

    /** @param args crowd or recovery, then URL, user and password of the databases and of the log, then steps */
    public static void main(String[] args) throws InterruptedException {
        SqlAddress log = address(args, 7);
        Map<String, Place> places = Map.of("one", Place.of(address(args, 1)), "two", Place.of(address(args, 4)));
        JdbcBackend backend = JdbcBackend.connect(log.url(), log.user(), log.password());
        CountDownLatch never = new CountDownLatch(1);
        if (args[0].equals("crowd")) {
            new Crowd(backend.transactions(), places, log).start(List.of(args[10].split(",")), XaProcess::say, never);
        } else {
            recover(new Recovery(backend, places), never);
        }
        never.await();
    }

    private record Recovery(JdbcBackend backend, Map<String, Place> places) {}

    /** Each step of recovery is held up once; what is not, goes on. */
    private static void recover(Recovery recovery, CountDownLatch never) {
        XaOptions options =
                XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)).withPollEvery(Duration.ofMillis(50));
        Set<String> taken = ConcurrentHashMap.newKeySet();
        Cluster cluster = new Cluster(
                recovery.backend().transactions(),
                recovery.places(),
                options,
                step -> {
                    if (taken.add(step)) {
                        say(step);
                        Crowd.awaitQuietly(never);
                    }
                },
                Duration.ofSeconds(4));
        cluster.transactions.start();
        for (int i = 0; i < 6; i++) {
            Xa.over(cluster.transactions, cluster.databases, options).start();
        }
    }

    private static void say(String step) {
        System.out.println("at " + step);
    }

    private static SqlAddress address(String[] args, int at) {
        return new SqlAddress(args[at], args[at + 1], args[at + 2]);
    }
}
