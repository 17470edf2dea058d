package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Locks that are over leave no node. */
class ZooKeeperLeakTest {
    private static final int NAMES = 100;
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend there = PatientZooKeeper.connect(address);

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void namesThatWereHeldAndHandedOverAreGone() throws Exception {
        RecordedEvents told = new RecordedEvents();
        join(here.lockStore().open(new SessionSpec("here", "test", LEASE), new RecordedEvents()));
        join(there.lockStore().open(new SessionSpec("there", "test", LEASE), told));
        for (int i = 0; i < NAMES; i++) {
            Outcome.Granted held = (Outcome.Granted) join(here.lockStore().acquire(request("here", i)));
            join(there.lockStore().acquire(request("there", i)));
            if (i == 0) {
                assertThat(nodes()).as("processes, register, guard").isEqualTo(2 + 2);
            }
            join(here.lockStore().release(List.of(new Release("name/" + i, held.token()))));
            long token = told.awaitGrantOf("request-there-" + i, Duration.ofSeconds(30))
                    .token();
            join(there.lockStore().release(List.of(new Release("name/" + i, token))));
        }
        // Those of the two processes.
        await().atMost(Duration.ofSeconds(30)).until(() -> nodes() == 2);
        here.close();
        await().atMost(Duration.ofSeconds(30)).until(() -> nodes() == 1);
    }

    /** All below the nodes that are made once. */
    private int nodes() throws KeeperException, InterruptedException {
        ZooKeeperPaths paths = there.link().paths();
        List<String> fixed = new ArrayList<>(paths.lockBuckets());
        fixed.addAll(List.of(paths.locks(), paths.lockRegisters(), paths.lockProcesses(), paths.lockNoticesRoot()));
        return handle().getAllChildrenNumber(paths.locks()) - (fixed.size() - 1);
    }

    private ZooKeeper handle() {
        return there.link().begin().handle();
    }

    private static Acquire request(String session, int i) {
        return new Acquire(
                "name/" + i,
                session,
                "request-" + session + "-" + i,
                "test",
                Optional.of(LEASE),
                session.equals("there") ? LEASE : Duration.ZERO);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
