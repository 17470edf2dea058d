package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.ListDefinitionsRequest;
import dev.tenon.protocol.ListIdsRequest;
import dev.tenon.protocol.ListLocksRequest;
import dev.tenon.protocol.ListTransactionsRequest;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.PutDefinitionRequest;
import dev.tenon.protocol.RangesGrpc;
import dev.tenon.protocol.TransactionLogGrpc;
import dev.tenon.protocol.WorkerCensusRequest;
import dev.tenon.protocol.WorkerIdsGrpc;
import dev.tenon.server.HostileMessages.Mutant;
import dev.tenon.server.TestClient.Answer;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * No value that a client can send makes the server trip, now or when it is read: each call that stores something is
 * sent with hostile values in each of its fields. Then everything is listed, over HTTP and gRPC, also by a server that
 * was started anew and by one that was restored.
 */
class HostileValuesTest {
    private static final List<String> FEW = List.of("a\u0000b", "\uD83D\uDE00\u2028\uFFFF");
    private static final List<String> MANY = List.of(
            "",
            "\0",
            "a\nb\r\u001b[31m\u0085",
            "/code/7",
            "unissued x",
            "%00%2F'\"\\_*[\uD83D\uDE00\u2028\u202E\uFFFF",
            "x".repeat(9_000));
    /** In JSON, as it is on the wire: half a pair as an escape, and bytes that are no UTF-8. */
    private static final List<String> JSON = List.of(
            "\\ud800",
            "\\udc00\\ud800",
            "\\u0000",
            "a\\nb\\u001b[31m\\u0085",
            "\u00ff\u00fe",
            "\u00ed\u00a0\u0080",
            "\u00c0\u0080",
            "/code/7",
            "\u00f0\u009f\u0098\u0080");

    private static final List<String> NAMES =
            List.of("%00", "a%0Ab", "%FF", "%ED%A0%80", "%2Fcode%2F7", "%F0%9F%98%80", "..%2F", "%2E%2E");
    private static final Duration HOUR = Duration.newBuilder().setSeconds(3600).build();
    private static final Set<String> STORE_NOTHING = Set.of(
            "tenon.v1.Locks/Describe",
            "tenon.v1.Locks/Events",
            "tenon.v1.Locks/Inspect",
            "tenon.v1.Locks/List",
            "tenon.v1.Ids/Decode",
            "tenon.v1.Ids/Describe",
            "tenon.v1.Ids/List",
            "tenon.v1.Ranges/Definition",
            "tenon.v1.WorkerIds/Census",
            "tenon.v1.Definitions/Find",
            "tenon.v1.Definitions/List",
            "tenon.v1.TransactionLog/Now",
            "tenon.v1.TransactionLog/Find",
            "tenon.v1.TransactionLog/List",
            "tenon.v1.TransactionLog/History",
            "tenon.v1.TransactionLog/Purge");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Set<String> groups = new TreeSet<>();
    private final List<String> wrong = new ArrayList<>();
    private int port;
    private int fresh;

