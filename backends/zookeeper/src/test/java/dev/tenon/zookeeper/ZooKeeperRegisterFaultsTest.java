package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterStore;
import dev.tenon.lock.engine.RegisterStore.Change;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RecordedRegisterEvents;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What those who use the registers of locks are told when the line or the session fails. */
class ZooKeeperRegisterFaultsTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofMillis(2000);
    private static final Notice NOTICE = new Notice("me", "name", "text");

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    /** First, as it has more time to make the nodes below which all others are. */
    private final ZooKeeperBackend near = PatientZooKeeper.connect(address);

    private final ZooKeeperBackend far = ZooKeeperBackend.connect(
            address.at(proxy.address()).connectString(),
            ZooKeeperOptions.DEFAULT.withRequestTimeout(TIMEOUT).withSessionTimeout(Duration.ofSeconds(20)));
    private final RegisterStore registers = new ZooKeeperRegisterStore(far.link());
    private final RegisterStore others = new ZooKeeperRegisterStore(near.link());
    private final RecordedRegisterEvents heard = new RecordedRegisterEvents();
    private final RecordedRegisterEvents othersHeard = new RecordedRegisterEvents();

    @BeforeEach
    void enter() {
        registers.enter("me", TTL, heard);
        others.enter("you", TTL, othersHeard);
    }

    @AfterEach
    void close() {
        proxy.heal();
        far.close();
        near.close();
        proxy.close();
    }

    @Test
    void afterTheConnectionWasCutAllIsAskedAgainAndNoticesComeAgain() {
        proxy.refuseNew();
        proxy.cut();
        write();
        assertThatThrownBy(() -> registers.read(List.of("name"))).isInstanceOf(BackendUnavailableException.class);
        assertThat(heard.resyncs()).isZero();
        proxy.acceptNew();
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.resyncs() > 0);
        assertThat(heard.notices()).isEmpty();
        assertThat(eventually(() -> registers.keepAlive("me"))).isPresent();
        write();
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.notices().contains(NOTICE));
        assertThat(othersHeard.gone()).isEmpty();
    }

    @Test
    void whoseSessionTheServerHasEndedIsToldSoAndEntersAnew() throws Exception {
        ZooKeeper handle = far.link().handle();
        TwinSession.end(address, handle.getSessionId(), handle.getSessionPasswd());
        await().atMost(Duration.ofSeconds(30)).until(() -> othersHeard.gone().contains("me"));
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.resyncs() > 0);
        assertThat(eventually(() -> registers.keepAlive("me"))).isEmpty();
        assertThat(eventually(() -> registers.enter("me", TTL, heard))).isPositive();
        assertThat(registers.keepAlive("me")).isPresent();
        assertThat(others.gone(Set.of("me", "you"))).isEmpty();
        write();
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.notices().contains(NOTICE));
        others.leave("you");
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.gone().contains("you"));
    }

    /** A write that has a notice for the process behind the proxy. */
    private void write() {
        Register seen = eventually(() -> others.read(List.of("name"))).get(0);
        assertThat(others.write(List.of(new Change(seen, Optional.of("next"))), List.of(NOTICE))
                        .done())
                .isTrue();
    }

    /** The answer once the connection is back. */
    private static <T> T eventually(Callable<T> call) {
        return await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(TenonException.class)
                .until(call, answer -> true);
    }
}
