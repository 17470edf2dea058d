package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.protocol.AcquireAllRequest;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.server.BareCalls.Answer;
import dev.tenon.server.BareCalls.Call;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import io.grpc.Status.Code;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a call must be before anything of it is read: who sends it, and how. */
class GrpcWallTest {
    private static final String DESCRIBE = "tenon.v1.Locks/Describe";
    private static final String ACQUIRE = "tenon.v1.Locks/Acquire";
    private static final ApiKey.Fresh LOCKS = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh LOOKS = ApiKey.fresh(new SecureRandom());
    private static Node open;
    private static Node keyed;
    private static BareCalls anyone;
    private static BareCalls stranger;

    @BeforeAll
    static void start() {
        open = Node.start(NodeOptions.at("127.0.0.1", 0), new MemoryServerBackend());
        keyed = Node.start(
                NodeOptions.at("127.0.0.1", 0)
                        .withGate(new KeyGate(() ->
                                new ApiKeys(List.of(key(LOCKS, Right.USE, "shop/"), key(LOOKS, Right.READ, ""))))),
                new MemoryServerBackend());
        anyone = new BareCalls(open.port());
        stranger = new BareCalls(keyed.port());
    }

    @AfterAll
    static void stop() {
        anyone.close();
        stranger.close();
        open.close();
        keyed.close();
    }

