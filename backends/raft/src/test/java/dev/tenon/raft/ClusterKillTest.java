package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockPage;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.testkit.TestPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes, which are killed with -9 or stopped while they write: what any of them was told still holds. */
@Tag("soak")
class ClusterKillTest implements PunctualScenario {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int KILLS = 4;
    /** So many of the log, after which it hangs: some of the start, and more than {@link #verify} asks for. */
    private static final int FLUSHES = 100;

    @TempDir
    private Path folder;

    private final Map<String, TestPort> ports = new TreeMap<>();
    private final Map<String, ForkedJvm> nodes = new TreeMap<>();
    private final List<String> told = new ArrayList<>();
    private int clusters;

    @Override
    public Duration inTime() {
        return RaftCluster.ELECTION_TIMEOUT;
    }

    /** The nodes stand still with this process. */
    @Override
    public Object askStore() {
        return "";
    }

    /** What the nodes lose or tell wrongly is wrong at any pace. */
    @Override
    public boolean maySpoil(Throwable failure) {
        return !(failure instanceof AssertionError);
    }

    @Override
    public void startAnew() {
        stop();
        nodes.clear();
        ports.clear();
        told.clear();
        clusters++;
        reserve();
    }

    private Path data(String name) {
        return folder.resolve(clusters + name);
    }

    @BeforeEach
    void reserve() {
        List.of("n1", "n2", "n3").forEach(name -> ports.put(name, TestPort.reserve()));
    }

    @AfterEach
    void stop() {
        nodes.values().forEach(ForkedJvm::close);
        ports.values().forEach(TestPort::close);
    }

    @Test
    void nothingThatWasAnsweredIsLostOrGivenTwice() {
        ports.keySet().forEach(name -> start(name, "writes"));
        nodes.values().forEach(node -> node.nextLine(line -> line.startsWith("held"), PATIENCE));
        for (int kill = 0; kill < KILLS; kill++) {
            // The leader and another one in turn; in the end two at once, and then all.
            String name = kill % 2 == 0 ? leader() : "n" + (kill % 3 + 1);
            kill(name);
            if (kill == KILLS - 1) {
                kill(name.equals("n2") ? "n3" : "n2");
            }
            for (String other : ports.keySet()) {
                if (!nodes.get(other).running()) {
                    start(other, "writes");
                }
            }
            String now = nodes.get(name).nextLine(line -> line.startsWith("up"), PATIENCE);
            assertThat(now).isEqualTo("up " + name);
            nodes.values().forEach(node -> node.nextLine(line -> line.startsWith("held"), PATIENCE));
        }
        ports.keySet().forEach(this::kill);
        verify();
    }

    @Test
    void aLeaderThatStoodStillTellsNothingOld() {
        ports.keySet().forEach(name -> start(name, "waits"));
        nodes.values().forEach(node -> node.nextLine(line -> line.startsWith("up"), PATIENCE));
        for (int round = 0; round < 2; round++) {
            String name = leader();
            String lock = "lock-" + round;
            ForkedJvm old = nodes.get(name);
            old.pause();
            ForkedJvm other = nodes.get(name.equals("n1") ? "n2" : "n1");
            other.send("take " + lock);
            String held = other.nextLine(line -> line.startsWith("held " + lock), PATIENCE);
            old.send("who " + lock); // the first thing that it does when it goes on
            old.resume();
            String seen = old.nextLine(line -> line.startsWith("who " + lock), PATIENCE);
            assertThat(seen).isIn("who" + held.substring("held".length()), "who " + lock + " unknown");
        }
    }

