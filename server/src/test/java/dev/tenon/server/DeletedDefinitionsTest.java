package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.DefinitionsGrpc.DefinitionsBlockingStub;
import dev.tenon.protocol.DeleteIdsRequest;
import dev.tenon.protocol.FindDefinitionRequest;
import dev.tenon.protocol.IdsDefinition;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.ListDefinitionsRequest;
import dev.tenon.protocol.ListIdsRequest;
import dev.tenon.protocol.PutDefinitionRequest;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.Audit.Deed;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Definitions that can't be read, and those that are deleted, at two servers over one store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeletedDefinitionsTest {
    private static final String UUIDS = "{\"kind\":\"uuid\"}";
    private static final int ROUNDS = 60;

    private final MemoryServerBackend store = new MemoryServerBackend();
    private final List<Deed> deeds = new CopyOnWriteArrayList<>();
    private Node one;
    private Node other;
    private TestClient here;
    private TestClient there;
    private ManagedChannel channel;

    @BeforeAll
    void start() {
        NodeOptions options = NodeOptions.at("127.0.0.1", 0).withProtection(Protection.DEFAULT.withAudit(deeds::add));
        one = Node.start(options, store);
        other = Node.start(options, store);
        here = new TestClient(one.port());
        there = new TestClient(other.port());
        channel = NettyChannelBuilder.forAddress("127.0.0.1", one.port())
                .usePlaintext()
                .build();
    }

    @AfterAll
    void stop() {
        channel.shutdownNow();
        other.close();
        one.close();
    }

    /** What could be stored before definitions were checked, and what a newer server may store. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x=1",
                "",
                "null",
                "[]",
                "7",
                "\"text\"",
                "{\"kind\":7}",
                "{\"kind\":\"uuid\"} and more",
                "{\"kind\":\"uuid\",\"kind\":\"uuid\"}",
                "{\"kind\":\"of tomorrow\"}",
                "{\"kind\":\"uuid\",\"more\":1}",
                "{\"kind\":\"template\",\"template\":7}",
                "unissued {\"kind\":\"of tomorrow\"}",
            })
    void oneThatCannotBeReadIsListedAndTheRestGoesOn(String text) {
        String stored = text.isEmpty() ? "[".repeat(10_000) : text;
        String name = "odd/" + Integer.toHexString(text.hashCode());
        store.definitions().putIfAbsent(name, stored);
        String path = "/v1/ids/" + name.replace("/", "%2F");
        JsonNode listed = named(there.fetch("/v1/ids").json(), name);
        assertThat(listed.path("unreadable").asString()).contains("can't be read");
        assertThat(there.fetch(path).json()).isEqualTo(listed);
        assertThat(named(there.fetch("/v1/ids").json(), "default")
                        .path("definition")
                        .path("kind")
                        .asString())
                .isEqualTo("snowflake");
        List<String> overGrpc =
                IdsGrpc.newBlockingStub(channel).list(ListIdsRequest.getDefaultInstance()).getDefinitionsList().stream()
                        .map(IdsDefinition::getName)
                        .toList();
        assertThat(overGrpc).contains(name, "default");
        assertThat(DefinitionsGrpc.newBlockingStub(channel)
                        .list(ListDefinitionsRequest.getDefaultInstance())
                        .getDefinitionsList())
                .anyMatch(d -> d.getName().equals(name));

        assertThat(here.call("DELETE", path, "").status()).isEqualTo(204);
        assertThat(there.fetch(path).problem()).isEqualTo("unknown-id-name");
        assertThat(deeds).anyMatch(d -> d.what().equals("ids-deleted") && d.on().equals(name));
    }

    @Test
    void anIdOfOneThatCannotBeReadIsRefusedClearly() {
        store.definitions().putIfAbsent("odd", "x=1");
        for (Answer answer : List.of(
                here.post("/v1/ids/odd/next", ""),
                here.fetch("/v1/ids/odd/decode/1"),
                here.put("/v1/ids/odd", UUIDS),
                here.post("/v1/ids/odd/raise", "{}"))) {
            assertThat(answer.problem()).isEqualTo("wrong-kind");
            assertThat(answer.detail()).contains("can't be read");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x=1", "null", "{\"kind\":\"uuid\",\"more\":1}", "unissued {\"kind\":\"uuid\"}", "\0", ""})
    void aTextThatIsNoDefinitionIsNotStored(String text) {
        DefinitionsBlockingStub stub = DefinitionsGrpc.newBlockingStub(channel);
        assertThatThrownBy(() -> stub.putIfAbsent(PutDefinitionRequest.newBuilder()
                        .setName("never")
                        .setText(text)
                        .build()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
        assertThat(store.definitions().find("never")).isEmpty();
    }

    @Test
    void aTextThatIsStoredComesBackAsItWas() {
        DefinitionsBlockingStub stub = DefinitionsGrpc.newBlockingStub(channel);
        String text = " {\"kind\" : \"uuid\"}\n";
        PutDefinitionRequest put = PutDefinitionRequest.newBuilder()
                .setName("spaced")
                .setText(text)
                .build();
        assertThat(stub.putIfAbsent(put).getText()).isEqualTo(text);
        assertThat(there.next("spaced", 1)).hasSize(1);
        assertThat(stub.putIfAbsent(put).getText()).isEqualTo(text);
        assertThat(stub.find(FindDefinitionRequest.newBuilder()
                                .setName("spaced")
                                .build())
                        .getText())
                .isEqualTo(text);
    }

    @Test
    void oneOfWhichNothingWasIssuedIsDeletedAndDefinedAnew() {
        for (String kind : List.of("uuid", "snowflake", "sequence", "segment", "template\",\"template\":\"{seq:4}")) {
            assertThat(here.put("/v1/ids/fresh", "{\"kind\":\"" + kind + "\"}").status())
                    .as(kind)
                    .isEqualTo(201);
            JsonNode seen = there.fetch("/v1/ids/fresh").json();
            assertThat(seen.path("unissued").asBoolean()).isTrue();
            assertThat(there.call("DELETE", "/v1/ids/fresh", "").status()).isEqualTo(204);
            assertThat(here.fetch("/v1/ids/fresh").problem()).isEqualTo("unknown-id-name");
            assertThat(here.call("DELETE", "/v1/ids/fresh", "").problem()).isEqualTo("unknown-id-name");
        }
        // The range of the first was never made, so that it does not stand in the way of another.
        here.put("/v1/ids/fresh", "{\"kind\":\"sequence\",\"start\":500,\"increment\":5}");
        assertThat(there.next("fresh", 2)).containsExactly("500", "505");
    }

    @Test
    void oneThatHasIssuedStays() {
        for (String kind : List.of("uuid", "snowflake", "sequence", "segment")) {
            String path = "/v1/ids/used-" + kind;
            here.put(path, "{\"kind\":\"" + kind + "\"}");
            assertThat(there.next("used-" + kind, 1)).hasSize(1);
            assertThat(here.fetch(path).json().has("unissued")).isFalse();
            for (TestClient client : List.of(here, there)) {
                Answer refused = client.call("DELETE", path, "");
                assertThat(refused.status()).isEqualTo(409);
                assertThat(refused.problem()).isEqualTo("ids-issued");
            }
            assertThatThrownBy(() -> IdsGrpc.newBlockingStub(channel)
                            .delete(DeleteIdsRequest.newBuilder()
                                    .setName("used-" + kind)
                                    .build()))
                    .hasMessageContaining("FAILED_PRECONDITION");
            assertThat(here.next("used-" + kind, 1)).hasSize(1);
        }
        here.put("/v1/ids/raised", "{\"kind\":\"sequence\"}");
        there.post("/v1/ids/raised/raise", "{\"above\":\"7\"}");
        assertThat(here.call("DELETE", "/v1/ids/raised", "").problem()).isEqualTo("ids-issued");
    }

    @Test
    void oneOfAnOlderServerStaysAsNobodyKnows() {
        store.definitions().putIfAbsent("older", UUIDS);
        Answer refused = here.call("DELETE", "/v1/ids/older", "");
        assertThat(refused.problem()).isEqualTo("ids-issued");
        assertThat(refused.detail()).contains("older server");
    }

    @Test
    void oneOfANewerServerStaysIfTheStoreHasATraceOfItsIds() {
        store.definitions().putIfAbsent("newer", "{\"kind\":\"of tomorrow\"}");
        store.ranges().next("newer", 1);
        assertThat(here.call("DELETE", "/v1/ids/newer", "").problem()).isEqualTo("ids-issued");
    }

    @Test
    void theServersOwnEntriesAreNoDefinitions() {
        here.put("/v1/ids/shown", "{\"kind\":\"sequence\",\"public\":{\"type\":\"ord\"}}");
        here.next("shown", 1);
        assertThat(store.definitions().find("/public-key/0")).isPresent();
        assertThat(here.call("DELETE", "/v1/ids/%2Fpublic-key%2F0", "").problem())
                .isEqualTo("bad-name");
        assertThatThrownBy(() -> IdsGrpc.newBlockingStub(channel)
                        .delete(DeleteIdsRequest.newBuilder()
                                .setName("/public-key/0")
                                .build()))
                .hasMessageContaining("INVALID_ARGUMENT");
        assertThat(store.definitions().find("/public-key/0")).isPresent();
    }

    @Test
    void theCodeOfOneThatWasDeletedGoesToTheNext() {
        here.put("/v1/ids/coded", "{\"kind\":\"segment\",\"code\":77}");
        assertThat(there.put("/v1/ids/coded2", "{\"kind\":\"segment\",\"code\":77}")
                        .problem())
                .isEqualTo("definition-conflict");
        assertThat(here.call("DELETE", "/v1/ids/coded", "").status()).isEqualTo(204);
        assertThat(there.fetch("/id-builder/increase-seq-id?code=77").problem()).isEqualTo("unknown-code");
        assertThat(there.put("/v1/ids/coded2", "{\"kind\":\"segment\",\"start\":900,\"code\":77}")
                        .status())
                .isEqualTo(201);
        assertThat(here.fetch("/id-builder/increase-seq-id?code=77").text()).isEqualTo("900");
    }

    /** Whoever is first, the store says so to both: an ID that was issued has its definition. */
    @Test
    void anIdAndADeletionAtTheSameMomentExcludeEachOther() {
        for (int i = 0; i < ROUNDS; i++) {
            String path = "/v1/ids/race" + i;
            here.put(path, "{\"kind\":\"sequence\",\"start\":7}");
            there.fetch(path); // knows it from now on
            CompletableFuture<HttpResponse<String>> deletion = here.send("DELETE", path, "");
            CompletableFuture<HttpResponse<String>> id = there.send("POST", path + "/next", "");
            List<Answer> answers = Stream.of(deletion, id)
                    .map(CompletableFuture::join)
                    .map(r -> new Answer(r.statusCode(), r))
                    .toList();
            boolean deleted = answers.get(0).status() == 204;
            boolean issued = answers.get(1).status() == 200;
            assertThat(deleted)
                    .as(answers.get(0).text() + answers.get(1).text())
                    .isNotEqualTo(issued);
            if (deleted) {
                assertThat(answers.get(1).problem()).isEqualTo("unknown-id-name");
                assertThat(here.put(path, "{\"kind\":\"ulid\"}").status()).isEqualTo(201);
                assertThat(there.next("race" + i, 1).get(0)).hasSize(26);
            } else {
                assertThat(answers.get(0).problem()).isEqualTo("ids-issued");
                assertThat(here.next("race" + i, 1)).containsExactly("8");
            }
        }
    }

    private static JsonNode named(JsonNode listing, String name) {
        for (JsonNode entry : listing.path("ids")) {
            if (entry.path("name").asString().equals(name)) {
                return entry;
            }
        }
        throw new AssertionError(name + " is not in " + listing);
    }
}
