package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnknownFieldSet;
import dev.tenon.protocol.AcquireAllRequest;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.BeginTransactionRequest;
import dev.tenon.protocol.LockMode;
import dev.tenon.protocol.LoggedBranch;
import dev.tenon.protocol.NewTransaction;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.server.BareCalls.Answer;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Messages that nobody would send, to every method, made after the types of its fields: whatever is in them, the answer
 * is a success or a refusal, never a failure, and nobody is told of it in the log.
 */
class FuzzedCallsTest {
    private static final List<Integer> FAILED =
            List.of(Code.INTERNAL.value(), Code.UNKNOWN.value(), Code.CANCELLED.value(), Code.UNIMPLEMENTED.value());
    private static final int MUTANTS = 60;
    /** One for each service, so that what one of them is made to keep is not what another is tried with. */
    private static final Map<String, Node> NODES = new HashMap<>();

    private static final Map<String, BareCalls> CALLS = new HashMap<>();
    private final ListAppender<ILoggingEvent> told = new ListAppender<>();

    @BeforeAll
    static void start() {
        for (GrpcMethods method : GrpcMethods.all()) {
            NODES.computeIfAbsent(
                    service(method.name()),
                    service -> Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend()));
        }
        NODES.forEach((service, node) -> CALLS.put(service, new BareCalls(node.port())));
    }

    @AfterAll
    static void stop() {
        CALLS.values().forEach(BareCalls::close);
        NODES.values().forEach(Node::close);
    }

    private static String service(String method) {
        return method.substring(0, method.indexOf('/'));
    }

    private static BareCalls calls(String method) {
        return Objects.requireNonNull(CALLS.get(service(method)));
    }

    @BeforeEach
    void listen() {
        told.start();
        root().addAppender(told);
    }

    @AfterEach
    void nobodyWasTold() {
        root().detachAppender(told);
        assertThat(told.list.stream().filter(e -> e.getLevel().isGreaterOrEqual(Level.WARN)))
                .isEmpty();
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    static List<GrpcMethods> methods() {
        return GrpcMethods.all();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void noMessageMakesTheServerFail(GrpcMethods method) {
        Random random = new Random(method.name().hashCode());
        List<Message> extremes = new ArrayList<>();
        for (FieldDescriptor field : method.prototype().getDescriptorForType().getFields()) {
            values(field, random)
                    .forEach(value -> extremes.add(with(plausible(method.prototype(), random), field, value)));
        }
        List<byte[]> messages = new ArrayList<>();
        extremes.forEach(message -> messages.add(message.toByteArray()));
        for (int i = 0; i < MUTANTS; i++) {
            messages.add(mutant(plausible(method.prototype(), random).toByteArray(), random));
            byte[] noise = new byte[random.nextInt(100)];
            random.nextBytes(noise);
            messages.add(noise);
        }
        List<Answer> answers = calls(method.name()).callAll(method.name(), messages);
        for (int i = 0; i < answers.size(); i++) {
            Answer answer = answers.get(i);
            String asked = i < extremes.size() ? extremes.get(i).toString() : "mutant " + i;
            assertThat(answer.status())
                    .as("%s: %s", asked, answer)
                    .isNotNegative()
                    .isNotIn(FAILED);
        }
    }

    private static Message with(Message message, FieldDescriptor field, Object value) {
        Message.Builder builder = message.toBuilder();
        builder.clearField(field);
        if (field.isRepeated()) {
            builder.addRepeatedField(field, value);
        } else {
            builder.setField(field, value);
        }
        return builder.build();
    }

    /** What a field may hold at the very most, and beyond. */
    private static List<Object> values(FieldDescriptor field, Random random) {
        return switch (field.getJavaType()) {
            case INT -> List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE);
            case LONG -> List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE);
            case BOOLEAN -> List.of(false, true);
            case STRING -> List.of("", "/", "\u0000", "\ud83d\ude00".repeat(2_000), "PT1S x", "x".repeat(100_000), "{");
            case ENUM -> List.of(field.getEnumType().findValueByNumberCreatingIfUnknown(99));
            case MESSAGE -> parts(field, random);
            default -> List.of();
        };
    }

    private static List<Object> parts(FieldDescriptor field, Random random) {
        String type = field.getMessageType().getFullName();
        List<Object> found = new ArrayList<>();
        for (long seconds : new long[] {Long.MIN_VALUE, -1, 0, 1, 1_000_000_000_000L, Long.MAX_VALUE}) {
            for (int nanos : new int[] {Integer.MIN_VALUE, -1, 0, 999_999_999, 1_000_000_000, Integer.MAX_VALUE}) {
                if (type.equals(Duration.getDescriptor().getFullName())) {
                    found.add(Duration.newBuilder()
                            .setSeconds(seconds)
                            .setNanos(nanos)
                            .build());
                } else if (type.equals(Timestamp.getDescriptor().getFullName())) {
                    found.add(Timestamp.newBuilder()
                            .setSeconds(seconds)
                            .setNanos(nanos)
                            .build());
                }
            }
        }
        if (found.isEmpty()) {
            Message part = part(field);
            found.add(part);
            for (FieldDescriptor inner : field.getMessageType().getFields()) {
                values(inner, random).forEach(value -> found.add(with(plausible(part, random), inner, value)));
            }
        }
        return found;
    }

    private static Message part(FieldDescriptor field) {
        return DynamicMessage.getDefaultInstance(field.getMessageType());
    }

    /** A message that is well formed and whose fields are mostly such as a method could take. */
    private static Message plausible(Message prototype, Random random) {
        Message.Builder builder = prototype.newBuilderForType();
        for (FieldDescriptor field : prototype.getDescriptorForType().getFields()) {
            Object value = switch (field.getJavaType()) {
                case INT -> 1 + random.nextInt(3);
                case LONG -> 1L + random.nextInt(3);
                case BOOLEAN -> random.nextBoolean();
                case STRING -> word(field.getName());
                case ENUM -> field.getEnumType().getValues().get(0);
                case MESSAGE ->
                    field.getMessageType()
                                    .getFullName()
                                    .equals(Duration.getDescriptor().getFullName())
                            ? DynamicMessage.newBuilder(field.getMessageType())
                                    .setField(field.getMessageType().findFieldByName("seconds"), 60L)
                                    .build()
                            : plausible(part(field), random);
                default -> field.getDefaultValue();
            };
            if (field.isRepeated()) {
                builder.addRepeatedField(field, value);
            } else {
                builder.setField(field, value);
            }
        }
        return builder.build();
    }

    private static String word(String field) {
        return switch (field) {
            case "kind" -> "saga";
            case "state" -> "ACTIVE";
            case "retry" -> "PT1S 2.0 PT5M";
            case "key" -> "action";
            case "definition" -> "{\"kind\":\"segment\"}";
            case "stream", "after" -> "";
            default -> field.replace('_', '-');
        };
    }

    private static byte[] mutant(byte[] message, Random random) {
        byte[] mutant = message.clone();
        for (int i = random.nextInt(4); i >= 0 && mutant.length > 0; i--) {
            mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(mutant, random.nextInt(mutant.length + 1)) : mutant;
    }

    @Test
    void aFieldThatCannotBeIsNamed() {
        Duration negative = Duration.newBuilder().setSeconds(5).setNanos(-1).build();
        Duration endless = Duration.newBuilder().setSeconds(Long.MAX_VALUE).build();
        AcquireRequest wish = AcquireRequest.newBuilder()
                .setName("n")
                .setSessionId("s")
                .setRequestId("r")
                .setOwner("o")
                .build();
        assertNamed(
                "tenon.v1.Locks/Acquire", wish.toBuilder().setLease(negative).build(), "lease must");
        assertNamed("tenon.v1.Locks/Acquire", wish.toBuilder().setWait(endless).build(), "wait must");
        AcquireRequest mode =
                wish.toBuilder().setMode(LockMode.newBuilder().setKindValue(77)).build();
        AcquireAllRequest second = AcquireAllRequest.newBuilder()
                .addRequests(wish)
                .addRequests(mode)
                .build();
        assertNamed("tenon.v1.Locks/AcquireAll", second, "requests[1].mode.kind has an unknown value");
        Timestamp never = Timestamp.newBuilder().setSeconds(Long.MIN_VALUE).build();
        BeginTransactionRequest begin = BeginTransactionRequest.newBuilder()
                .setTransaction(NewTransaction.newBuilder()
                        .addBranches(LoggedBranch.newBuilder().setDueAt(never)))
                .build();
        assertNamed("tenon.v1.TransactionLog/Begin", begin, "transaction.branches[0].due_at must");
        Answer broken = calls("tenon.v1.Locks/Acquire")
                .call(
                        "tenon.v1.Locks/Acquire",
                        BareCalls.framed(ByteString.copyFromUtf8("\n\u0005abc").toByteArray()));
        assertThat(broken.status()).isEqualTo(Code.INVALID_ARGUMENT.value());
        assertThat(broken.message()).contains("Not a valid tenon.v1.AcquireRequest");
    }

    private static void assertNamed(String method, Message message, String said) {
        Answer answer = calls(method).call(method, BareCalls.framed(message.toByteArray()));
        assertThat(answer.status()).as(answer.message()).isEqualTo(Code.INVALID_ARGUMENT.value());
        assertThat(answer.reason()).isEqualTo("BAD_ARGUMENT");
        assertThat(answer.message()).contains(said);
    }

    /** Four megabytes of empty parts, or of fields that nobody knows, would be hundreds of megabytes of objects. */
    @Test
    void aMessageOfNothingButFieldsIsRefusedBeforeItIsRead() {
        ReleaseRequest.Builder releases = ReleaseRequest.newBuilder();
        NewTransaction.Builder branches = NewTransaction.newBuilder();
        UnknownFieldSet.Builder unknown = UnknownFieldSet.newBuilder();
        for (int i = 0; i <= 100_000; i++) {
            releases.addReleases(ReleaseRequest.One.getDefaultInstance());
            branches.addBranches(LoggedBranch.getDefaultInstance());
            unknown.addField(
                    1000 + i, UnknownFieldSet.Field.newBuilder().addVarint(1).build());
        }
        assertNamed("tenon.v1.Locks/Release", releases.build(), "100000 fields");
        assertNamed(
                "tenon.v1.TransactionLog/Begin",
                BeginTransactionRequest.newBuilder().setTransaction(branches).build(),
                "100000 fields");
        assertNamed("tenon.v1.Locks/Describe", unknown.build(), "100000 fields");
    }

    private static void assertNamed(String method, UnknownFieldSet message, String said) {
        Answer answer = calls(method).call(method, BareCalls.framed(message.toByteArray()));
        assertThat(answer.status()).as(answer.message()).isEqualTo(Code.INVALID_ARGUMENT.value());
        assertThat(answer.message()).contains(said);
    }
}
