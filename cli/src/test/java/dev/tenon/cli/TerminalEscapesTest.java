package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Every command against a server that means no good: no text of its answers acts on the terminal. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TerminalEscapesTest {
    /**
     * Sets the title, clears the screen by a C1 control, goes back to the begin of the line, turns what follows round,
     * ends it.
     */
    private static final String EVIL = "\u001b]0;evil\u0007\u009b2J\r\u202eforged\n\u2028\u007f";

    private static final String SHOWN = "\\u001b]0;evil\\u0007\\u009b2J\\r\\u202eforged";

    /** What each command is called with; the folder is in the place of {@code FOLDER}. */
    private static final Map<String, String> ARGUMENTS = arguments();

    /** These ask no server. */
    private static final List<String> LOCAL = List.of("completion", "man", "help", "id help", "lock help");

    private static Map<String, String> arguments() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("id define", "a --kind sequence");
        all.put("id next", "a -n 2");
        all.put("id decode", "a 1");
        all.put("id ls", "");
        all.put("id show", "a");
        all.put("id rm", "a");
        all.put("id raise", "a --above 1");
        all.put("id rotate-key", "");
        all.put("lock ls", "");
        all.put("lock who", "a");
        all.put("lock revoke", "a");
        all.put("lock evict", "a --reason r");
        all.put("lock run", "a -- true");
        all.put("tx ls", "");
        all.put("tx show", "g");
        all.put("tx submit", "g");
        all.put("tx abort", "g --reason r");
        all.put("tx retry", "g");
        all.put("tx suspend", "g --reason r");
        all.put("tx resume", "g");
        all.put("tx close", "g --as-is --why w");
        all.put("outbox ls", "");
        all.put("outbox lanes", "");
        all.put("outbox blocked", "t k");
        all.put("outbox dead", "");
        all.put("outbox show", "1");
        all.put("outbox replay", "1");
        all.put("outbox discard", "1 --reason r");
        all.put("cluster status", "");
        all.put("cluster add", "n h:1");
        all.put("cluster remove", "n");
        all.put("cluster transfer", "n");
        all.put("backup", "FOLDER/backup");
        all.put("bench id", "-c 1 -t 100ms");
        all.put("bench lock", "-c 1 -t 100ms");
        all.put("bench tx", "-c 1 -t 100ms");
        return all;
    }

    private final JsonMapper json = new JsonMapper();
    private final ExecutorService workers = Executors.newCachedThreadPool();
    private HttpServer server;
    private volatile int status = 200;
    private volatile boolean numbers = true;

    @TempDir
    private Path folder;

    @BeforeAll
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(workers);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterAll
    void stop() {
        server.stop(0);
        workers.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] body = json.writeValueAsBytes(
                    status == 200 ? document(exchange.getRequestURI().getPath()) : problem());
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private ObjectNode problem() {
        return json.createObjectNode()
                .put("type", "urn:tenon:problem:" + EVIL)
                .put("title", EVIL)
                .put("detail", EVIL);
    }

    /** What a server answers, with the same shape and with words of its own wherever there can be any. */
    private ObjectNode document(String path) {
        ObjectNode all = things(
                "id",
                "name",
                "kind",
                "state",
                "suspended",
                "closed",
                "failingSince",
                "stuckAt",
                "createdAt",
                "deadline",
                "gid",
                "leader",
                "node",
                "owner",
                "above",
                "version",
                "number",
                EVIL);
        all.put("next", path.endsWith("/raise") ? EVIL : "");
        all.set("definition", things("kind", "template"));
        all.set("outlook", things("runsOut", "resetsAt", "every"));
        all.set("token", number());
        all.set(
                "asked",
                numbers
                        ? json.getNodeFactory().numberNode(2)
                        : json.getNodeFactory().stringNode(EVIL));
        all.set("term", number());
        all.set("applied", number());
        ObjectNode holder = things("owner", "token", "since", "leaseLeft", "mode", "permits", "revokedBy", "waitLeft");
        all.set("holder", holder);
        all.set("holders", list(holder));
        all.set("queue", list(holder));
        ObjectNode lock = things("name");
        lock.set("holder", holder);
        all.set("locks", list(lock));
        all.set("workers", list(things("workerId", "owner", "since", "leaseLeft", "fence")));
        ObjectNode member = things("name", "address", "trouble");
        member.set("committed", number());
        member.put("leads", true);
        all.set("members", list(member));
        all.set("branches", list(things("name", "state", "attempts", "dueAt", "lastError")));
        all.set("history", list(things("at", "what", "by", "detail")));
        ObjectNode tx = things("gid", "kind", "state", "createdAt", "suspended", "closed", "failingSince", "stuckAt");
        tx.set("branches", list(things("name", "lastError")));
        all.set("transactions", list(tx));
        ObjectNode message = things("number", "state", "target", "key", "type", "age", "attempts", "lastError");
        ObjectNode lane = things("target", "key", "waiting");
        lane.set("first", message);
        all.set("lanes", list(lane));
        all.set("messages", list(message));
        all.set("outboxes", list(things("outbox", "waiting", "lag", "deadLetters", "oldestDeath")));
        all.set("content", things("text", "complete"));
        if (path.endsWith("/next")) {
            all.set("ids", json.createArrayNode().add(EVIL));
        } else {
            ObjectNode ids = things("name", "issued");
            ids.set("definition", things("kind", "template"));
            all.set("ids", list(ids));
        }
        return path.contains("/decode/") ? things("id", "time", "worker", EVIL) : all;
    }

    private JsonNode number() {
        return numbers
                ? json.getNodeFactory().numberNode(7)
                : json.getNodeFactory().stringNode(EVIL);
    }

    private ObjectNode things(String... fields) {
        ObjectNode object = json.createObjectNode();
        for (String field : fields) {
            object.put(field, EVIL);
        }
        return object;
    }

    private ArrayNode list(JsonNode element) {
        return json.createArrayNode().add(element).add(element);
    }

    static Stream<String> commands() {
        return ARGUMENTS.keySet().stream();
    }

    private CliRun run(String command, boolean asJson) {
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.add("--server");
        words.add("http://127.0.0.1:" + server.getAddress().getPort());
        if (asJson) {
            words.add("--json");
        }
        String arguments = ARGUMENTS.getOrDefault(command, "").replace("FOLDER", folder.toString());
        if (!arguments.isEmpty()) {
            words.addAll(List.of(arguments.split(" ")));
        }
        CliRun run = CliRun.of(words.toArray(new String[0]));
        assertHarmless(run.out());
        assertHarmless(run.err());
        return run;
    }

    private static void assertHarmless(String printed) {
        assertThat(printed.replace(System.lineSeparator(), "").codePoints())
                .as(printed)
                .noneMatch(point -> Character.isISOControl(point)
                        || point >= 0x2028 && point <= 0x202e
                        || point >= 0x2066 && point <= 0x2069);
        assertThat(printed.lines()).noneMatch(line -> line.startsWith("forged"));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void whatAServerAnswersIsShown(String command) {
        status = 200;
        numbers = true;
        if (command.startsWith("bench ") || command.equals("lock run")) {
            return; // they print numbers, and what CMD does; their refusals are below
        }
        CliRun shown = run(command, false);
        assertThat(shown.exitCode()).as(shown.err()).isIn(0, ExitCode.UNREACHABLE.code());
        if (shown.exitCode() == 0
                && !List.of("cluster remove", "id rm", "lock revoke", "outbox replay", "outbox discard")
                        .contains(command)) {
            assertThat(shown.out()).containsIgnoringCase(SHOWN);
        }
        CliRun document = run(command, true);
        if (document.exitCode() == 0
                && !List.of("backup", "outbox replay", "outbox discard").contains(command)) {
            assertThat(document.json().toString()).contains("evil");
            assertThat(document.json().findValuesAsString("name"))
                    .allSatisfy(
                            name -> assertThat(name).as("the value is the same").isEqualTo(EVIL));
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void whatAServerRefusesIsShown(String command) {
        status = 409;
        CliRun refused = run(command, false);
        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.err()).contains(SHOWN);
        assertThat(json.readTree(run(command, true).err()).path("detail").asString())
                .isEqualTo(EVIL);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void anAnswerOfAnotherShapeEndsWithoutAStackTrace(String command) {
        status = 200;
        numbers = false;
        if (!command.startsWith("bench ") && !command.equals("lock run")) {
            assertThat(run(command, false).err()).doesNotContain("    at ");
        }
    }

    @Test
    void noCommandIsLeftOut() {
        List<String> leaves = new ArrayList<>();
        collect("", TenonCli.line(), leaves);
        leaves.removeAll(LOCAL);
        assertThat(leaves).containsExactlyInAnyOrderElementsOf(ARGUMENTS.keySet());
    }

    private static void collect(String name, CommandLine line, List<String> leaves) {
        if (line.getSubcommands().isEmpty()) {
            leaves.add(name);
        }
        line.getSubcommands().forEach((word, sub) -> collect((name + " " + word).strip(), sub, leaves));
    }
}
