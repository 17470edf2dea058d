package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.protocol.NextIdsRequest;
import dev.tenon.raft.RaftOptions;
import dev.tenon.server.Participant.Said;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.Message;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every metric of {@code docs/server/operations.md} moves when its thing happens: each is driven over the interfaces of
 * a server, and a row of the page that nothing here drives is a failure. What each event counts as is for
 * {@link MetricsTest}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentedMetricsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SEQUENCE = "{\"kind\":\"sequence\"}";

    private final Map<String, Driven> driven = new LinkedHashMap<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Object> garbage = new ArrayList<>();
    /** What passes, and so is done again at each look. */
    private final Map<String, Runnable> again = new HashMap<>();

    private final Participant shop = new Participant();

    /**
     * Where a metric is to be seen, once its thing has happened.
     *
     * @param before what it was before; it is greater afterwards
     */
    private record Driven(TestClient client, MetricsReading before) {}

    /** A server to which things happen. */
    private final class Scene {
        private final TestClient client;
        private final int port;
        private final MetricsReading before;

        Scene(Node node) {
            open.add(node);
            this.port = node.port();
            this.client = new TestClient(node.port(), Duration.ofMinutes(10)); // some of its requests wait
            this.before = MetricsReading.of(client);
        }

        /** These are greater after what has happened here than before. */
        void moves(String... metrics) {
            Stream.of(metrics).forEach(metric -> drive(metric, before));
        }

        /** These say something at any time. */
        void stands(String... metrics) {
            Stream.of(metrics).forEach(metric -> drive(metric, new MetricsReading(Map.of())));
        }

        private void drive(String metric, MetricsReading from) {
            assertThat(driven.put(metric, new Driven(client, from))).as(metric).isNull();
        }

        /** Each of these values of a label. */
        void movesFor(String metric, String label, String... values) {
            Stream.of(values).forEach(value -> moves(metric + "{" + label + "=\"" + value + "\"}"));
        }
    }

    @BeforeAll
    void play(@TempDir Path folder) throws Exception {
        open.add(shop);
        NodeOptions options = NodeOptions.at("127.0.0.1", 0);
        Scene durable =
                new Scene(Node.open(options, folder.resolve("data"), RaftOptions.DEFAULT.withSnapshotLogBytes(1000)));
        ids(durable);
        locks(durable);
        log(durable);
        transactions(durable);
        limits(folder.resolve("little"));
        workerIds();
        failingStore();
        regressedStore();
        outbox();
        machine(durable);
    }

    @AfterAll
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> movesWhenItsThingHappens() throws IOException {
        return DocumentedMetric.all().stream()
                .map(metric -> DynamicTest.dynamicTest(metric.toString(), () -> {
                    Driven scene = driven.get(metric.toString());
                    assertThat(scene)
                            .as(metric + " is on the page, and nothing in this test drives it")
                            .isNotNull();
                    await().atMost(PATIENCE).untilAsserted(() -> {
                        churn(metric);
                        again.getOrDefault(metric.toString(), () -> {}).run();
                        assertThat(MetricsReading.of(scene.client()).of(metric))
                                .as("%s, after its thing has happened", metric)
                                .isGreaterThan(scene.before().of(metric));
                    });
                }));
    }

    /** So that the page is read, and nothing is driven that it does not promise. */
    @Test
    void thePagePromisesAllThatIsDriven() throws IOException {
        List<String> documented =
                DocumentedMetric.all().stream().map(DocumentedMetric::toString).toList();
        assertThat(documented).hasSizeGreaterThan(100).containsAll(driven.keySet());
    }

    private static void ids(Scene scene) {
        TestClient client = scene.client;
        client.put("/v1/ids/orders", "{\"kind\":\"segment\"}");
        client.next("orders", 7);
        client.put("/v1/ids/two", "{\"kind\":\"sequence\",\"max\":2}");
        assertThat(client.next("two", 2)).containsExactly("1", "2");
        assertThat(client.next("two", 1)).as("a sequence that is used up").isEmpty();
        assertThat(client.next("default", 1)).hasSize(1);
        try (BareCalls calls = new BareCalls(scene.port)) {
            byte[] next = NextIdsRequest.newBuilder().setName("orders").build().toByteArray();
            assertThat(calls.call("tenon.v1.Ids/Next", BareCalls.framed(next)).reason())
                    .isEmpty();
        }
        scene.moves("tenon_requests_seconds", "tenon_requests_seconds_max", "tenon_ids_issued_total");
        scene.moves("tenon_store_calls_seconds", "tenon_store_calls_seconds_max");
        scene.movesFor("tenon_store_calls_seconds", "outcome", "ok", "refused");
        scene.movesFor(
                "tenon_store_calls_seconds",
                "call",
                "locks.acquire",
                "ranges.next",
                "workers.renew",
                "definitions.find");
        scene.moves("tenon_worker_ids_held", "tenon_worker_lease_left_seconds");
    }

    private static void locks(Scene scene) {
        TestClient client = scene.client;
        String one = client.session("one");
        String two = client.session("two");
        client.session("brief", "PT1S");
        long token = token(acquire(client, one, "a", "PT0S"));
        assertThat(acquire(client, two, "a", "PT0S").status()).isEqualTo(409);
        assertThat(acquire(client, two, "a", "PT0.05S").status()).isEqualTo(409);
        var handed = waiting(client, two, "a");
        await().until(() -> client.fetch("/v1/locks/a").json().path("queue").size() == 1);
        String release = "{\"session\":\"" + one + "\",\"token\":" + token + "}";
        client.post("/v1/locks/a/release", release);
        assertThat(handed.join().statusCode()).isEqualTo(200);
        client.post("/v1/locks/a/revoke", "{\"by\":\"ops\"}");
        long evicted = client.fetch("/v1/locks/a")
                .json()
                .path("holders")
                .path(0)
                .path("token")
                .asLong();
        client.call("DELETE", "/v1/locks/a?reason=test", "");
        client.post("/v1/locks/a/release", "{\"session\":\"" + two + "\",\"token\":" + evicted + "}"); // too late
        client.call("DELETE", "/v1/sessions/" + two, "");
        assertThat(acquire(client, one, "held", "PT0S").status()).isEqualTo(200);
        waiting(client, client.session("three"), "held");
        await().until(() -> client.fetch("/v1/locks/held").json().path("queue").size() == 1);
        scene.moves("tenon_lock_events_total", "tenon_session_events_total", "tenon_requests_in_flight");
        scene.movesFor(
                "tenon_lock_events_total",
                "event",
                "granted",
                "handed_over",
                "busy",
                "gave_up",
                "released",
                "lost",
                "evicted",
                "revoke_asked");
        scene.movesFor("tenon_session_events_total", "event", "opened", "closed", "expired");
        scene.moves("tenon_locks_held", "tenon_lock_waiters", "tenon_sessions_open");
    }

    private static TestClient.Answer acquire(TestClient client, String session, String lock, String wait) {
        return client.post(
                "/v1/locks/" + lock + "/acquire", "{\"session\":\"" + session + "\",\"wait\":\"" + wait + "\"}");
    }

    private static long token(TestClient.Answer granted) {
        return granted.json().path("token").asLong();
    }

    private static java.util.concurrent.CompletableFuture<java.net.http.HttpResponse<String>> waiting(
            TestClient client, String session, String lock) {
        return client.send(
                "POST",
                "/v1/locks/" + lock + "/acquire",
                "{\"session\":\"" + session + "\",\"wait\":\"PT10M\",\"requestId\":\"" + UUID.randomUUID() + "\"}");
    }

    private static void log(Scene scene) {
        scene.stands("tenon_raft_leader", "tenon_raft_term");
        scene.moves(
                "tenon_raft_log_index",
                "tenon_raft_commit_index",
                "tenon_raft_applied_index",
                "tenon_raft_snapshot_index",
                "tenon_raft_syncs_total");
        scene.stands("tenon_raft_sync_median_seconds", "tenon_raft_sync_p99_seconds");
    }

    private void transactions(Scene scene) {
        TestClient client = scene.client;
        shop.answers("/no", 409).answers("/deaf", 500).answers("/asked", (call, n) -> new Said(n < 2 ? 425 : 409, ""));
        begin(client, "'kind':'saga','wait':true,'steps':[{'name':'a','action':'$/a'}]");
        begin(
                client,
                "'kind':'saga','wait':true,'steps':["
                        + "{'name':'a','action':'$/a','compensate':'$/undo'},{'name':'b','action':'$/no'}]");
        for (String gid : List.of("given-up", "waits")) {
            begin(
                    client,
                    "'gid':'" + gid + "','kind':'saga','wait':true,'steps':["
                            + "{'name':'a','action':'$/a','compensate':'$/no'},{'name':'b','action':'$/no'}]");
        }
        client.post("/v1/transactions/given-up/close", "{\"reason\":\"by hand\"}");
        begin(
                client,
                "'kind':'tcc','wait':true,'branches':["
                        + "{'name':'card','try':'$/t','confirm':'$/c','cancel':'$/x'}]");
        begin(
                client,
                "'kind':'tcc','wait':true,'branches':[{'name':'card','try':'$/t','confirm':'$/c','cancel':'$/x'},"
                        + "{'name':'seat','try':'$/no','confirm':'$/c','cancel':'$/x'}]");
        begin(client, "'kind':'message','wait':true,'targets':[{'name':'points','url':'$/points'}]");
        begin(
                client,
                "'kind':'message','prepared':true,'deadline':'PT0.2S','checkBack':'$/asked','targets':["
                        + "{'name':'points','url':'$/p'}]");
        begin(client, "'kind':'notify','url':'$/deaf','schedule':{'first':'PT0.01S','factor':1,'cap':'PT0.01S'}");
        scene.moves("tenon_transaction_events_total", "tenon_transactions_stuck", "tenon_transactions_suspended");
        scene.movesFor(
                "tenon_transaction_events_total",
                "event",
                "begun",
                "committed",
                "aborted",
                "closed",
                "suspended",
                "stuck");
        scene.moves("tenon_transaction_calls_seconds", "tenon_transaction_calls_seconds_max");
        scene.movesFor(
                "tenon_transaction_calls_seconds",
                "operation",
                "action",
                "compensate",
                "try",
                "confirm",
                "cancel",
                "deliver",
                "check",
                "notify");
        scene.movesFor("tenon_transaction_calls_seconds", "outcome", "done", "refused", "not_yet", "failed");
    }

    private void begin(TestClient client, String body) {
        TestClient.Answer begun = client.post(
                "/v1/transactions", ("{" + body + "}").replace('\'', '"').replace("$", shop.url("")));
        assertThat(begun.status()).as(begun.text()).isEqualTo(200);
    }

    /** A server that has room for little, until it has none. */
    private void limits(Path data) {
        Limits few = Limits.DEFAULT
                .with(LimitedResource.SESSIONS, new Share(3, 3))
                .with(LimitedResource.WAITERS, new Share(1, 1))
                .with(LimitedResource.LOCKS, new Share(2, 2))
                .with(LimitedResource.TRANSACTIONS, new Share(3, 3))
                .with(LimitedResource.DEFINITIONS, new Share(3, 3))
                .with(LimitedResource.STATE, new Share(100_000, 100_000));
        NodeOptions options = NodeOptions.at("127.0.0.1", 0).withProtection(Protection.DEFAULT.withLimits(few));
        Scene scene = new Scene(Node.open(options, data));
        TestClient client = scene.client;
        until(() -> put(client, "n" + UUID.randomUUID()) == 429 || put(client, "m" + UUID.randomUUID()) == 409);
        String one = client.session("one");
        String two = client.session("two");
        assertThat(acquire(client, one, "a", "PT0S").status()).isEqualTo(200);
        waiting(client, two, "a");
        await().until(() -> client.fetch("/v1/locks/a").json().path("queue").size() == 1);
        acquire(client, one, "a", "PT1S");
        for (String lock : List.of("b", "c", "d")) {
            acquire(client, one, lock, "PT0S");
        }
        for (String owner : List.of("three", "four", "five")) {
            client.session(owner);
        }
        for (int size : new int[] {60_000, 60_000, 1, 1, 1}) {
            client.post(
                    "/v1/transactions",
                    "{\"kind\":\"tcc\",\"deadline\":\"PT1H\",\"branches\":[{\"name\":\"b\",\"payload\":\""
                            + "p".repeat(size) + "\",\"confirm\":\"http://127.0.0.1:9/c\","
                            + "\"cancel\":\"http://127.0.0.1:9/x\"}]}");
        }
        String[] all =
                Stream.of(LimitedResource.values()).map(LimitedResource::label).toArray(String[]::new);
        scene.moves("tenon_quota_used", "tenon_quota_refusals_total");
        scene.movesFor("tenon_quota_used", "quota", all);
        scene.movesFor("tenon_quota_refusals_total", "quota", all);
        scene.stands("tenon_quota_limit");
        Stream.of(all).forEach(quota -> scene.stands("tenon_quota_limit{quota=\"" + quota + "\"}"));
    }

    private static int put(TestClient client, String name) {
        return client.put("/v1/ids/" + name, "{\"kind\":\"uuid\"}").status();
    }

    private static void until(BooleanSupplier refused) {
        await().atMost(PATIENCE).until(refused::getAsBoolean);
    }

    /** One store that may have forgotten, one that has, and one that does not answer. */
    private void workerIds() {
        NodeOptions options = NodeOptions.at("127.0.0.1", 0);
        Scene waiting = new Scene(Node.start(options, new ForgetfulWorkerIds().backend()));
        waiting.moves("tenon_worker_ids_waiting");
        again.put("tenon_worker_ids_waiting", () -> waiting.client.next("default", 1)); // it waits for half a minute

        ForgetfulWorkerIds forgetful = new ForgetfulWorkerIds();
        forgetful.incarnation = "";
        Scene forgotten = new Scene(Node.start(options, forgetful.backend()));
        assertThat(forgotten.client.next("default", 1)).hasSize(1);
        forgetful.forget();
        forgotten.moves("tenon_worker_ids_forgotten_total");

        ForgetfulWorkerIds away = new ForgetfulWorkerIds();
        away.incarnation = "";
        Scene lost = new Scene(Node.start(options, away.backend()));
        assertThat(lost.client.next("default", 1)).hasSize(1);
        away.down = true;
        lost.moves("tenon_worker_events_total", "tenon_worker_events_total{event=\"lost\"}");
    }

    /** A store that is away for some names, and does not tell what came of others. */
    private void failingStore() {
        ServerBackend memory = new MemoryServerBackend();
        ServerBackend failing = (ServerBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ServerBackend.class}, (proxy, method, given) -> {
                    try {
                        Object part = method.invoke(memory, given);
                        return part instanceof RangeStore ranges ? failing(ranges) : part;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Scene scene = new Scene(Node.start(NodeOptions.at("127.0.0.1", 0), failing));
        for (String name : List.of("away", "unclear")) {
            scene.client.put("/v1/ids/" + name, SEQUENCE);
            assertThat(scene.client.next(name, 1)).isEmpty();
        }
        scene.movesFor("tenon_store_calls_seconds", "outcome", "unavailable", "unknown");
    }

    private static RangeStore failing(RangeStore ranges) {
        return new RangeStore() {
            @Override
            public IdRange next(String name, long count) {
                if (name.equals("away")) {
                    throw new BackendUnavailableException("The store is away");
                }
                throw new OutcomeUnknownException("The store did not answer in time");
            }

            @Override
            public void define(String name, RangeDefinition definition) {
                ranges.define(name, definition);
            }

            @Override
            public Optional<RangeDefinition> definition(String name) {
                return ranges.definition(name);
            }

            @Override
            public long raiseTo(String name, long floor) {
                return ranges.raiseTo(name, floor);
            }
        };
    }

    /** A database that was set back under a running server. */
    private void regressedStore() throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        Scene scene = new Scene(
                Node.open(NodeOptions.at("127.0.0.1", 0), new StoreLocation(url, Optional.of("sa"), Optional.of(""))));
        scene.client.put("/v1/ids/seq", SEQUENCE);
        scene.client.next("seq", 1);
        try (Connection connection = DriverManager.getConnection(url, "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE saved AS SELECT * FROM tenon_range");
            scene.client.next("seq", 100);
            statement.execute("DELETE FROM tenon_range");
            statement.execute("INSERT INTO tenon_range SELECT * FROM saved");
        }
        assertThat(scene.client.post("/v1/ids/seq/next", "").problem()).isEqualTo("sequence-regressed");
        scene.moves("tenon_sequences_regressed");
    }

    private void outbox() {
        ShopOutbox messages = ShopOutbox.inMemory();
        Scene scene = new Scene(Node.open(NodeOptions.at("127.0.0.1", 0), messages.store()));
        open.add(messages);
        Message nowhere = Message.of("/paynowhere", "pay/1", "{}").withKey("ann");
        messages.commit(nowhere.withId("one"), nowhere.withId("two"));
        messages.run();
        messages.commit(Message.of("points", "points/1", "30"));
        scene.moves("tenon_outbox_dead_letters", "tenon_outbox_lag_seconds", "tenon_outbox_lanes_failing");
    }

    private static void machine(Scene scene) {
        scene.stands(
                "jvm_memory_used_bytes",
                "jvm_memory_committed_bytes",
                "jvm_memory_max_bytes",
                "jvm_buffer_count_buffers",
                "jvm_buffer_memory_used_bytes",
                "jvm_buffer_total_capacity_bytes",
                "jvm_gc_pause_seconds",
                "jvm_gc_pause_seconds_max",
                "jvm_gc_live_data_size_bytes",
                "jvm_gc_max_data_size_bytes",
                "jvm_gc_memory_allocated_bytes_total",
                "jvm_gc_memory_promoted_bytes_total",
                "jvm_threads_live_threads",
                "jvm_threads_daemon_threads",
                "jvm_threads_peak_threads",
                "jvm_threads_started_threads_total",
                "jvm_threads_states_threads",
                "process_cpu_usage",
                "process_cpu_time_ns_total",
                "process_files_open_files",
                "process_files_max_files",
                "process_start_time_seconds",
                "process_uptime_seconds",
                "system_cpu_count",
                "system_cpu_usage",
                "system_load_average_1m");
    }

    /** What the JVM tells of memory, it tells once there is some of it, and after a collection. */
    private void churn(DocumentedMetric metric) {
        if (metric.name().startsWith("jvm_gc_") || metric.name().startsWith("jvm_buffer_")) {
            garbage.add(new byte[1_000_000]);
            garbage.add(ByteBuffer.allocateDirect(1_000));
            System.gc();
        }
    }
}
