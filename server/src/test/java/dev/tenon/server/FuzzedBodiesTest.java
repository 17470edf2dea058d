package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.TestClient.Answer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Bodies that nobody would send: whatever they hold, the answer is a success or a refusal, and never a failure. */
class FuzzedBodiesTest {
    private static final AtomicReference<Node> NODE = new AtomicReference<>();
    private static final AtomicReference<TestClient> CLIENT = new AtomicReference<>();

    private static final List<String> FIELDS = List.of(
            "session",
            "mode",
            "permits",
            "max",
            "wait",
            "lease",
            "requestId",
            "fair",
            "lockDelay",
            "converts",
            "token",
            "ttl",
            "owner",
            "above",
            "by",
            "kind",
            "layout",
            "lane",
            "start",
            "step",
            "increment",
            "template",
            "timeZone",
            "reset",
            "version",
            "typePrefix",
            "shardBits",
            "prefix",
            "code",
            "machineIndex",
            "public",
            "nodes",
            "node",
            "nothing");

    @BeforeContainer
    static void start() {
        NODE.set(Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend()));
        CLIENT.set(new TestClient(Objects.requireNonNull(NODE.get()).port()));
    }

    @AfterContainer
    static void stop() {
        Objects.requireNonNull(NODE.get()).close();
    }

    /** A request that changes something. */
    record Call(String method, String path, String body) {}

    @Property(tries = 400)
    void noBodyMakesTheServerFail(@ForAll("calls") Call call) {
        Answer answer = Objects.requireNonNull(CLIENT.get()).call(call.method(), call.path(), call.body());
        assertThat(answer.status()).as(answer.text()).isBetween(200, 499);
        if (answer.status() >= 300) {
            assertThat(answer.problem()).doesNotContain(" ");
        }
    }

    @Provide
    Arbitrary<Call> calls() {
        Arbitrary<String> targets = Arbitraries.of(
                "PUT /v1/ids/fuzzed",
                "POST /v1/ids/default/raise",
                "POST /v1/sessions",
                "POST /v1/locks/a/acquire",
                "POST /v1/locks/a/renew",
                "POST /v1/locks/a/release",
                "POST /v1/locks/a/revoke");
        return Combinators.combine(targets, bodies())
                .as((target, body) -> new Call(target.split(" ")[0], target.split(" ")[1], body));
    }

    private static Arbitrary<String> bodies() {
        Arbitrary<String> noise = Arbitraries.strings().ofMaxLength(200);
        Arbitrary<String> values = Arbitraries.oneOf(
                Arbitraries.of(
                        "null",
                        "true",
                        "-1",
                        "0",
                        "9223372036854775807",
                        "9223372036854775808",
                        "1e999",
                        "0.5",
                        "\"\"",
                        "[]",
                        "{}",
                        "\"PT0S\"",
                        "\"PT-1S\"",
                        "\"PT9999999999999S\"",
                        "\"P1D\"",
                        "\"exclusive\"",
                        "\"permits\"",
                        "\"snowflake\"",
                        "\"segment\"",
                        "\"sequence\"",
                        "\"template\"",
                        "\"uuid\"",
                        "\"gene\"",
                        "\"{seq:6}\"",
                        "\"{seq:99}\"",
                        "\"{yyyyyyyyy}\"",
                        "\"Nowhere/City\"",
                        "{\"timeBits\":63}",
                        "[[[[[]]]]]"),
                Arbitraries.strings()
                        .ofMaxLength(30)
                        .map(text -> '"' + text.replace("\\", "").replace("\"", "") + '"'),
                Arbitraries.longs().map(String::valueOf));
        Arbitrary<String> objects = Combinators.combine(Arbitraries.of(FIELDS), values)
                .as((field, value) -> '"' + field + "\":" + value)
                .list()
                .ofMaxSize(6)
                .map(fields -> "{" + String.join(",", fields) + "}");
        Arbitrary<String> kinds = Arbitraries.of(
                        "snowflake", "segment", "sequence", "template", "uuid", "gene", "typeid")
                .flatMap(kind -> objects.map(o -> "{\"kind\":\"" + kind + "\"," + o.substring(1)));
        return Arbitraries.oneOf(noise, objects, objects, kinds);
    }
}
