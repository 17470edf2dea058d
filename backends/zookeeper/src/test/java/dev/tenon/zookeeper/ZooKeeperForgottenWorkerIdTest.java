package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.ZooKeeperEnsemble;
import dev.tenon.testkit.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.zookeeper.ZKUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two processes issue IDs all the time, their ZooKeeper forgets who they are (or does not), and a third starts: no ID
 * is issued twice, and whoever was forgotten is told.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperForgottenWorkerIdTest {
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final int SOME_IDS = 2_000;

    private final List<IssuingProcess> processes = new ArrayList<>();

    private final List<AutoCloseable> servers = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        processes.forEach(IssuingProcess::close);
        for (AutoCloseable server : servers) {
            server.close();
        }
    }

    private <S extends AutoCloseable> S closedLater(S server) {
        servers.add(server);
        return server;
    }

    private IssuingProcess first(String connectString) {
        IssuingProcess process = eventually(() -> IssuingProcess.inNewStore(connectString));
        processes.add(process);
        return process;
    }

    private IssuingProcess start(String connectString) {
        IssuingProcess process = eventually(() -> IssuingProcess.start(connectString));
        processes.add(process);
        return process;
    }

    /** All of them have issued many IDs since; no two the same, and no two under one worker ID. */
    private void assertNoneTwice() {
        List<Long> before = processes.stream().map(IssuingProcess::count).toList();
        for (int i = 0; i < processes.size(); i++) {
            IssuingProcess process = processes.get(i);
            long enough = before.get(i) + SOME_IDS;
            await().atMost(PATIENCE).until(() -> process.count() > enough);
        }
        assertThat(IssuingProcess.duplicates(processes)).isEmpty();
        assertThat(processes).extracting(IssuingProcess::workerId).doesNotHaveDuplicates();
    }

    private static void awaitTold(IssuingProcess process) {
        await().atMost(PATIENCE).until(() -> !process.told().isEmpty());
    }

    private static String groupText(IssuingProcess process) {
        return eventually(() -> new String(
                process.link().handle().getData(process.link().paths().group(IssuingProcess.GROUP), false, null),
                StandardCharsets.UTF_8));
    }

    private static <T> T eventually(Callable<T> call) {
        return await().atMost(PATIENCE).ignoreExceptions().until(call, answer -> true);
    }

    @Test
    void aServerWhoseDataAreWiped() throws Exception {
        ZooKeeperServer server = closedLater(ZooKeeperServer.start());
        String address = server.address().connectString();
        IssuingProcess one = first(address);
        IssuingProcess two = start(address);
        server.kill();
        server.wipe();
        server.restart();
        start(address);
        assertNoneTwice();
        awaitTold(one);
        awaitTold(two);
    }

    @Test
    void aServerWhoseDataAreWipedWhileNobodyStarts() throws Exception {
        ZooKeeperServer server = closedLater(ZooKeeperServer.start());
        String address = server.address().connectString();
        IssuingProcess one = first(address);
        IssuingProcess two = start(address);
        server.kill();
        server.wipe();
        server.restart();
        awaitTold(one);
        awaitTold(two);
        assertThat(eventually(
                        () -> one.link().handle().getChildren(one.link().paths().base(), false)))
                .as("nothing but what is held begins anew")
                .containsExactly("workers");
        assertNoneTwice();
    }

    @Test
    void aServerOnWhichAnOlderCopyIsPutBack() throws Exception {
        ZooKeeperServer server = closedLater(ZooKeeperServer.start());
        String address = server.address().connectString();
        IssuingProcess one = first(address);
        server.keepCopy();
        IssuingProcess two = start(address);
        server.kill();
        server.putBack();
        server.restart();
        start(address);
        assertNoneTwice();
        awaitTold(two);
        assertThat(one.told()).as("the copy knew it").isEmpty();
    }

    @Test
    void aServerThatIsKilledForgetsNothing() throws Exception {
        ZooKeeperServer server = closedLater(ZooKeeperServer.start());
        String address = server.address().connectString();
        IssuingProcess one = first(address);
        IssuingProcess two = start(address);
        List<Integer> held = List.of(one.workerId(), two.workerId());
        String noted = groupText(one);
        assertThat(noted).contains("\nincarnation run ");
        server.kill();
        server.restart();
        start(address);
        assertThat(groupText(one)).isNotEqualTo(noted);
        assertNoneTwice();
        assertThat(one.told()).isEmpty();
        assertThat(two.told()).isEmpty();
        assertThat(List.of(one.workerId(), two.workerId())).isEqualTo(held);
    }

    @Test
    void aGroupThatIsDeletedInARunningServer() throws Exception {
        ZooKeeperServer server = closedLater(ZooKeeperServer.start());
        String address = server.address().connectString();
        IssuingProcess one = first(address);
        IssuingProcess two = start(address);
        ZKUtil.deleteRecursive(one.link().handle(), one.link().paths().group(IssuingProcess.GROUP));
        start(address);
        assertNoneTwice();
        awaitTold(one);
        awaitTold(two);
    }

    @Test
    void aSlotThatIsDeletedInARunningServer() throws Exception {
        ZooKeeperServer server = closedLater(ZooKeeperServer.start());
        String address = server.address().connectString();
        IssuingProcess one = first(address);
        IssuingProcess two = start(address);
        one.link().handle().delete(one.link().paths().group(IssuingProcess.GROUP) + "/" + two.workerId(), -1);
        start(address);
        assertNoneTwice();
        awaitTold(two);
        assertThat(one.told()).isEmpty();
    }

    @Test
    @Tag("soak")
    void anEnsembleOnWhichOlderCopiesArePutBack() throws Exception {
        ZooKeeperEnsemble ensemble = closedLater(ZooKeeperEnsemble.start());
        String address = ensemble.connectString();
        IssuingProcess one = first(address);
        assertThat(groupText(one)).contains("\nincarnation epoch ");
        ensemble.all(ZooKeeperServer::keepCopy);
        IssuingProcess two = start(address);
        ensemble.all(server -> {
            server.kill();
            server.putBack();
        });
        ensemble.all(ZooKeeperServer::restart);
        start(address);
        assertNoneTwice();
        awaitTold(two);
        assertThat(one.told()).as("the copy knew it").isEmpty();
    }

    @Test
    @Tag("soak")
    void anEnsembleWhoseLeaderIsKilledForgetsNothing() throws Exception {
        ZooKeeperEnsemble ensemble = closedLater(ZooKeeperEnsemble.start());
        String address = ensemble.connectString();
        IssuingProcess one = first(address);
        IssuingProcess two = start(address);
        List<Integer> held = List.of(one.workerId(), two.workerId());
        String noted = groupText(one);
        ensemble.leader().kill();
        start(address);
        assertThat(groupText(one)).isNotEqualTo(noted);
        assertNoneTwice();
        assertThat(one.told()).isEmpty();
        assertThat(two.told()).isEmpty();
        assertThat(List.of(one.workerId(), two.workerId())).isEqualTo(held);
    }
}
