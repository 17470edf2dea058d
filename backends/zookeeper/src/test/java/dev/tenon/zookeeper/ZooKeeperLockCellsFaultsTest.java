package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.lock.spi.cell.Cell;
import dev.tenon.lock.spi.cell.LockCells;
import dev.tenon.lock.spi.cell.LockCells.Change;
import dev.tenon.lock.spi.cell.Mail;
import dev.tenon.testkit.FaultProxy;
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

/** What those who use the cells of locks are told when the line or the session fails. */
class ZooKeeperLockCellsFaultsTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofMillis(2000);
    private static final Mail MAIL = new Mail("me", "name", "text");

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final FaultProxy proxy = FaultProxy.to(address.socket());
    /** First, as it has more time to make the nodes below which all others are. */
    private final ZooKeeperBackend near = PatientZooKeeper.connect(address);

    private final ZooKeeperBackend far = ZooKeeperBackend.connect(
            address.at(proxy.address()).connectString(),
            ZooKeeperOptions.DEFAULT.withRequestTimeout(TIMEOUT).withSessionTimeout(Duration.ofSeconds(20)));
    private final LockCells cells = new ZooKeeperLockCells(far.link());
    private final LockCells others = new ZooKeeperLockCells(near.link());
    private final HeardCells heard = new HeardCells();
    private final HeardCells othersHeard = new HeardCells();

    @BeforeEach
    void enter() {
        cells.enter("me", TTL, heard);
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
    void afterTheConnectionWasCutAllIsAskedAgainAndMailComesAgain() {
        proxy.refuseNew();
        proxy.cut();
        mail();
        assertThatThrownBy(() -> cells.read(List.of("name"))).isInstanceOf(BackendUnavailableException.class);
        assertThat(heard.resyncs()).isZero();
        proxy.acceptNew();
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.resyncs() > 0);
        assertThat(heard.mail()).isEmpty();
        assertThat(eventually(() -> cells.keepAlive("me"))).isPresent();
        mail();
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.mail().contains(MAIL));
        assertThat(othersHeard.gone()).isEmpty();
    }

    @Test
    void whoseSessionTheServerHasEndedIsToldSoAndEntersAnew() throws Exception {
        ZooKeeper handle = far.link().handle();
        TwinSession.end(address, handle.getSessionId(), handle.getSessionPasswd());
        await().atMost(Duration.ofSeconds(30)).until(() -> othersHeard.gone().contains("me"));
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.resyncs() > 0);
        assertThat(eventually(() -> cells.keepAlive("me"))).isEmpty();
        assertThat(eventually(() -> cells.enter("me", TTL, heard))).isPositive();
        assertThat(cells.keepAlive("me")).isPresent();
        assertThat(others.gone(Set.of("me", "you"))).isEmpty();
        mail();
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.mail().contains(MAIL));
        others.leave("you");
        await().atMost(Duration.ofSeconds(30)).until(() -> heard.gone().contains("you"));
    }

    /** A write that has mail for the process behind the proxy. */
    private void mail() {
        Cell seen = eventually(() -> others.read(List.of("name"))).get(0);
        assertThat(others.write(List.of(new Change(seen, Optional.of("next"))), List.of(MAIL))
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
