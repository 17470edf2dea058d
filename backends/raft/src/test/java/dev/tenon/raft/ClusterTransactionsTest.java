package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes that all drive sagas, and lose their leader in the midst of them. */
class ClusterTransactionsTest {
    private static final TransactionOptions OPTIONS = TransactionOptions.DEFAULT
            .withService("shop")
            .withClaim(Duration.ofSeconds(3))
            .withPollEvery(Duration.ofMillis(200));

    @TempDir
    private Path folder;

    private final Map<String, Transactions> engines = new TreeMap<>();
    private final Set<TransactionId> begun =
            new ConcurrentSkipListSet<>((a, b) -> a.text().compareTo(b.text()));
    private final Set<String> effects = ConcurrentHashMap.newKeySet();
    private final Set<String> calls = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stopEngines() {
        engines.values().forEach(Transactions::close);
    }

    @Test
    void whatHasBegunEndsOnceThoughItsLeaderIsLost() {
        try (TestCluster cluster = TestCluster.of(folder, 3).start()) {
            cluster.names().forEach(name -> drive(cluster, name));
            begin("before", 12);
            String lost = cluster.leader();
            begin("meanwhile", 6);
            Optional.ofNullable(engines.remove(lost)).ifPresent(Transactions::close);
            cluster.stop(lost);
            begin("after", 6);
            cluster.open(lost);
            drive(cluster, lost);

            List<TransactionRecord> ended = soon().until(
                            () -> all(cluster.node(lost)),
                            all -> all.stream().allMatch(tx -> tx.state().isFinal()));
            assertThat(ended).extracting(TransactionRecord::gid).containsAll(begun);
            assertThat(ended).allMatch(tx -> tx.state() == TransactionState.COMMITTED);
            for (TransactionRecord tx : ended) {
                assertThat(effects).contains("action pay " + tx.gid(), "action ship " + tx.gid());
            }
            assertThat(effects).hasSize(2 * ended.size());
        }
    }

    private void drive(TestCluster cluster, String name) {
        Participants all = target -> Optional.of(this::perform);
        engines.put(
                name,
                TransactionEngine.over(cluster.node(name).transactions(), all, OPTIONS)
                        .start());
    }

    /** Each step fails at its first call, so that it is due later, when another node may lead. */
    private Reply perform(BranchCall call) {
        String what = call.operation().text() + " " + call.branch() + " " + call.gid();
        if (calls.add(what)) {
            throw new IllegalStateException("not at the first call");
        }
        effects.add(what);
        return Reply.done();
    }

    /** On each node in turn; again, until it is known. */
    private void begin(String name, int count) {
        List<Transactions> nodes = new ArrayList<>(engines.values());
        for (int i = 0; i < count; i++) {
            TransactionId gid = new TransactionId(name + "-" + i);
            Transactions node = nodes.get(i % nodes.size());
            soon().until(() -> node.begin(TransactionCommands.draft(gid.text(), "")) != null);
            begun.add(gid);
        }
    }

    private static List<TransactionRecord> all(RaftBackend node) {
        return node.transactions().list(TransactionFilter.ALL, "", 1000).transactions();
    }
}
