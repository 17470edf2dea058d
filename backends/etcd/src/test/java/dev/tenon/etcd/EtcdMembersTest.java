package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.EtcdCluster;
import dev.tenon.testkit.EtcdServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Locks in an etcd of three members, which die one by one, and by twos. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdMembersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private EtcdCluster cluster;

    @BeforeAll
    void start() {
        cluster = EtcdCluster.start();
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    @Test
    void aLockIsHeldAndHandedOnWhileEachMemberDies() throws Exception {
        String name = "lock-" + UUID.randomUUID();
        try (EtcdBackend one = connect();
                EtcdBackend other = connect()) {
            long last = 0;
            for (EtcdServer member : cluster.members()) {
                Lease held = one.locks().lock(name).acquire(PATIENCE);
                CompletableFuture<Lease> waiting =
                        other.locks().lock(name).acquireAsync(PATIENCE).toCompletableFuture();
                await().atMost(PATIENCE)
                        .until(() -> one.locks()
                                .inspect(name)
                                .map(lock -> !lock.queue().isEmpty())
                                .orElse(false));

                member.kill();

                assertThat(held.state()).isEqualTo(Lease.State.HELD);
                assertThat(waiting).isNotDone();
                held.close();
                Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(held.token()).isGreaterThan(last);
                assertThat(next.token()).isGreaterThan(held.token());
                last = next.token();
                next.close();
                member.restart();
            }
        }
    }

    @Test
    void withoutAMajorityNobodyGetsALockAndWithOneAllGoesOn() throws Exception {
        String name = "lock-" + UUID.randomUUID();
        EtcdServer first = cluster.members().get(0);
        EtcdServer second = cluster.members().get(1);
        try (EtcdBackend backend = connect()) {
            long before;
            try (Lease lease = backend.locks().lock(name).acquire(PATIENCE)) {
                before = lease.token();
            }
            first.kill();
            second.kill();

            assertThatThrownBy(() -> backend.locks().lock(name).tryAcquire()).isInstanceOf(TenonException.class);

            CompletableFuture.allOf(
                            CompletableFuture.runAsync(first::restart, task -> new Thread(task).start()),
                            CompletableFuture.runAsync(second::restart, task -> new Thread(task).start()))
                    .join();
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(TenonException.class)
                    .untilAsserted(() -> {
                        try (Lease lease = backend.locks().lock(name).acquire(PATIENCE)) {
                            assertThat(lease.token()).isGreaterThan(before);
                        }
                    });
        }
    }

    private EtcdBackend connect() {
        String[] endpoints = cluster.sockets().stream()
                .map(socket -> "http://" + socket.getHostString() + ":" + socket.getPort())
                .toArray(String[]::new);
        return EtcdBackend.connect(EtcdOptions.of(endpoints).withCommandTimeout(Duration.ofSeconds(10)));
    }
}