    @Test
    void whatWasStoredIsListedAgainAfterAStartAndARestore(@TempDir Path folder) throws Exception {
        byte[] backup;
        int listed;
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"))) {
            at(node);
            storeOverGrpc(MANY);
            storeOverHttp();
            listed = list();
            backup = bytes("GET", "/v1/backup", "").body();
        }
        assertThat(listed).isGreaterThan(100);
        try (Node again = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"))) {
            at(again);
            assertThat(list()).isEqualTo(listed);
        }
        Path file = Files.write(folder.resolve("backup"), backup);
        Path restored = folder.resolve("restored");
        StringWriter out = new StringWriter();
        assertThat(TenonRestore.line()
                        .setOut(new PrintWriter(out))
                        .execute(file.toString(), "--data", restored.toString(), "--skip", "1000"))
                .isZero();
        try (Node other = Node.open(NodeOptions.at("127.0.0.1", 0), restored)) {
            at(other);
            assertThat(list()).isPositive();
        }
        assertThat(wrong).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(StoreServersTest.Store.class)
    @Tag("soak")
    void whatWasStoredElsewhereIsListedByAnotherServer(StoreServersTest.Store store) throws Exception {
        StoreLocation address = store.address();
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), address);
                Node other = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
            at(node);
            storeOverGrpc(FEW);
            storeOverHttp();
            list();
            at(other);
            assertThat(list()).isPositive();
        }
        assertThat(wrong).isEmpty();
    }

    private void at(Node node) {
        port = node.port();
    }

    private void storeOverGrpc(List<String> texts) throws InterruptedException {
        ManagedChannel channel = channel();
        try {
            String session = "session-of-" + port;
            LocksGrpc.newBlockingStub(channel)
                    .openSession(OpenSessionRequest.newBuilder()
                            .setSessionId(session)
                            .setOwner("o")
                            .setTtl(HOUR)
                            .build());
            LocksGrpc.newBlockingStub(channel).acquire(SoundMessages.acquire(session, "held"));
            DefinitionsGrpc.newBlockingStub(channel)
                    .putIfAbsent(PutDefinitionRequest.newBuilder()
                            .setName("replaced")
                            .setText("{\"kind\":\"uuid\"}")
                            .build());
            Map<MethodDescriptor<?, ?>, IntFunction<Message>> sound =
                    SoundMessages.of(session, SoundMessages.update(channel));
            assertThat(sound.keySet().stream().map(MethodDescriptor::getFullMethodName))
                    .as("the methods that store something")
                    .containsExactlyInAnyOrderElementsOf(storing());
            sound.forEach((method, request) -> {
                int mutants = HostileMessages.of(request.apply(0), texts).size();
                for (int i = 0; i < mutants; i++) {
                    Message message = request.apply(++fresh);
                    if (message instanceof ClaimWorkerIdRequest claim) {
                        groups.add(claim.getGroup());
                    }
                    send(channel, method, HostileMessages.of(message, texts).get(i));
                }
            });
        } finally {
            channel.shutdownNow();
            channel.awaitTermination(30, TimeUnit.SECONDS);
        }
    }

    private static List<String> storing() {
        return List.of(
                        LocksGrpc.getServiceDescriptor(),
                        IdsGrpc.getServiceDescriptor(),
                        RangesGrpc.getServiceDescriptor(),
                        WorkerIdsGrpc.getServiceDescriptor(),
                        DefinitionsGrpc.getServiceDescriptor(),
                        TransactionLogGrpc.getServiceDescriptor())
                .stream()
                .map(ServiceDescriptor::getMethods)
                .flatMap(methods -> methods.stream().map(MethodDescriptor::getFullMethodName))
                .filter(name -> !STORE_NOTHING.contains(name))
                .toList();
    }

    private void send(ManagedChannel channel, MethodDescriptor<?, ?> method, Mutant mutant) {
        try {
            ClientCalls.blockingUnaryCall(
                    channel,
                    MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                            .setType(MethodDescriptor.MethodType.UNARY)
                            .setFullMethodName(method.getFullMethodName())
                            .build(),
                    CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS),
                    mutant.bytes());
        } catch (StatusRuntimeException e) {
            Status.Code code = e.getStatus().getCode();
            if (Set.of(Status.Code.INTERNAL, Status.Code.UNKNOWN, Status.Code.DEADLINE_EXCEEDED)
                    .contains(code)) {
                wrong.add(method.getFullMethodName() + " " + mutant.what() + ": " + e.getStatus());
            }
        }
    }

    private void storeOverHttp() {
        TestClient client = new TestClient(port);
        String session = client.session("me");
        String lock = "{\"session\":\"" + session + "\",";
        List<String> calls = List.of(
                "PUT /v1/ids/# {\"kind\":\"uuid\",\"prefix\":\"$\"}",
                "PUT /v1/ids/# {\"kind\":\"template\",\"template\":\"$\"}",
                "PUT /v1/ids/# {\"kind\":\"template\",\"template\":\"{yyyy}{seq:4}\",\"timeZone\":\"$\"}",
                "PUT /v1/ids/# {\"kind\":\"template\",\"template\":\"{seq}\",\"reset\":{\"fiscalYearStart\":\"$\"}}",
                "PUT /v1/ids/# {\"kind\":\"typeid\",\"typePrefix\":\"$\"}",
                "PUT /v1/ids/# {\"kind\":\"segment\",\"public\":{\"type\":\"$\"}}",
                "PUT /v1/ids/# {\"kind\":\"$\"}",
                "PUT /v1/ids/# {\"kind\":\"uuid\",\"$\":1}",
                "POST /v1/sessions {\"owner\":\"$\",\"ttl\":\"PT1H\"}",
                "POST /v1/locks/#/acquire " + lock + "\"requestId\":\"$\"}",
                "POST /v1/locks/#/acquire " + lock + "\"lease\":\"PT1H\"}",
                "POST /v1/locks/held/revoke {\"by\":\"$\"}",
                "POST /v1/transactions {\"kind\":\"notify\",\"gid\":\"#\",\"url\":\"http://127.0.0.1:1/$\",\"payload\":{}}",
                "POST /v1/transactions {\"kind\":\"notify\",\"gid\":\"#\",\"url\":\"http://127.0.0.1:1/\",\"payload\":\"$\"}",
                "POST /v1/transactions {\"kind\":\"notify\",\"gid\":\"#\",\"url\":\"http://127.0.0.1:1/\",\"payload\":{\"$\":1}}",
                "POST /v1/transactions {\"kind\":\"notify\",\"gid\":\"#\",\"name\":\"$\",\"url\":\"http://127.0.0.1:1/\","
                        + "\"payload\":{}}",
                "POST /v1/transactions {\"kind\":\"saga\",\"gid\":\"#\",\"steps\":[{\"name\":\"$\",\"action\":"
                        + "\"http://127.0.0.1:1/\",\"payload\":{}}]}");
        for (String call : calls) {
            for (String value : JSON) {
                sendOver(call.replace("#", "h" + ++fresh).replace("$", value));
            }
        }
        for (String name : NAMES) {
            sendOver("PUT /v1/ids/" + name + " {\"kind\":\"uuid\"}");
            sendOver("POST /v1/locks/" + name + "/acquire " + lock + "\"lease\":\"PT1H\"}");
            sendOver("DELETE /v1/locks/held?reason=" + name + " ");
            sendOver("POST /v1/transactions/" + name + "/suspend {\"reason\":\"r\"}");
        }
    }

    private void sendOver(String call) {
        String[] parts = call.split(" ", 3);
        HttpResponse<byte[]> answer = bytes(parts[0], parts[1], parts[2]);
        if (answer.statusCode() >= 500 && answer.statusCode() != 501) {
            wrong.add(call + ": " + new String(answer.body(), StandardCharsets.UTF_8));
        }
    }

    /** @param body each character one byte */
    private HttpResponse<byte[]> bytes(String method, String path, String body) {
        try {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .method(method, BodyPublishers.ofByteArray(body.getBytes(StandardCharsets.ISO_8859_1)))
                            .build(),
                    BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(call(method, path, body), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String call(String method, String path, String body) {
        return method + " " + path + " " + body;
    }

    /** Reads whatever can be read, and says how much that is. */
    private int list() {
        TestClient client = new TestClient(port);
        int listed = 0;
        for (JsonNode ids : read(client, "/v1/ids").path("ids")) {
            read(client, "/v1/ids/" + encoded(ids.path("name").asString()));
            listed++;
        }
        String after = "";
        do {
            JsonNode page = read(client, "/v1/locks?limit=100" + (after.isEmpty() ? "" : "&after=" + encoded(after)));
            for (JsonNode lock : page.path("locks")) {
                read(client, "/v1/locks/" + encoded(lock.path("name").asString()));
                listed++;
            }
            after = page.path("next").asString("");
        } while (!after.isEmpty());
        read(client, "/readyz");
        ManagedChannel channel = channel();
        try {
            IdsGrpc.newBlockingStub(channel).list(ListIdsRequest.getDefaultInstance());
            DefinitionsGrpc.newBlockingStub(channel).list(ListDefinitionsRequest.getDefaultInstance());
            LocksGrpc.newBlockingStub(channel)
                    .list(ListLocksRequest.newBuilder().setLimit(100).build());
            for (String group : groups) {
                listed += WorkerIdsGrpc.newBlockingStub(channel)
                        .census(WorkerCensusRequest.newBuilder().setGroup(group).build())
                        .getSlotsCount();
            }
            return listed + transactions(client, channel);
        } finally {
            channel.shutdownNow();
        }
    }

    private int transactions(TestClient client, ManagedChannel channel) {
        if (client.fetch("/v1/transactions").status() == 501) {
            return 0;
        }
        TransactionLogGrpc.newBlockingStub(channel)
                .list(ListTransactionsRequest.newBuilder().setLimit(100).build());
        int listed = 0;
        String after = "";
        do {
            JsonNode page =
                    read(client, "/v1/transactions?limit=100" + (after.isEmpty() ? "" : "&after=" + encoded(after)));
            for (JsonNode tx : page.path("transactions")) {
                read(client, "/v1/transactions/" + encoded(tx.path("gid").asString()));
                listed++;
            }
            after = page.path("next").asString("");
        } while (!after.isEmpty());
        return listed;
    }

    private static JsonNode read(TestClient client, String path) {
        Answer answer = client.fetch(path);
        assertThat(answer.status()).as(path + ": " + answer.text()).isEqualTo(200);
        return answer.json();
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private ManagedChannel channel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    /** Messages as they are on the wire, sound or not. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
