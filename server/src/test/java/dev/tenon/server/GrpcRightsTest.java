package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.EvictLockRequest;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.LockMode;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.RangesGrpc;
import dev.tenon.protocol.TransactionLogGrpc;
import dev.tenon.protocol.WorkerIdsGrpc;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What each key may do by each method of gRPC, and what keeps it from more. A method that is missing from the table
 * fails: say what a key with the right to call it could do to others, and what holds it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrpcRightsTest {
    /** What, beside its role and what it is for, keeps a key from what is not its own. */
    private enum Held {
        /** Everybody may. */
        BY_NOTHING,
        /** The name in the request, which the gate looks at. What is under a name is for all who may use the name. */
        BY_NAME,
        /** It is about all names, and for keys for all names. */
        BY_ALL_NAMES,
        /** A code, which stands for the name that carries it ({@code ClientIdBuilderTest}). */
        BY_CODE,
        /** It is about all names, and does and shows those of the key. */
        BY_SIEVE,
        /** Sessions carry the key ({@code ClientSecurityTest}). */
        BY_SESSION,
        /** The name; and what is held, wanted or claimed carries the key ({@code ClientAuthorityTest}). */
        BY_NAME_AND_KEY,
        /** The name; and the record that is stored decides, not the one that is sent ({@code ClientForgeryTest}). */
        BY_NAME_AND_RECORD
    }

    private record Rule(Need need, Held held) {}

    private static final Map<String, Rule> EXPECTED = new TreeMap<>();

    static {
        Need use = Need.use(Scope.LOCKS);
        Need presence = Need.use(Scope.SESSIONS);
        rule("Locks/Describe", Need.NOTHING, Held.BY_NOTHING);
        rule("Locks/Events", presence, Held.BY_SESSION);
        rule("Locks/OpenSession", presence, Held.BY_SESSION);
        rule("Locks/KeepAlive", presence, Held.BY_SESSION);
        rule("Locks/CloseSession", presence, Held.BY_SESSION);
        rule("Locks/Acquire", use, Held.BY_NAME_AND_KEY);
        rule("Locks/AcquireAll", use, Held.BY_NAME_AND_KEY);
        rule("Locks/Release", use, Held.BY_NAME_AND_KEY);
        rule("Locks/Renew", use, Held.BY_NAME_AND_KEY);
        rule("Locks/Cancel", use, Held.BY_NAME_AND_KEY);
        rule("Locks/Revoke", use, Held.BY_NAME); // asks, and makes nobody
        rule("Locks/Inspect", Need.read(Scope.LOCKS), Held.BY_NAME);
        rule("Locks/List", Need.read(Scope.LOCKS), Held.BY_NAME);
        rule("Locks/Evict", Need.admin(Scope.LOCKS), Held.BY_NAME);
        rule("Ids/Next", Need.use(Scope.IDS), Held.BY_NAME);
        rule("Ids/NextByCode", Need.use(Scope.IDS), Held.BY_CODE);
        rule("Ids/Decode", Need.read(Scope.IDS), Held.BY_NAME);
        rule("Ids/Define", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("Ids/Delete", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("Ids/Describe", Need.read(Scope.IDS), Held.BY_NAME);
        rule("Ids/List", Need.read(Scope.IDS), Held.BY_ALL_NAMES);
        rule(
                "Ranges/Next",
                Need.use(Scope.IDS),
                Held.BY_NAME); // as many as it likes: to take numbers is to use them up
        rule("Ranges/Define", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("Ranges/Definition", Need.read(Scope.IDS), Held.BY_NAME);
        rule("Ranges/Raise", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("WorkerIds/Claim", Need.use(Scope.IDS), Held.BY_NAME_AND_KEY);
        rule("WorkerIds/Renew", Need.use(Scope.IDS), Held.BY_NAME_AND_KEY);
        rule("WorkerIds/Release", Need.use(Scope.IDS), Held.BY_NAME_AND_KEY);
        rule("WorkerIds/Census", Need.read(Scope.IDS), Held.BY_NAME);
        rule("Definitions/Find", Need.read(Scope.IDS), Held.BY_NAME);
        rule("Definitions/PutIfAbsent", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("Definitions/Replace", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("Definitions/Remove", Need.admin(Scope.IDS), Held.BY_NAME);
        rule("Definitions/List", Need.read(Scope.IDS), Held.BY_ALL_NAMES);
        Need log = Need.use(Scope.TRANSACTIONS);
        rule("TransactionLog/Now", log, Held.BY_SIEVE);
        rule("TransactionLog/Begin", log, Held.BY_NAME_AND_RECORD);
        rule("TransactionLog/Find", log, Held.BY_NAME);
        rule("TransactionLog/Update", log, Held.BY_NAME_AND_RECORD);
        rule("TransactionLog/Claim", log, Held.BY_NAME_AND_RECORD);
        rule("TransactionLog/List", log, Held.BY_SIEVE);
        rule("TransactionLog/History", log, Held.BY_NAME);
        rule("TransactionLog/Purge", log, Held.BY_SIEVE);
    }

    /** Fields of requests that say what they are about. */
    private static final Set<String> NAMES = Set.of("name", "gid", "group", "service", "prefix", "parent");

    private static final Set<Scope> EVERY = Set.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS);
    private static final List<String> ALL = List.of("");

    private final SecureRandom random = new SecureRandom();
    private final Map<ApiKey, String> texts = new LinkedHashMap<>();
    private final List<Audit.Deed> deeds = new CopyOnWriteArrayList<>();
    private Node node;
    private ManagedChannel channel;

    private static void rule(String method, Need need, Held held) {
        EXPECTED.put("tenon.v1." + method, new Rule(need, held));
    }

    @BeforeAll
    void start() {
        for (Right role : Right.values()) {
            key(role + " of all", role, EVERY, ALL);
            key(role + " of IDs", role, Set.of(Scope.IDS), ALL);
            key(role + " of locks", role, Set.of(Scope.LOCKS), ALL);
            key(role + " of transactions", role, Set.of(Scope.TRANSACTIONS), ALL);
            key(role + " of shop", role, EVERY, List.of("shop"));
        }
        ApiKeys known = new ApiKeys(List.copyOf(texts.keySet()));
        NodeOptions options = NodeOptions.at("127.0.0.1", 0)
                .withGate(new KeyGate(() -> known))
                .withProtection(Protection.DEFAULT.withAudit(deeds::add));
        node = Node.start(options, new MemoryServerBackend());
        channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
    }

    @AfterAll
    void stop() {
        channel.shutdownNow();
        node.close();
    }

    private void key(String name, Right role, Set<Scope> scopes, List<String> prefixes) {
        ApiKey.Fresh fresh = ApiKey.fresh(random);
        ApiKey.Proof proof = new ApiKey.Proof.Secret(fresh.sha256());
        texts.put(new ApiKey(fresh.id(), name, role, scopes, prefixes, proof, Instant.EPOCH, "test"), fresh.text());
    }

    private static Stream<MethodDescriptor<?, ?>> methods() {
        return Stream.of(
                        LocksGrpc.getServiceDescriptor(),
                        IdsGrpc.getServiceDescriptor(),
                        RangesGrpc.getServiceDescriptor(),
                        WorkerIdsGrpc.getServiceDescriptor(),
                        DefinitionsGrpc.getServiceDescriptor(),
                        TransactionLogGrpc.getServiceDescriptor())
                .map(ServiceDescriptor::getMethods)
                .flatMap(some -> some.stream());
    }

    private static com.google.protobuf.Descriptors.MethodDescriptor described(MethodDescriptor<?, ?> method) {
        return ((ProtoMethodDescriptorSupplier) method.getSchemaDescriptor()).getMethodDescriptor();
    }

    @Test
    void everyMethodOfTheProtocolIsInTheTableAndAsksForWhatItShould() {
        Set<String> inFiles = new TreeSet<>();
        methods()
                .map(GrpcRightsTest::described)
                .forEach(method -> method.getFile()
                        .getServices()
                        .forEach(service -> service.getMethods()
                                .forEach(m -> inFiles.add(service.getFullName() + "/" + m.getName()))));
        Map<String, Need> expected = new TreeMap<>();
        EXPECTED.forEach((method, rule) -> expected.put(method, rule.need()));
        assertThat(inFiles).isEqualTo(EXPECTED.keySet());
        assertThat(node.grpcNeeds()).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void everyMethodLetsInWhoMayAndNobodyElse() {
        List<String> wrong = new ArrayList<>();
        methods().forEach(method -> {
            for (String name : List.of("shop-1", "bank-1")) {
                texts.forEach((key, text) -> {
                    Status status = call(method, request(described(method).getInputType(), name), text);
                    boolean refused = status.getCode() == Code.PERMISSION_DENIED;
                    if (refused == may(key, EXPECTED.get(method.getFullMethodName()), name)
                            || status.getCode() == Code.UNAUTHENTICATED) {
                        wrong.add(key.name() + ": " + method.getFullMethodName() + " of " + name + " is " + status);
                    }
                });
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void withoutAKeyNothingButWhatIsForEverybodyIsAnswered() {
        methods().forEach(method -> {
            boolean open = EXPECTED.get(method.getFullMethodName()).held() == Held.BY_NOTHING;
            for (String text : List.of("", "tenon_00000000_" + "A".repeat(43))) {
                Code code = call(method, request(described(method).getInputType(), "shop-1"), text)
                        .getCode();
                assertThat(code).as(method.getFullMethodName()).isEqualTo(open ? Code.OK : Code.UNAUTHENTICATED);
            }
        });
    }

    private static boolean may(ApiKey key, Rule rule, String name) {
        if (rule.held() == Held.BY_NOTHING) {
            return true;
        }
        boolean ofAll = key.prefixes().equals(ALL);
        boolean scoped = switch (rule.need().scope()) {
            case IDS -> key.scopes().contains(Scope.IDS);
            case TRANSACTIONS, OUTBOXES -> key.scopes().contains(Scope.TRANSACTIONS);
            default -> key.scopes().contains(Scope.LOCKS);
        };
        boolean reaches = switch (rule.held()) {
            case BY_ALL_NAMES -> ofAll && key.scopes().equals(EVERY);
            case BY_CODE -> ofAll; // of the request without one
            case BY_SIEVE, BY_SESSION -> true;
            default -> ofAll || name.startsWith("shop");
        };
        return key.role().compareTo(rule.need().right()) >= 0 && scoped && reaches;
    }

    /** A request about a name, wherever it says one. */
    private static Message request(Descriptor type, String name) {
        DynamicMessage.Builder request = DynamicMessage.newBuilder(type);
        for (FieldDescriptor field : type.getFields()) {
            boolean text = field.getJavaType() == FieldDescriptor.JavaType.STRING;
            boolean part = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && !field.isMapField()
                    && field.getMessageType().getFullName().startsWith("tenon.v1.");
            if (text && NAMES.contains(field.getName())) {
                request.setField(field, name);
            } else if (part && field.isRepeated()) {
                request.addRepeatedField(field, request(field.getMessageType(), name));
            } else if (part) {
                request.setField(field, request(field.getMessageType(), name));
            }
        }
        return request.build();
    }

    /** How a call ended; OK with its first answer. */
    private Status call(MethodDescriptor<?, ?> method, Message request, String key) {
        MethodDescriptor<byte[], byte[]> raw = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setFullMethodName(method.getFullMethodName())
                .setType(method.getType())
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
        CompletableFuture<Status> ended = new CompletableFuture<>();
        ClientCall<byte[], byte[]> call = channel.newCall(raw, CallOptions.DEFAULT);
        Metadata headers = new Metadata();
        if (!key.isEmpty()) {
            headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
        }
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        ended.complete(Status.OK);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.complete(status);
                    }
                },
                headers);
        call.request(1);
        call.sendMessage(request.toByteArray());
        call.halfClose();
        Status status = ended.orTimeout(60, TimeUnit.SECONDS).join();
        call.cancel("that is enough", null);
        return status;
    }

    private record Bytes() implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try (stream) {
                return stream.readAllBytes();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    private String keyOf(String name) {
        return texts.entrySet().stream()
                .filter(key -> key.getKey().name().equals(name))
                .findFirst()
                .orElseThrow()
                .getValue();
    }

    @Test
    void whoTakesALockAwayIsInTheAuditLogWithItsReason() {
        String owner = keyOf(Right.USE + " of shop");
        com.google.protobuf.Duration minutes =
                com.google.protobuf.Duration.newBuilder().setSeconds(300).build();
        call(
                LocksGrpc.getOpenSessionMethod(),
                OpenSessionRequest.newBuilder()
                        .setSessionId("s")
                        .setOwner("till 4")
                        .setTtl(minutes)
                        .build(),
                owner);
        AcquireRequest wish = AcquireRequest.newBuilder()
                .setName("shop-evicted")
                .setSessionId("s")
                .setRequestId("r")
                .setOwner("till 4")
                .setLease(minutes)
                .setMode(LockMode.newBuilder())
                .build();
        assertThat(call(LocksGrpc.getAcquireMethod(), wish, owner).isOk()).isTrue();
        long token = new TestClient(node.port())
                .fetch("/v1/locks/shop-evicted", "Authorization", "Bearer " + owner)
                .json()
                .findValue("token")
                .asLong();
        EvictLockRequest evict = EvictLockRequest.newBuilder()
                .setName("shop-evicted")
                .setExpectedToken(token)
                .setReason("its host is gone")
                .build();
        assertThat(call(LocksGrpc.getEvictMethod(), evict, keyOf(Right.ADMIN + " of shop"))
                        .isOk())
                .isTrue();
        assertThat(deeds)
                .filteredOn(deed -> deed.what().equals("lock-evicted"))
                .singleElement()
                .satisfies(deed -> {
                    assertThat(deed.who()).isEqualTo(Right.ADMIN + " of shop");
                    assertThat(deed.on()).isEqualTo("shop-evicted");
                    assertThat(deed.more())
                            .containsEntry("why", "its host is gone")
                            .containsEntry("owner", "till 4")
                            .containsEntry("token", token);
                });
    }
}