    /** Its disk commits what the others have not, and theirs what it has not: somebody else must lead. */
    @Test
    void aLeaderWhoseDiskHangsLeadsNoMore() {
        start(
                "n1",
                "waits",
                arguments -> ForkedJvm.startWithHangingDisk(FLUSHES, ClusterNode.class, List.of(), arguments));
        start("n2", "waits");
        start("n3", "waits");
        nodes.values().forEach(node -> node.nextLine(line -> line.startsWith("up"), PATIENCE));
        ForkedJvm hanging = nodes.get("n1");
        hanging.send("lead n1");
        hanging.nextLine("leader n1"::equals, PATIENCE);
        hanging.send("write");
        hanging.nextLine(line -> line.startsWith("again") && line.contains("the disk of this node hangs"), PATIENCE);
        ForkedJvm other = nodes.get("n2");
        other.send("take after");
        other.nextLine(line -> line.startsWith("held after"), PATIENCE);
        other.send("leader");
        assertThat(other.nextLine(line -> line.startsWith("leader"), PATIENCE)).isIn("leader n2", "leader n3");
        nodes.keySet().forEach(this::kill);
        verify();
    }

    private void start(String name, String what) {
        start(name, what, arguments -> ForkedJvm.start(ClusterNode.class, arguments));
    }

    private void start(String name, String what, Function<String[], ForkedJvm> how) {
        List<String> arguments = new ArrayList<>(List.of(data(name).toString(), name, what));
        ports.forEach((node, port) -> arguments.addAll(List.of(node, "127.0.0.1:" + port.number())));
        nodes.put(name, how.apply(arguments.toArray(String[]::new)));
    }

    private void kill(String name) {
        ForkedJvm node = nodes.get(name);
        node.kill();
        node.awaitExit(PATIENCE);
        told.addAll(node.lines());
    }

    private String leader() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < end) {
            ForkedJvm asked = nodes.get("n1");
            asked.send("leader");
            String leader =
                    asked.nextLine(line -> line.startsWith("leader "), PATIENCE).substring("leader ".length());
            if (nodes.containsKey(leader)) {
                return leader;
            }
        }
        throw new AssertionError("Nobody leads");
    }

    private void verify() {
        Set<Long> ids = new HashSet<>();
        Map<String, Long> held = new HashMap<>();
        Set<Long> tokens = new HashSet<>();
        for (String line : told) {
            String[] words = line.split(" ");
            if (words[0].equals("range")) {
                for (long id = Long.parseLong(words[1]); id <= Long.parseLong(words[2]); id++) {
                    assertThat(ids.add(id)).as("ID %s is given once", id).isTrue();
                }
            } else if (words[0].equals("held")) {
                long token = Long.parseLong(words[2]);
                assertThat(tokens.add(token))
                        .as("token %s is given once", token)
                        .isTrue();
                held.put(words[1], token);
            }
        }
        assertThat(held).hasSizeGreaterThan(20);
        Map<String, String> peers = new TreeMap<>();
        ports.forEach((name, port) -> peers.put(name, "127.0.0.1:" + port.number()));
        List<RaftBackend> backends = new ArrayList<>();
        try {
            // Any two have everything.
            for (String name : List.of("n1", "n3")) {
                backends.add(
                        RaftBackend.open(data(name), RaftOptions.DEFAULT.withCluster(new RaftCluster(name, peers))));
            }
            RaftBackend backend = backends.get(1);
            long next = TestCluster.soon().until(() -> backend.ranges().raiseTo("ids", 0), any -> true);
            assertThat(ids).allMatch(id -> id < next);
            assertThat(locks(backend)).containsAllEntriesOf(held);
        } finally {
            backends.forEach(RaftBackend::close);
        }
    }

    private static Map<String, Long> locks(RaftBackend backend) {
        Map<String, Long> found = new HashMap<>();
        Optional<String> from = Optional.of("");
        while (from.isPresent()) {
            String after = from.get();
            LockPage page = TestCluster.soon().until(() -> backend.locks().list("", after, 1000), any -> true);
            page.locks()
                    .forEach(lock ->
                            found.put(lock.name(), lock.holder().orElseThrow().token()));
            from = page.next();
        }
        return found;
    }
}
