package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.TestClient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code /metrics} tells, against what its page promises and its dashboard draws. */
class MetricsTest {
    private static final Path PAGE = Path.of("..", "docs", "server", "operations.md");
    private static final Path DASHBOARD = Path.of("..", "docs", "server", "grafana-dashboard.json");
    private static final Pattern SAMPLE = Pattern.compile("([a-z_0-9]+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern ROW = Pattern.compile("\\| `([a-z_0-9]+)` \\|([^|]*)\\|.*");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");
    private static final Pattern NAME = Pattern.compile("\\b((?:tenon|jvm|process|system)_[a-z_0-9]+)");

    @TempDir
    static Path folder;

    private static Node node;
    private static TestClient client;

    @BeforeAll
    static void serve() {
        node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"));
        client = new TestClient(node.port());
        use();
        System.gc(); // so that the collector's metrics are there
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static void use() {
        client.put("/v1/ids/orders", "{\"kind\":\"segment\"}");
        client.next("orders", 7);
        client.next("default", 1);
        String one = client.session("one");
        String two = client.session("two");
        long token = acquire(one, "a", "PT0S").json().path("token").asLong();
        assertThat(acquire(two, "a", "PT0S").status()).isEqualTo(409);
        assertThat(acquire(two, "a", "PT0.05S").status()).isEqualTo(409);
        var waiting = client.send(
                "POST", "/v1/locks/a/acquire", "{\"session\":\"" + two + "\",\"wait\":\"PT20S\",\"requestId\":\"w\"}");
        org.awaitility.Awaitility.await()
                .until(() -> client.fetch("/v1/locks/a").json().path("queue").size() == 1);
        client.post("/v1/locks/a/release", "{\"session\":\"" + one + "\",\"token\":" + token + "}");
        assertThat(waiting.join().statusCode()).isEqualTo(200);
        client.post("/v1/locks/a/release", "{\"session\":\"" + one + "\",\"token\":" + token + "}");
        client.post("/v1/locks/a/revoke", "{\"by\":\"ops\"}");
        client.call("DELETE", "/v1/locks/a?reason=test", "");
        assertThat(acquire(one, "b", "PT0S").status()).isEqualTo(200);
        client.call("DELETE", "/v1/sessions/" + two, "");
        assertThat(client.fetch("/v1/ids/nothing").status()).isEqualTo(404);
    }

    private static Answer acquire(String session, String lock, String wait) {
        return client.post(
                "/v1/locks/" + lock + "/acquire", "{\"session\":\"" + session + "\",\"wait\":\"" + wait + "\"}");
    }

    private static Map<String, Double> samples() {
        Map<String, Double> samples = new TreeMap<>();
        client.fetch("/metrics").text().lines().filter(l -> !l.startsWith("#")).forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            String labels = sample.group(2) == null ? "" : "{" + sample.group(2) + "}";
            samples.put(sample.group(1) + labels, Double.parseDouble(sample.group(3)));
        });
        return samples;
    }

    /** The names in a reading, those of a histogram without what its parts append, and the labels of each. */
    private static Map<String, Set<String>> metrics() {
        String text = client.fetch("/metrics").text();
        Set<String> histograms = text.lines()
                .filter(l -> l.startsWith("# TYPE ") && (l.endsWith(" histogram") || l.endsWith(" summary")))
                .map(l -> l.split(" ")[2])
                .collect(Collectors.toSet());
        Map<String, Set<String>> metrics = new TreeMap<>();
        samples().keySet().forEach(sample -> {
            String name = sample.replaceAll("\\{.*", "");
            String whole = name.replaceAll("_(bucket|count|sum)$", "");
            Set<String> labels =
                    metrics.computeIfAbsent(histograms.contains(whole) ? whole : name, n -> new TreeSet<>());
            LABEL.matcher(sample).results().map(r -> r.group(1)).forEach(labels::add);
            labels.remove("le");
        });
        return metrics;
    }

    @Test
    void everyMetricIsDocumentedWithItsLabelsAndEveryDocumentedOneIsThere() throws IOException {
        Map<String, Set<String>> documented = new TreeMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches() && NAME.matcher(row.group(1)).matches()) {
                Set<String> labels = new TreeSet<>();
                Pattern.compile("`([a-z_]+)`").matcher(row.group(2)).results().forEach(r -> labels.add(r.group(1)));
                assertThat(documented.put(row.group(1), labels)).as(line).isNull();
            }
        }
        assertThat(metrics()).isEqualTo(documented);
    }

    @Test
    void theDashboardDrawsOnlyWhatThereIs() throws IOException {
        Set<String> there = new TreeSet<>();
        samples().keySet().forEach(sample -> there.add(sample.replaceAll("\\{.*", "")));
        Set<String> drawn = new TreeSet<>();
        JsonNode dashboard = new JsonMapper().readTree(Files.readString(DASHBOARD));
        assertThat(dashboard.path("title").asString()).isEqualTo("Tenon");
        for (JsonNode panel : dashboard.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                String query = target.path("expr").asString();
                Set<String> names =
                        NAME.matcher(query).results().map(r -> r.group(1)).collect(Collectors.toSet());
                assertThat(names).as(query).isNotEmpty();
                drawn.addAll(names);
            }
        }
        assertThat(drawn).hasSizeGreaterThan(15).isSubsetOf(there);
    }

    @Test
    void theyCountWhatHappened() {
        Map<String, Double> samples = samples();
        assertThat(samples)
                .containsEntry("tenon_ids_issued_total{name=\"orders\"}", 7.0)
                .containsEntry("tenon_ids_issued_total{name=\"default\"}", 1.0)
                .containsEntry("tenon_lock_events_total{event=\"busy\"}", 1.0)
                .containsEntry("tenon_lock_events_total{event=\"gave_up\"}", 1.0)
                .containsEntry("tenon_lock_events_total{event=\"granted\"}", 2.0)
                .containsEntry("tenon_lock_events_total{event=\"handed_over\"}", 1.0)
                .containsEntry("tenon_lock_events_total{event=\"released\"}", 1.0)
                .containsEntry("tenon_lock_events_total{event=\"evicted\"}", 1.0)
                .containsEntry("tenon_lock_events_total{event=\"revoke_asked\"}", 1.0)
                .containsEntry("tenon_session_events_total{event=\"opened\"}", 2.0)
                .containsEntry("tenon_session_events_total{event=\"closed\"}", 1.0)
                .containsEntry("tenon_locks_held", 1.0)
                .containsEntry("tenon_lock_waiters", 0.0)
                .containsEntry("tenon_sessions_open", 1.0)
                .containsEntry("tenon_raft_leader", 1.0)
                .containsEntry("tenon_worker_ids_held", 1.0)
                .containsEntry("tenon_requests_in_flight", 1.0)
                .containsEntry("tenon_requests_seconds_count{operation=\"GET /v1/ids/{}\",status=\"404\"}", 1.0)
                .containsEntry("tenon_store_calls_seconds_count{call=\"locks.evict\",outcome=\"ok\"}", 1.0);
        assertThat(samples.get("tenon_worker_lease_left_seconds")).isBetween(0.1, 30.0);
        assertThat(samples.get("tenon_raft_syncs_total")).isGreaterThan(5);
        assertThat(samples.get("tenon_raft_applied_index")).isLessThanOrEqualTo(samples.get("tenon_raft_log_index"));
        assertThat(samples.get("tenon_requests_seconds_bucket{operation=\"POST /v1/locks/{}/acquire\",status=\"200\","
                        + "le=\"+Inf\"}"))
                .isEqualTo(3);
    }

    @Test
    void ofManyNamesTheLaterOnesAreCountedTogether() {
        try (Node other = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend())) {
            TestClient many = new TestClient(other.port());
            for (int i = 0; i < 120; i++) {
                many.put("/v1/ids/n" + i, "{\"kind\":\"uuid\"}");
                many.next("n" + i, 2);
            }
            String text = many.fetch("/metrics").text();
            var counted = text.lines()
                    .filter(l -> l.startsWith("tenon_ids_issued_total{"))
                    .toList();
            assertThat(counted).hasSize(101);
            assertThat(text).contains("tenon_ids_issued_total{name=\"/other\"} ");
            double all = counted.stream()
                    .mapToDouble(l -> Double.parseDouble(l.substring(l.lastIndexOf(' '))))
                    .sum();
            assertThat(all).isEqualTo(240);
            assertThat(text).doesNotContain("tenon_raft_");
        }
    }

    @Test
    void aScraperChoosesTheFormat() {
        assertThat(client.fetch("/metrics").header("Content-Type")).startsWith("text/plain; version=0.0.4");
        Answer open = client.fetch("/metrics", "Accept", "application/openmetrics-text;version=1.0.0,*/*;q=0.1");
        assertThat(open.header("Content-Type")).startsWith("application/openmetrics-text");
        assertThat(open.text()).endsWith("# EOF\n");
        assertThat(client.post("/metrics", "").status()).isEqualTo(405);
    }
}
