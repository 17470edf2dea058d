package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.observe.Observer;
import dev.tenon.server.observe.RequestLog;
import dev.tenon.server.observe.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is logged and traced of requests. */
class LogsTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";

    @TempDir
    private Path folder;

    @Test
    void jsonLinesSayWhatWasSlowAndOfWhichTrace() {
        List<JsonNode> lines = new ArrayList<>();
        try (var server = ServerProcess.launch(
                "--data", folder.toString(), "--port", "0", "--log-format", "json", "--slow-op", "PT0.000001S")) {
            String greeting = server.nextLine(l -> l.startsWith("Tenon listens"), ServerProcess.START_LIMIT);
            int port = Integer.parseInt(greeting.replaceAll(".*http://127.0.0.1:(\\d+) .*", "$1"));
            TestClient client = new TestClient(port);
            client.call("POST", "/v1/ids/default/next", "", "traceparent", PARENT);
            client.session("somebody");
            client.put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            client.call("POST", "/v1/ids/seq/raise", "{\"above\":\"7\"}", "traceparent", PARENT);
            server.terminate();
            server.awaitExit(Duration.ofSeconds(60));
            assertThat(server.errors().lines())
                    .allSatisfy(line -> assertThat(line).startsWith("{"));
            server.errors().lines().forEach(line -> lines.add(new JsonMapper().readTree(line)));
        }
        assertThat(lines).anySatisfy(line -> {
            assertThat(line.path("message").asString()
                            + line.path("formattedMessage").asString())
                    .contains("Slow operation");
            assertThat(line.path("level").asString()).isEqualTo("WARN");
            assertThat(line.toString())
                    .contains("POST /v1/ids/{}/next", "\"default\"", "anyone at 127.0.0.1")
                    .contains("seconds");
            assertThat(line.path("mdc").path("trace_id").asString()).isEqualTo(TRACE);
        });
        assertThat(lines).anySatisfy(line -> assertThat(line.toString()).contains("Slow store", "locks.open"));
        assertThat(lines)
                .as("on a thread of its own")
                .anySatisfy(line -> assertThat(line.toString()).contains("The numbers of seq were raised", TRACE));
    }

    @Test
    void theLogOfRequestsIsOffUnlessAskedFor() {
        try (var quiet = ServerProcess.start(folder.resolve("a"), 0)) {
            quiet.client().fetch("/healthz");
            quiet.jvm().terminate();
            quiet.jvm().awaitExit(Duration.ofSeconds(60));
            assertThat(quiet.jvm().errors()).doesNotContain("healthz");
        }
    }

    @Test
    void aSpanForEachRequestIsAChildOfTheCallers() {
        InMemorySpanExporter spans = InMemorySpanExporter.create();
        OpenTelemetry telemetry = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(spans))
                        .build())
                .build();
        NodeOptions options = NodeOptions.at("127.0.0.1", 0).observedBy(new Tracing(telemetry, Observer.NONE));
        try (Node node = Node.start(options, new MemoryServerBackend())) {
            TestClient client = new TestClient(node.port());
            client.call("POST", "/v1/ids/default/next", "", "traceparent", PARENT);
            client.fetch("/v1/ids/nothing");
            client.call("GET", "/healthz", "", "traceparent", "rubbish");
            await().until(() -> spans.getFinishedSpanItems().size() == 3);
        }
        Map<String, SpanData> byName = spans.getFinishedSpanItems().stream()
                .collect(java.util.stream.Collectors.toMap(SpanData::getName, s -> s));
        SpanData next = byName.get("POST /v1/ids/{}/next");
        assertThat(next.getTraceId()).isEqualTo(TRACE);
        assertThat(next.getParentSpanId()).isEqualTo("00f067aa0ba902b7");
        assertThat(next.getKind()).isEqualTo(SpanKind.SERVER);
        assertThat(next.getAttributes().asMap().toString()).contains("default", "200", "anyone at");
        SpanData unknown = byName.get("GET /v1/ids/{}");
        assertThat(unknown.getTraceId()).isNotEqualTo(TRACE);
        assertThat(unknown.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(byName.get("GET /healthz").getParentSpanContext().isValid()).isFalse();
    }

    @Test
    void whatIsLoggedForARequestBearsItsTraceAndNothingIsLeftBehind() {
        List<Optional<String>> seen = new CopyOnWriteArrayList<>();
        Observer looking =
                (operation, name, header) -> (status, caller) -> seen.add(Optional.ofNullable(MDC.get("trace_id")));
        Tracing tracing = new Tracing(OpenTelemetry.noop(), looking);
        Observer.Observation traced = tracing.begin("GET /x", "", header -> Optional.of(PARENT));
        var working = traced.enter();
        assertThat(MDC.get("trace_id")).isEqualTo(TRACE);
        working.close();
        assertThat(MDC.get("trace_id")).isNull();
        traced.end(200, "me");
        tracing.begin("GET /x", "", header -> Optional.empty()).end(200, "me");
        assertThat(seen).containsExactly(Optional.of(TRACE), Optional.empty());
        assertThat(MDC.getCopyOfContextMap())
                .satisfiesAnyOf(
                        map -> assertThat(map).isNull(), map -> assertThat(map).isEmpty());
    }

    @Test
    void anAcquireIsNotSlowByItsWaiting() {
        var appender = new ch.qos.logback.core.read.ListAppender<ch.qos.logback.classic.spi.ILoggingEvent>();
        var logger = (ch.qos.logback.classic.Logger) org.slf4j.LoggerFactory.getLogger(RequestLog.class);
        appender.start();
        logger.addAppender(appender);
        try {
            RequestLog log = new RequestLog(false, Duration.ofNanos(1));
            log.begin("POST /v1/locks/{}/acquire", "a", h -> Optional.empty()).end(200, "me");
            assertThat(appender.list).isEmpty();
            log.begin("POST /v1/locks/{}/release", "a", h -> Optional.empty()).end(200, "me");
            log.stored("locks.acquire", "ok", Duration.ofSeconds(1));
            assertThat(appender.list).hasSize(2);
        } finally {
            logger.detachAppender(appender);
        }
    }
}
