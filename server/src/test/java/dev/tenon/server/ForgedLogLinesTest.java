package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.read.ListAppender;
import dev.tenon.server.access.Audit;
import dev.tenon.server.observe.LogFormat;
import dev.tenon.server.observe.RequestLog;
import java.io.IOException;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What strangers send is logged, as text and as JSON, by the configuration that a server runs with; it acts on no
 * reader.
 */
class ForgedLogLinesTest {
    private static final String FORGED = "2026-01-01T00:00:00.000Z ERROR Node: forged";
    private static final Pattern LINE = Pattern.compile(
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) [A-Z ]{5} \\w+: .*");
    private static final Pattern FRAME =
            Pattern.compile("\\t+(at |\\.\\.\\. |Suppressed: |Caused by: ).*|Caused by: .*|[\\w.$]+: .*");

    /** The layouts of the server's own configuration, beside that of the tests. */
    private static OutputStreamAppender<ILoggingEvent> appender(LoggerContext context) {
        try {
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(context);
            URL own = Objects.requireNonNull(LogFormat.class.getResource("/logback.xml"), "logback.xml");
            configurator.doConfigure(own);
        } catch (JoranException e) {
            throw new IllegalStateException(e);
        }
        return (OutputStreamAppender<ILoggingEvent>)
                context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender("stderr");
    }

    private static List<String> texts(List<ILoggingEvent> events) {
        LoggerContext context = new LoggerContext();
        OutputStreamAppender<ILoggingEvent> text = appender(context);
        return events.stream().map(event -> encoded(text, event)).toList();
    }

    private static List<String> documents(List<ILoggingEvent> events) {
        LoggerContext context = new LoggerContext();
        OutputStreamAppender<ILoggingEvent> json = appender(context);
        LogFormat.JSON.apply(context);
        return events.stream().map(event -> encoded(json, event)).toList();
    }

    private static String encoded(OutputStreamAppender<ILoggingEvent> appender, ILoggingEvent event) {
        return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
    }

    private static void assertHarmless(List<ILoggingEvent> events) {
        for (String entry : texts(events)) {
            assertThat(entry).endsWith("\n");
            List<String> lines = List.of(entry.substring(0, entry.length() - 1).split("\n", -1));
            assertThat(lines.get(0)).matches(LINE);
            assertThat(lines.subList(1, lines.size()))
                    .allSatisfy(line -> assertThat(line).matches(FRAME).doesNotStartWith("2026"));
            assertThat(entry.replace("\n", "").replace("\t", "").codePoints()).noneMatch(ForgedLogLinesTest::acts);
        }
        for (String document : documents(events)) {
            assertThat(document).endsWith("\n");
            String line = document.substring(0, document.length() - 1);
            assertThat(line.codePoints()).noneMatch(ForgedLogLinesTest::acts);
            assertThat(new JsonMapper().readTree(line).isObject()).isTrue();
        }
    }

