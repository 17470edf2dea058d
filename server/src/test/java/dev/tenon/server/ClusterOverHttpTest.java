package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.raft.RaftCluster;
import dev.tenon.raft.RaftOptions;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.testkit.TestPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Three nodes in this process: who they are, who leads, and that they are as one to their clients. */
class ClusterOverHttpTest implements PunctualScenario {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** What stands still for longer finds another leader when it goes on. */
    private static final Duration ELECTION = Duration.ofMillis(500);

    private static final int SESSIONS_MAX = 5;
    private static final Protection FEW_SESSIONS = Protection.DEFAULT.withLimits(
            Limits.DEFAULT.with(LimitedResource.SESSIONS, new Limits.Share(SESSIONS_MAX, SESSIONS_MAX)));

    @TempDir
    private Path folder;

    private final Map<String, String> peers = new TreeMap<>();
    private final Map<String, TestPort> ports = new HashMap<>();
    private final Map<String, Node> nodes = new HashMap<>();
    private int clusters;

    @Override
    public Duration inTime() {
        return ELECTION;
    }

    @Override
    public Object askStore() {
        return cluster("n1");
    }

    @Override
    public void startAnew() {
        stop();
        List.of(nodes, ports, peers).forEach(Map::clear);
        start();
    }

    @BeforeEach
    void start() {
        clusters++;
        for (String name : new String[] {"n1", "n2", "n3"}) {
            peers.put(name, "127.0.0.1:" + reserved(name));
        }
        peers.keySet().forEach(name -> open(name, peers));
        peers.keySet().forEach(this::awaitReady);
    }

