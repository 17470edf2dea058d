package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.Lease;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ResumedRanges;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What callers are told, and what is in the store, when the line to ZooKeeper fails, or others have been at its nodes.
 */
class ZooKeeperFaultsTest {
    private static final Duration TIMEOUT = Duration.ofMillis(2000);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Executor ONE_THREAD_EACH = work -> new Thread(work, "test").start();

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    private final String proxied = address.at(proxy.address()).connectString();
    private final ZooKeeperBackend direct = PatientZooKeeper.connect(address);
    private final ZooKeeperBackend zooKeeper = ZooKeeperBackend.connect(
            proxied, ZooKeeperOptions.DEFAULT.withRequestTimeout(TIMEOUT).withSessionTimeout(Duration.ofSeconds(20)));

    @AfterEach
    void close() {
        proxy.heal();
        zooKeeper.close();
        direct.close();
        proxy.close();
    }

    @Test
    void nothingHappensWhereThereIsNoZooKeeper() {
        ZooKeeperOptions hasty = ZooKeeperOptions.DEFAULT.withRequestTimeout(Duration.ofMillis(500));
        AwakeTime awake = AwakeTime.start();
        assertThatThrownBy(() -> ZooKeeperBackend.connect("127.0.0.1:1", hasty))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
        proxy.blackhole();
        assertThatThrownBy(() -> ZooKeeperBackend.connect(proxied, hasty))
                .isInstanceOf(BackendUnavailableException.class);
        assertThat(awake.elapsed()).isLessThan(Duration.ofSeconds(8));
        for (String bad : List.of("127.0.0.1:x", "127.0.0.1:1/a//b", "127.0.0.1:1/a/../b")) {
            assertThatThrownBy(() -> ZooKeeperBackend.connect(bad, hasty))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aConnectionThatIsDownIsUnavailableInTimeAndComesBackByItself() {
        IdRange first = zooKeeper.ranges().next("sequence", 10);
        proxy.refuseNew();
        proxy.cut();
        await().untilAsserted(() -> assertThatThrownBy(
                        () -> zooKeeper.workerIds("group").census())
                .isInstanceOf(BackendUnavailableException.class));
        long start = System.nanoTime();
        AwakeTime awake = AwakeTime.start();
        assertThatThrownBy(() -> zooKeeper.ranges().next("sequence", 10))
                .isInstanceOf(BackendUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(TIMEOUT.minusMillis(50));
        assertThat(awake.elapsed()).isLessThanOrEqualTo(TIMEOUT.multipliedBy(4));
        assertThat(direct.ranges().next("sequence", 10).first())
                .as("nothing happened meanwhile")
                .isEqualTo(first.last() + 1);
        proxy.acceptNew();
        assertThat(eventually(() -> zooKeeper.ranges().next("sequence", 10)).first())
                .isGreaterThan(first.last() + 10);
    }

    @Test
    void aLostReplyIsUnknownAndWastesOneRange() {
        zooKeeper.ranges().next("sequence", 10);
        proxy.dropReplies();
        AwakeTime awake = AwakeTime.start();
        assertThatThrownBy(() -> zooKeeper.ranges().next("sequence", 10)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(awake.elapsed()).isLessThan(TIMEOUT.multipliedBy(4));
        String path = direct.link().paths().range("sequence");
        await().until(() -> text(path).endsWith("last 20"));
        proxy.heal();
        ResumedRanges.assertGoOnAfter(20, zooKeeper.ranges(), "sequence", 10);
    }

    @Test
    void aCallInFlightWhenTheConnectionIsCutIsUnknownAtOnceAndNotRepeated() {
        zooKeeper.ranges().next("sequence", 10);
        proxy.delay(Duration.ZERO, Duration.ofSeconds(30));
        CompletableFuture<IdRange> cut =
                CompletableFuture.supplyAsync(() -> zooKeeper.ranges().next("sequence", 10), ONE_THREAD_EACH);
        String path = direct.link().paths().range("sequence");
        await().until(() -> text(path).endsWith("last 20"));
        proxy.cut();
        assertThatThrownBy(cut::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        proxy.delay(Duration.ZERO);
        ResumedRanges.assertGoOnAfter(20, zooKeeper.ranges(), "sequence", 10);
    }

    @Test
    void aClaimWhoseReplyWasLostIsFoundAgainByItsRequest() {
        WorkerClaim claim = claim("request");
        ZooKeeperOptions patient = ZooKeeperOptions.DEFAULT.withRequestTimeout(Duration.ofSeconds(30));
        try (ZooKeeperBackend through = ZooKeeperBackend.connect(proxied, patient)) {
            proxy.delay(Duration.ZERO, Duration.ofSeconds(2)); // the last of three round trips is the one to lose
            CompletableFuture<WorkerSlot> cut = CompletableFuture.supplyAsync(
                    () -> through.workerIds("group").claim(claim), ONE_THREAD_EACH);
            await().pollInterval(Duration.ofMillis(10))
                    .until(() -> !direct.workerIds("group").census().isEmpty());
            proxy.cut();
            assertThatThrownBy(cut::join).hasCauseInstanceOf(OutcomeUnknownException.class);
            proxy.delay(Duration.ZERO);
            WorkerSlot slot = eventually(() -> through.workerIds("group").claim(claim));
            assertThat(slot.workerId()).isZero();
            assertThat(direct.workerIds("group").census()).hasSize(1);
        }
    }

    @Test
    void anExpiredSessionIsReplacedAndEndsNoLease() throws Exception {
        try (ZooKeeperBackend brief = ZooKeeperBackend.connect(
                proxied,
                ZooKeeperOptions.DEFAULT.withRequestTimeout(TIMEOUT).withSessionTimeout(Duration.ofSeconds(1)))) {
            WorkerSlot slot = brief.workerIds("group").claim(claim("request"));
            brief.ranges().next("sequence", 10);
            long session = brief.link().handle().getSessionId();
            String ephemeral = brief.link().paths().base() + "/ephemeral";
            brief.link().handle().create(ephemeral, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            proxy.blackhole();
            await().until(() -> direct.link().handle().exists(ephemeral, false) == null);
            proxy.heal();
            ResumedRanges.assertGoOnAfter(10, brief.ranges(), "sequence", 10);
            assertThat(brief.link().handle().getSessionId()).isNotEqualTo(session);
            assertThat(brief.workerIds("group").renew(slot, LEASE, Instant.now()))
                    .isTrue();
        }
    }

    @Test
    void aGroupThatAnOlderVersionWroteIsWaitedForOnce() throws Exception {
        WorkerIdSource source = zooKeeper.workerIds("group");
        WorkerSlot slot = source.claim(claim("request"));
        String path = direct.link().paths().group("group");
        direct.link().handle().setData(path, "capacity 8\nlayout layout".getBytes(StandardCharsets.UTF_8), -1);
        assertThat(source.renew(slot, LEASE, Instant.now())).isFalse();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> source.claim(claim("another"))).isInstanceOf(WorkerIdsForgottenException.class);
        }
        WorkerSlot kept = source.claim(claim("kept").keeping(slot.workerId(), slot.claim()));
        assertThat(kept.claim()).as("it was not forgotten").isEqualTo(slot.claim());
        assertThat(source.renew(slot, LEASE, Instant.now())).isTrue();
        assertThat(text(path)).contains("\nincarnation run ").endsWith("\nlongestLease PT5M");
    }

    @Test
    void aConnectionThatIsCutIsNoRestartOfTheServer() throws Exception {
        WorkerSlot slot = zooKeeper.workerIds("group").claim(claim("request"));
        String noted = text(direct.link().paths().group("group"));
        long session = zooKeeper.link().handle().getSessionId();
        for (int i = 0; i < 3; i++) {
            proxy.cut();
            assertThat(eventually(() -> zooKeeper.workerIds("group").renew(slot, LEASE, Instant.now())))
                    .isTrue();
        }
        assertThat(zooKeeper.link().handle().getSessionId()).isEqualTo(session);
        assertThat(direct.workerIds("group").claim(claim("another")).workerId()).isNotEqualTo(slot.workerId());
        assertThat(text(direct.link().paths().group("group"))).isEqualTo(noted);
    }

    @Test
    void nodesOfAUserAreClosedToOthersAndNoPasswordIsShown() {
        ZooKeeperOptions mine = ZooKeeperOptions.DEFAULT
                .withBasePath("/private")
                .withCredentials("me:right-secret")
                .withRequestTimeout(Duration.ofSeconds(30));
        ZooKeeperOptions others = mine.withCredentials("me:wrong-secret");
        assertThat(others.toString()).doesNotContain("secret");
        try (ZooKeeperBackend owner = ZooKeeperBackend.connect(address.connectString(), mine);
                ZooKeeperBackend same = ZooKeeperBackend.connect(address.connectString(), mine)) {
            owner.ranges().next("sequence", 10);
            handOver(owner, same);
            assertThatThrownBy(() -> {
                        try (ZooKeeperBackend stranger = ZooKeeperBackend.connect(address.connectString(), others)) {
                            stranger.ranges().next("sequence", 10);
                        }
                    })
                    .isInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("refuses")
                    .hasMessageNotContaining("secret");
            assertThat(owner.ranges().next("sequence", 1).first()).isEqualTo(11);
        }
    }

    private static void handOver(ZooKeeperBackend from, ZooKeeperBackend to) {
        Lease held = from.locks().lock("name").tryAcquire().orElseThrow();
        CompletableFuture<Lease> next =
                to.locks().lock("name").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        await().until(() -> from.locks().inspect("name").orElseThrow().queue().size() == 1);
        held.close();
        assertThat(next).succeedsWithin(Duration.ofSeconds(30)).satisfies(Lease::close);
    }

    @Test
    void aNodeThatSomebodyElseWroteIsNamedAndLeftAlone() throws Exception {
        zooKeeper.ranges().next("sequence", 10);
        String path = direct.link().paths().range("sequence");
        direct.link().handle().setData(path, "nonsense".getBytes(StandardCharsets.UTF_8), -1);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> zooKeeper.ranges().next("sequence", 10))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining(path);
        }
        assertThat(text(path)).isEqualTo("nonsense");
    }

    @Test
    void aStoreThatLostEverythingIsNotBegunAnewUnderARunningProcess() throws Exception {
        zooKeeper.ranges().next("sequence", 10);
        ZooKeeperVersionGenerator versions = zooKeeper.nodeVersions("name");
        versions.nextId();
        ZKUtil.deleteRecursive(direct.link().handle(), direct.link().paths().base());
        assertThatThrownBy(() -> zooKeeper.ranges().next("sequence", 10))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("lost");
        assertThatThrownBy(versions::nextId).isInstanceOf(TenonException.class).hasMessageContaining("/versions");
        assertThatThrownBy(() -> zooKeeper.workerIds("group").claim(claim("request")))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("lost");
    }

    private static WorkerClaim claim(String request) {
        return new WorkerClaim(request, "test", "layout", 8, LEASE, Instant.now(), LEASE).inNewStore();
    }

    private String text(String path) throws Exception {
        return new String(direct.link().handle().getData(path, false, null), StandardCharsets.UTF_8);
    }

    /** The answer once the connection is back. */
    private static <T> T eventually(Callable<T> call) {
        return await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(call, answer -> true);
    }
}