    private static boolean acts(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                true;
            default -> point >= 0x202a && point <= 0x202e || point >= 0x2066 && point <= 0x2069;
        };
    }

    @Provide
    Arbitrary<String> foreign() {
        Arbitrary<String> acting = Arbitraries.of(
                "\n" + FORGED,
                "\r" + FORGED,
                "\u0085" + FORGED,
                "\u2028" + FORGED,
                "\u001b]0;title\u0007",
                "\u009b2J",
                "\u202egnp.exe",
                "\ud800",
                "\udc00",
                "\u007f\b\b",
                "%0A{}%n%msg",
                "\"},\n{\"");
        return Arbitraries.oneOf(acting, Arbitraries.strings().ofMaxLength(20))
                .list()
                .ofMaxSize(4)
                .map(all -> String.join("", all));
    }

    @Property(tries = 300)
    void noPartOfAnEntryActsOnItsReader(
            @ForAll("foreign") String message, @ForAll("foreign") String value, @ForAll("foreign") String trouble) {
        IllegalStateException failure = new IllegalStateException(trouble, new IOException(value));
        failure.addSuppressed(new IllegalArgumentException(message, new IOException(trouble)));
        LoggerContext context = new LoggerContext();
        LoggingEvent event = new LoggingEvent(
                "test", context.getLogger("dev.tenon.Test"), Level.ERROR, "Failed: {}", failure, new Object[] {message
                });
        event.addKeyValuePair(new KeyValuePair("name", value));
        event.setMDCPropertyMap(Map.of("trace_id", value));
        LoggingEvent raw =
                new LoggingEvent("test", context.getLogger("dev.tenon.Test"), Level.WARN, message, null, null);
        raw.setMDCPropertyMap(Map.of());
        assertHarmless(List.of(event, raw));
    }

    @Property(tries = 100)
    void aLineOfTheAuditLogIsJsonOnALineOfItsOwn(@ForAll("foreign") String name, @ForAll("foreign") String reason) {
        String line = new Audit.Deed("lock-evicted", name, name, Map.of("why", reason)).line();
        assertThat(line.codePoints()).noneMatch(ForgedLogLinesTest::acts);
        JsonNode parsed = new JsonMapper().readTree(line);
        if (!name.matches("(?s).*[\ud800-\udfff].*")) {
            assertThat(parsed.path("on").asString()).isEqualTo(name);
        }
    }

    @Test
    void aLineIsBoundedAndThoseOfTheAuditLogAreWhole() {
        LoggerContext context = new LoggerContext();
        String huge = "x".repeat(100_000);
        List<ILoggingEvent> events = new ArrayList<>();
        for (String logger : List.of("dev.tenon.Test", Audit.LOGGER)) {
            LoggingEvent event = new LoggingEvent("test", context.getLogger(logger), Level.INFO, huge, null, null);
            event.setMDCPropertyMap(Map.of());
            events.add(event);
        }
        List<String> lines = texts(events);
        assertThat(lines.get(0)).hasSizeLessThan(17_000).endsWith("x…\n");
        assertThat(lines.get(1)).hasSizeGreaterThan(100_000);
    }

    /** Each request is logged, those too that are refused, with all that the server says at any level. */
    @Test
    void noRequestWritesALineOfItsOwn() throws IOException {
        LoggerContext live = (LoggerContext) LoggerFactory.getILoggerFactory();
        Logger tenon = live.getLogger("dev.tenon");
        Level before = tenon.getLevel();
        ListAppender<ILoggingEvent> captured = new ListAppender<>();
        captured.start();
        tenon.addAppender(captured);
        tenon.setLevel(Level.TRACE);
        tenon.setAdditive(false);
        RequestLog log = new RequestLog(true, Duration.ofNanos(1));
        NodeOptions options = NodeOptions.at("127.0.0.1", 0).observedBy(log);
        try (Node node = Node.start(options, new MemoryServerBackend())) {
            hostileRequests().forEach(request -> send(node.port(), request));
        } finally {
            tenon.detachAppender(captured);
            tenon.setLevel(before);
            tenon.setAdditive(true);
        }
        assertThat(captured.list).hasSizeGreaterThan(10);
        assertThat(captured.list)
                .anySatisfy(event -> assertThat(String.valueOf(event.getKeyValuePairs()))
                        .as("the name of a lock")
                        .contains("forged"));
        assertHarmless(List.copyOf(captured.list));
    }

    private static Stream<String> hostileRequests() {
        String forged = "a%0A" + FORGED.replace(" ", "%20") + "%1B%5D0;x%07%C2%9B2J%E2%80%A8";
        String host = "Host: 127.0.0.1\r\nConnection: close\r\n";
        String controls = "\u001b]0;x\u0007\u009b2J\u0085";
        return Stream.of(
                "GET /v1/locks/" + forged + " HTTP/1.1\r\n" + host + "\r\n",
                "GET /v1/ids/" + forged + " HTTP/1.1\r\n" + host + "\r\n",
                "POST /v1/ids/" + forged + "/next HTTP/1.1\r\n" + host + "\r\n",
                "GET /v1/locks/" + "%0A".repeat(2_000) + " HTTP/1.1\r\n" + host + "\r\n",
                "GET /v1/transactions/" + forged + " HTTP/1.1\r\n" + host + "\r\n",
                "DELETE /v1/sessions/" + forged + " HTTP/1.1\r\n" + host + "\r\n",
                "DELETE /v1/locks/a?reason=" + forged + " HTTP/1.1\r\n" + host + "\r\n",
                "GET /v1/locks/" + controls + " HTTP/1.1\r\n" + host + "\r\n",
                "GET /healthz HTTP/1.1\r\n" + host + "traceparent: 00-" + controls + "\r\n\r\n",
                "GET /healthz HTTP/1.1\r\n" + host + "Authorization: Bearer " + controls + "\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: " + controls + "\r\nConnection: close\r\n\r\n",
                "POST /v1/locks/a HTTP/1.1\r\nHost: a%41b\r\nConnection: close\r\n\r\n",
                "POST /v1/sessions HTTP/1.1\r\n" + host + "Content-Length: 46\r\n\r\n"
                        + "{\"ttl\":\"PT10S\",\"owner\":\"a\\u000a\\u001b\\u009b\"}   ");
    }

    private static void send(int port, String request) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 ").doesNotContain("HTTP/1.1 5");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