    @AfterEach
    void stop() {
        // All at once: the last ones would look in vain for somebody to lead.
        CompletableFuture.allOf(nodes.values().stream()
                        .map(node -> CompletableFuture.runAsync(node::close))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
        ports.values().forEach(TestPort::close);
    }

    private int reserved(String name) {
        return ports.computeIfAbsent(name, any -> TestPort.reserve()).number();
    }

    private void open(String name, Map<String, String> known) {
        RaftCluster cluster = new RaftCluster(name, known).withElectionTimeout(ELECTION);
        nodes.put(
                name,
                Node.open(
                        NodeOptions.at("127.0.0.1", 0).withProtection(FEW_SESSIONS),
                        folder.resolve(name + "-" + clusters),
                        RaftOptions.DEFAULT.withCluster(cluster)));
    }

    private TestClient client(String name) {
        return new TestClient(nodes.get(name).port());
    }

    private void awaitReady(String name) {
        await().atMost(PATIENCE).until(() -> client(name).fetch("/readyz").status() == 200);
    }

    private JsonNode cluster(String name) {
        return client(name).fetch("/v1/cluster").json();
    }

    private String leader() {
        return await().atMost(PATIENCE).until(() -> cluster("n1").path("leader").asString(""), name -> !name.isEmpty());
    }

    private String follower() {
        String leader = leader();
        return peers.keySet().stream()
                .filter(n -> !n.equals(leader))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyNodeTellsMembersLeaderTermAndPositions() {
        for (String name : peers.keySet()) {
            JsonNode cluster = cluster(name);
            assertThat(cluster.path("node").asString()).isEqualTo(name);
            assertThat(cluster.path("leader").asString()).isEqualTo(leader());
            assertThat(cluster.path("term").asLong()).isPositive();
            assertThat(cluster.path("applied").asLong()).isPositive();
            assertThat(cluster.path("members")).hasSize(3);
            assertThat(cluster.path("members"))
                    .allSatisfy(m -> assertThat(m.path("address").asString())
                            .isEqualTo(peers.get(m.path("name").asString())));
            assertThat(cluster.path("members"))
                    .filteredOn(m -> m.path("leads").asBoolean())
                    .singleElement()
                    .satisfies(m -> assertThat(m.path("name").asString()).isEqualTo(leader()));
        }
    }

    @Test
    void theLeadIsHandedOverAndWhoIsNoMemberIsRefused() {
        String heir = follower();
        Answer handed = client("n1").post("/v1/cluster/leader", "{\"name\":\"" + heir + "\"}");
        assertThat(handed.status()).as(handed.text()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> leader().equals(heir));

        Answer nobody = client("n1").post("/v1/cluster/leader", "{\"name\":\"n9\"}");
        assertThat(nobody.status()).isEqualTo(404);
        assertThat(nobody.problem()).isEqualTo("unknown-member");
        assertThat(nobody.detail()).contains("n9", "n1, n2, n3");
        assertThat(client("n1").post("/v1/cluster/leader", "{}").problem()).isEqualTo("bad-request");
        assertThat(client("n1")
                        .call("DELETE", "/v1/cluster/members?name=n9", "")
                        .problem())
                .isEqualTo("unknown-member");
        assertThat(client("n1").call("DELETE", "/v1/cluster/members", "").problem())
                .isEqualTo("bad-request");
        assertThat(client("n1")
                        .post("/v1/cluster/members", "{\"name\":\"n4\",\"address\":\"nowhere\"}")
                        .problem())
                .isEqualTo("bad-request");
    }

    @Test
    void aNodeJoinsAndLeaves() {
        String held = client("n1").session("holder");
        long token = client("n1")
                .post("/v1/locks/stock/acquire", "{\"session\":\"" + held + "\"}")
                .json()
                .path("token")
                .asLong();
        Map<String, String> four = new TreeMap<>(peers);
        four.put("n4", "127.0.0.1:" + reserved("n4"));
        open("n4", four);
        assertThat(client("n4").fetch("/readyz").status()).isEqualTo(503);
        String node = "{\"name\":\"n4\",\"address\":\"" + four.get("n4") + "\"}";
        Answer added = await().atMost(PATIENCE) // it may be starting still
                .until(() -> client("n2").post("/v1/cluster/members", node), answer -> answer.status() == 200);
        assertThat(added.json().path("members")).hasSize(4);
        awaitReady("n4");
        assertThat(client("n4")
                        .fetch("/v1/locks/stock")
                        .json()
                        .path("holder")
                        .path("token")
                        .asLong())
                .isEqualTo(token);

        String gone = follower();
        Answer removed = client("n4").call("DELETE", "/v1/cluster/members?name=" + gone, "");
        assertThat(removed.status()).as(removed.text()).isEqualTo(200);
        assertThat(removed.json().path("members")).hasSize(3);
        assertThat(client("n4").next("default", 1)).hasSize(1);
    }

    @Test
    void aSessionIsKnownToAllNodesAndAWaiterMayMove() throws Exception {
        String one = client("n1").session("one");
        String two = client("n2").session("two");
        String three = client("n3").session("three");
        long first = client("n2")
                .post("/v1/locks/door/acquire", "{\"session\":\"" + one + "\"}")
                .json()
                .path("token")
                .asLong();
        assertThat(first).isPositive();
        assertThat(client("n3").post("/v1/sessions/" + one + "/keepalive", "").status())
                .isEqualTo(204);

        String body = "{\"session\":\"" + two + "\",\"wait\":\"PT60S\",\"requestId\":\"moves\"}";
        CompletableFuture<?> left = client("n1").send("POST", "/v1/locks/door/acquire", body);
        awaitQueue(1);
        var last = client("n3")
                .send(
                        "POST",
                        "/v1/locks/door/acquire",
                        "{\"session\":\"" + three + "\",\"wait\":\"PT60S\",\"requestId\":\"stays\"}");
        awaitQueue(2);
        left.cancel(true); // its place is kept, as it may be on its way to another node, and it is
        var moved = client("n3").send("POST", "/v1/locks/door/acquire", body);
        assertThat(client("n1")
                        .post("/v1/locks/door/release", "{\"session\":\"" + one + "\",\"token\":" + first + "}")
                        .status())
                .isEqualTo(200);
        assertThat(moved.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(200);
        assertThat(last.isDone()).isFalse();
        client("n2").call("DELETE", "/v1/sessions/" + two, "");
        assertThat(last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(200);
    }

    /** Behind a load balancer they always are. */
    @Test
    void sessionsThatAreEndedAtAnotherNodeAreCountedNoMore() {
        String[] names = {"n1", "n2", "n3"};
        for (int i = 0; i < 10 * SESSIONS_MAX; i++) {
            TestClient opener = client(names[i % 3]);
            Answer opened = await().atMost(PATIENCE) // until the node has heard of the last ends
                    .until(() -> opener.post("/v1/sessions", "{\"ttl\":\"PT10M\"}"), answer -> answer.status() == 201);
            String session = opened.json().path("id").asString();
            assertThat(client(names[(i + 1) % 3])
                            .call("DELETE", "/v1/sessions/" + session, "")
                            .status())
                    .isEqualTo(204);
        }
    }

    @Test
    void whoWaitsInASessionThatIsEndedAtAnotherNodeIsToldAtOnce() throws Exception {
        String one = client("n1").session("one");
        String two = client("n2").session("two");
        client("n1").post("/v1/locks/door/acquire", "{\"session\":\"" + one + "\"}");
        var waiter =
                client("n3").send("POST", "/v1/locks/door/acquire", "{\"session\":\"" + two + "\",\"wait\":\"PT5M\"}");
        awaitQueue(1);
        assertThat(client("n1").call("DELETE", "/v1/sessions/" + two, "").status())
                .isEqualTo(204);
        var told = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(told.statusCode()).isEqualTo(404);
        assertThat(told.body()).contains("unknown-session");
    }

    @Test
    void whatIsAskedUnderNoRequestIdIsWithdrawnWithItsCaller() {
        String one = client("n1").session("one");
        String two = client("n2").session("two");
        client("n1").post("/v1/locks/door/acquire", "{\"session\":\"" + one + "\"}");
        CompletableFuture<?> left =
                client("n2").send("POST", "/v1/locks/door/acquire", "{\"session\":\"" + two + "\",\"wait\":\"PT60S\"}");
        awaitQueue(1);
        left.cancel(true);
        awaitQueue(0);
    }

    private void awaitQueue(int length) {
        await().atMost(PATIENCE)
                .until(() -> client("n1")
                                .fetch("/v1/locks/door")
                                .json()
                                .path("queue")
                                .size()
                        == length);
    }

    @Test
    void withoutAMajorityANodeIsNotReadyAndWritesNothing() {
        String left = follower();
        for (String name : peers.keySet()) {
            if (!name.equals(left)) {
                nodes.get(name).close();
            }
        }
        await().atMost(PATIENCE).until(() -> cluster(left).path("leader").isMissingNode());
        Answer ready = client(left).fetch("/readyz");
        assertThat(ready.status()).isEqualTo(503);
        assertThat(ready.detail()).contains("majority");
        Answer opened = client(left).post("/v1/sessions", "{}");
        assertThat(opened.status()).as(opened.text()).isIn(503, 504);
        assertThat(client(left).fetch("/healthz").status()).isEqualTo(200);
    }
}
