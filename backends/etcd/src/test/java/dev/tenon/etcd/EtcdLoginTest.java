package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.EtcdServer;
import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthRoleGrantPermissionRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.etcd.jetcd.api.Permission;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An etcd that asks who one is. */
class EtcdLoginTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    private final EtcdServer server = EtcdServer.start();
    private final EtcdOptions anybody =
            EtcdOptions.of(server.address().endpoint()).withCommandTimeout(Duration.ofSeconds(30));
    private final EtcdOptions tenon = anybody.withUser("tenon", "right-secret");

    @BeforeEach
    void enable() {
        try (EtcdLink link = new EtcdLink(anybody, TimeSource.system())) {
            call(
                    link,
                    AuthGrpc.getRoleAddMethod(),
                    AuthRoleAddRequest.newBuilder().setName("root").build());
            call(
                    link,
                    AuthGrpc.getRoleAddMethod(),
                    AuthRoleAddRequest.newBuilder().setName("tenon").build());
            Permission permission = Permission.newBuilder()
                    .setPermType(Permission.Type.READWRITE)
                    .setKey(ByteString.copyFromUtf8("tenon/"))
                    .setRangeEnd(ByteString.copyFromUtf8("tenon0"))
                    .build();
            call(
                    link,
                    AuthGrpc.getRoleGrantPermissionMethod(),
                    AuthRoleGrantPermissionRequest.newBuilder()
                            .setName("tenon")
                            .setPerm(permission)
                            .build());
            addUser(link, "root", "root-secret");
            addUser(link, "tenon", "right-secret");
            call(link, AuthGrpc.getAuthEnableMethod(), AuthEnableRequest.getDefaultInstance());
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aWrongPasswordOrNoneIsRefusedAndNotShown() {
        EtcdOptions wrong = anybody.withUser("tenon", "wrong-secret");
        assertThatThrownBy(() -> EtcdBackend.connect(wrong))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("refuses")
                .hasMessageNotContaining("wrong-secret");
        assertThat(wrong.toString()).contains("tenon").doesNotContain("wrong-secret");
        assertThatThrownBy(() -> EtcdBackend.connect(anybody)).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aUserWithTheDocumentedPermissionsCanDoEverythingAndNothingElse() {
        try (EtcdBackend etcd = EtcdBackend.connect(tenon)) {
            assertThat(etcd.ranges().next("sequence", 1).first()).isEqualTo(1);
            WorkerIdSource source = etcd.workerIds("group");
            WorkerSlot slot = source.claim(
                    new WorkerClaim("request", "test", "layout", 1, LEASE, Instant.now(), LEASE).inNewStore());
            assertThat(source.renew(slot, LEASE, slot.fence())).isTrue();
            assertThat(source.renew(slot, LEASE.multipliedBy(2), slot.fence())).isTrue();
            assertThat(source.census()).hasSize(1);
            source.release(slot, Instant.now());
            assertThat(source.census().get(0).leaseLeft()).isZero();
            handsALockOver(etcd);
        }
        assertThatThrownBy(() -> EtcdBackend.connect(tenon.withKeyPrefix("other")))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("permission denied");
    }

    @Test
    void whoWasForgottenLogsInAgain() {
        try (EtcdBackend etcd = EtcdBackend.connect(tenon)) {
            etcd.ranges().next("sequence", 1);
            // etcd keeps tokens in memory.
            server.kill();
            server.restart();
            await().ignoreExceptionsInstanceOf(TenonException.class)
                    .until(() -> etcd.ranges().next("sequence", 1).first() > 1);
            handsALockOver(etcd);
        }
    }

    /** To another process, which only its watch tells. */
    private void handsALockOver(EtcdBackend etcd) {
        try (EtcdBackend other = EtcdBackend.connect(tenon)) {
            Lease held = etcd.locks().lock("name").tryAcquire().orElseThrow();
            CompletionStage<Lease> waiting = other.locks().lock("name").acquireAsync(LEASE);
            await().atMost(LEASE)
                    .until(() ->
                            etcd.locks().inspect("name").orElseThrow().queue().size() == 1);
            held.close();
            waiting.toCompletableFuture().join().close();
        }
    }

    private static void addUser(EtcdLink link, String name, String password) {
        call(
                link,
                AuthGrpc.getUserAddMethod(),
                AuthUserAddRequest.newBuilder()
                        .setName(name)
                        .setPassword(password)
                        .build());
        call(
                link,
                AuthGrpc.getUserGrantRoleMethod(),
                AuthUserGrantRoleRequest.newBuilder()
                        .setUser(name)
                        .setRole(name)
                        .build());
    }

    private static <Q, A> void call(EtcdLink link, MethodDescriptor<Q, A> method, Q request) {
        link.call(new EtcdLink.Method<>(method, false), request, link.deadline());
    }
}
