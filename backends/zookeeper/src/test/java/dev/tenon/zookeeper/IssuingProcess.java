package dev.tenon.zookeeper;

import dev.tenon.TenonException;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.WorkerIdsForgottenException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What one process would be: a connection of its own, a leased worker ID, and a thread that issues IDs all the time.
 */
final class IssuingProcess implements AutoCloseable {
    /** Long enough for a server to be started on a busy machine, and to be told; who starts then waits for as long. */
    static final Duration LEASE = Duration.ofSeconds(45);

    static final String GROUP = "group";

    /** Two IDs a millisecond: enough for two with one worker ID to meet in each. */
    private static final IdLayout LAYOUT =
            IdLayout.builder().workerBits(4).sequenceBits(1).build();
    /**
     * A session that ends well within a lease, as a client that has seen more than its server connects in a new one
     * only; a call waits until the server is back.
     */
    private static final ZooKeeperOptions OPTIONS = ZooKeeperOptions.DEFAULT
            .withRequestTimeout(Duration.ofSeconds(30))
            .withSessionTimeout(Duration.ofSeconds(10));

    private final ZooKeeperBackend zooKeeper;
    private final WorkerId worker;
    private final Thread thread;
    private final List<Long> issued = new ArrayList<>(); // read when the thread has ended
    private final List<WorkerIdsForgottenException> told = new CopyOnWriteArrayList<>();
    private final AtomicLong count = new AtomicLong();
    private volatile boolean over;

    private IssuingProcess(String connectString, boolean newStore) {
        zooKeeper = ZooKeeperBackend.connect(connectString, OPTIONS);
        WorkerId.Builder builder = WorkerId.builder(zooKeeper.workerIds(GROUP), LAYOUT)
                .leaseTime(LEASE)
                .whenForgotten(told::add);
        worker = (newStore ? builder.newStore() : builder).lease();
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        thread = new Thread(() -> issue(ids), "issuing-" + worker.value());
        thread.setDaemon(true);
        thread.start();
    }

    /** One that knows that its store is new, if it does not know the group. */
    static IssuingProcess inNewStore(String connectString) {
        return new IssuingProcess(connectString, true);
    }

    /** One as most are; waits for a store that may have forgotten. */
    static IssuingProcess start(String connectString) {
        return new IssuingProcess(connectString, false);
    }

    private void issue(SnowflakeGenerator ids) {
        while (!over) {
            try {
                issued.add(ids.nextId());
                count.incrementAndGet();
            } catch (TenonException e) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    int workerId() {
        return worker.value();
    }

    /** How many IDs it has issued. */
    long count() {
        return count.get();
    }

    /** What it was told of a store that had forgotten what it holds. */
    List<WorkerIdsForgottenException> told() {
        return told;
    }

    ZooKeeperLink link() {
        return zooKeeper.link();
    }

    /** Ends all of them, and finds the IDs that were issued twice. */
    static Set<Long> duplicates(Collection<IssuingProcess> processes) {
        Set<Long> all = new HashSet<>();
        Set<Long> twice = new HashSet<>();
        for (IssuingProcess process : processes) {
            process.stop();
            for (long id : process.issued) {
                if (!all.add(id)) {
                    twice.add(id);
                }
            }
        }
        return twice;
    }

    private void stop() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the last ID", e);
        }
    }

    @Override
    public void close() {
        stop();
        worker.close();
        zooKeeper.disconnect();
    }
}