    private static ApiKey key(ApiKey.Fresh fresh, Right right, String prefix) {
        return new ApiKey(
                fresh.id(),
                prefix + right,
                right,
                Set.of(Scope.LOCKS),
                List.of(prefix),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private static Map<String, String> with(ApiKey.Fresh key) {
        return Map.of("authorization", "Bearer " + key.text());
    }

    private static void assertRefused(Answer answer, Code code, String why) {
        assertThat(answer.httpStatus()).isEqualTo(200);
        assertThat(Code.values()[answer.status()]).as(answer.message()).isEqualTo(code);
        assertThat(answer.message()).contains(why);
    }

    private static byte[] packedZeros() {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(new byte[1 << 20]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return packed.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "snappy", "IDENTITY", "", "gzip, identity"})
    void aPackedMessageIsRefusedAtItsHeaders(String encoding) {
        Call call = anyone.begin(DESCRIBE, Map.of("grpc-encoding", encoding));
        Answer answer = call.answer(); // nothing of the body was sent
        assertRefused(answer, Code.UNIMPLEMENTED, "identity");
        assertThat(answer.headers().get("grpc-accept-encoding")).isEqualTo("identity");
    }

    @Test
    void aMessageThatSaysItIsPackedIsAnsweredAndNotUnpacked() {
        byte[] packed = packedZeros();
        Buffer body =
                Buffer.buffer().appendByte((byte) 1).appendInt(packed.length).appendBytes(packed);
        assertRefused(anyone.call(DESCRIBE, body), Code.UNIMPLEMENTED, "identity");
        assertRefused(anyone.call(DESCRIBE, body.slice(0, 5)), Code.UNIMPLEMENTED, "identity");
        assertThat(anyone.call(DESCRIBE, BareCalls.framed(new byte[0])).status())
                .isZero();
    }

    @Test
    void aStrangerIsRefusedAtTheHeadersWhateverTheMethod() {
        for (GrpcMethods method : GrpcMethods.all()) {
            if (method.name().equals(DESCRIBE)) {
                continue; // what the store under the server can do is for everyone to know
            }
            Answer answer = stranger.begin(method.name(), Map.of()).answer(); // nothing of the body was sent
            assertRefused(answer, Code.UNAUTHENTICATED, "API key");
            assertThat(answer.reason()).as(method.name()).isEqualTo("REFUSED");
        }
    }

    @Test
    void aKeyIsHeldAgainstTheCallAtTheHeadersAndAgainstEachNameInTheMessage() {
        assertRefused(stranger.begin(ACQUIRE, with(LOOKS)).answer(), Code.PERMISSION_DENIED, "needs use");
        assertRefused(stranger.begin("tenon.v1.Ranges/Next", with(LOCKS)).answer(), Code.PERMISSION_DENIED, "ids");
        ReleaseRequest mixed = ReleaseRequest.newBuilder()
                .addReleases(ReleaseRequest.One.newBuilder().setName("shop/a"))
                .addReleases(ReleaseRequest.One.newBuilder().setName("bank/a"))
                .build();
        Answer other = stranger.begin("tenon.v1.Locks/Release", with(LOCKS))
                .send(BareCalls.framed(mixed.toByteArray()))
                .end()
                .answer();
        assertRefused(other, Code.PERMISSION_DENIED, "begin with shop/");
        Answer own = stranger.begin("tenon.v1.Locks/Release", with(LOCKS))
                .send(BareCalls.framed(
                        mixed.toBuilder().removeReleases(1).build().toByteArray()))
                .end()
                .answer();
        assertThat(own.status()).as(own.message()).isZero();
    }

    @Test
    void anEmptyListIsRefusedByItsName() {
        Buffer nothing = BareCalls.framed(new byte[0]);
        assertRefused(anyone.call("tenon.v1.Locks/Release", nothing), Code.INVALID_ARGUMENT, "releases is empty");
        assertRefused(anyone.call("tenon.v1.Locks/Renew", nothing), Code.INVALID_ARGUMENT, "renewals is empty");
        assertRefused(anyone.call("tenon.v1.Locks/AcquireAll", nothing), Code.INVALID_ARGUMENT, "requests is empty");
        for (byte[] empty : List.of(
                ReleaseRequest.getDefaultInstance().toByteArray(),
                RenewRequest.getDefaultInstance().toByteArray(),
                AcquireAllRequest.getDefaultInstance().toByteArray())) {
            assertThat(empty).as("the same on the line").isEmpty();
        }
    }

    @Test
    void aBodyThatIsNotOneMessageIsRefused() {
        Buffer one = BareCalls.framed(DescribeLocksRequest.getDefaultInstance().toByteArray());
        assertRefused(anyone.call(DESCRIBE, one.copy().appendBuffer(one)), Code.INVALID_ARGUMENT, "received several");
        assertRefused(
                anyone.call(DESCRIBE, one.copy().appendByte((byte) 0)), Code.INVALID_ARGUMENT, "received several");
        assertRefused(anyone.call(DESCRIBE, one.slice(0, 3)), Code.INVALID_ARGUMENT, "ended within");
        Buffer half = Buffer.buffer().appendByte((byte) 0).appendInt(9).appendBytes(new byte[8]);
        assertRefused(anyone.call(DESCRIBE, half), Code.INVALID_ARGUMENT, "ended within");
        assertRefused(anyone.begin(DESCRIBE, Map.of()).end().answer(), Code.INVALID_ARGUMENT, "received none");
        Buffer odd = Buffer.buffer().appendByte((byte) 2).appendInt(0);
        assertRefused(anyone.call(DESCRIBE, odd), Code.UNIMPLEMENTED, "identity");
    }

    @ParameterizedTest
    @ValueSource(ints = {(4 << 20) + 1, Integer.MAX_VALUE, -1})
    void aMessageThatIsTooLargeIsRefusedBeforeItComes(int length) {
        Call call = anyone.begin(ACQUIRE, Map.of())
                .send(Buffer.buffer().appendByte((byte) 0).appendInt(length));
        Answer answer = call.answer();
        assertRefused(answer, Code.RESOURCE_EXHAUSTED, String.valueOf(4 << 20));
        assertThat(answer.reason()).isEqualTo("BAD_ARGUMENT");
    }

    @Test
    void aMessageInManyPiecesIsRead() {
        Buffer body = BareCalls.framed(AcquireRequest.newBuilder()
                .setName("pieces")
                .setOwner("x".repeat(300))
                .build()
                .toByteArray());
        Call call = anyone.begin(ACQUIRE, Map.of());
        for (int i = 0; i < body.length(); i++) {
            call.send(body.slice(i, i + 1));
        }
        assertRefused(call.end().answer(), Code.INVALID_ARGUMENT, "session ID is empty");
    }

    @Test
    void whatIsNoCallIsSaidToBeNone() {
        Buffer nothing = BareCalls.framed(new byte[0]);
        assertRefused(anyone.call("tenon.v1.Locks/Explode", nothing), Code.UNIMPLEMENTED, "Unknown method");
        assertRefused(anyone.call("tenon.v1.Locks", nothing), Code.UNIMPLEMENTED, "Unknown method");
        assertRefused(anyone.call("tenon.v1.Locks/Describe/", nothing), Code.UNIMPLEMENTED, "Unknown method");
        Answer json = anyone.begin(DESCRIBE, Map.of("content-type", "application/grpc+json"))
                .answer();
        assertRefused(json, Code.UNIMPLEMENTED, "protobuf");
        Answer late = anyone.begin(DESCRIBE, Map.of("grpc-timeout", "soon")).answer();
        assertRefused(late, Code.INVALID_ARGUMENT, "grpc-timeout");
    }

    @Test
    void aCallEndsWhenTheTimeIsOverThatItsClientGivesIt() {
        Answer late = anyone.begin(DESCRIBE, Map.of("grpc-timeout", "1m")).answer();
        assertRefused(late, Code.DEADLINE_EXCEEDED, "grpc-timeout");
        Answer soon = anyone.begin(DESCRIBE, Map.of("grpc-timeout", "99999999H"))
                .send(BareCalls.framed(new byte[0]))
                .end()
                .answer();
        assertThat(soon.status()).as(soon.message()).isZero();
    }

    @Test
    void whatIsQuotedOfARequestFitsIntoAnAnswer() {
        byte[] message = AcquireRequest.newBuilder()
                .setName("a\u0000\u20ac".repeat(100_000))
                .build()
                .toByteArray();
        Answer name = anyone.call(ACQUIRE, BareCalls.framed(message));
        assertRefused(name, Code.INVALID_ARGUMENT, "lock name");
        byte[] state = dev.tenon.protocol.ListTransactionsRequest.newBuilder()
                .setLimit(1)
                .setState("\u20ac\n%".repeat(100_000))
                .build()
                .toByteArray();
        Answer quoted = anyone.call("tenon.v1.TransactionLog/List", BareCalls.framed(state));
        assertRefused(quoted, Code.INVALID_ARGUMENT, "%E2%82%AC%0A%25");
        assertThat(quoted.message()).hasSizeLessThan(5_000);
    }
}
