package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.protocol.NextIdsRequest;
import dev.tenon.server.BareCalls.Answer;
import dev.tenon.server.BareCalls.Call;
import io.grpc.Status.Code;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of gRPC who mean no good, and have no key, against a server in a process of its own with little memory: it
 * would end itself if that ran out. While they are at it and after each, others are served, and nothing was written to
 * its log.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileCallsTest {
    private static final Duration SERVED = Duration.ofSeconds(90);
    private static final String NEXT = "tenon.v1.Ids/Next";
    private static final int MEBI = 1 << 20;
    private ServerProcess server;
    private BareCalls good;

    @BeforeAll
    void start(@TempDir Path folder) {
        server = ServerProcess.started(ServerProcess.launch(
                List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
                "--data",
                folder.toString(),
                "--port",
                "0",
                "--slow-op",
                "PT60S",
                "--request-timeout",
                "3s",
                "--idle-timeout",
                "60s"));
        good = new BareCalls(server.port());
    }

    @AfterAll
    void stop() {
        good.close();
        server.close();
    }

    @AfterEach
    void nothingWasToldInTheLog() {
        assertServed();
        assertThat(ServerProcess.errorsOf(server.jvm()))
                .as("but that the machine stood still")
                .noneMatch(line -> line.contains("ERROR") || line.contains("WARN") || line.contains("Exception"));
    }

    private void assertServed() {
        await().atMost(SERVED)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .untilAsserted(() -> {
                    Answer answer = good.call(NEXT, BareCalls.framed(ids(10)));
                    assertThat(answer.status()).as(answer.message()).isZero();
                    assertThat(server.client().next("default", 10)).hasSize(10);
                });
    }

    private static byte[] ids(int count) {
        return NextIdsRequest.newBuilder()
                .setName("default")
                .setCount(count)
                .build()
                .toByteArray();
    }

    private static byte[] packed(int mebibytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            byte[] zeros = new byte[MEBI];
            for (int i = 0; i < mebibytes; i++) {
                out.write(zeros);
            }
        }
        return packed.toByteArray();
    }

    @Test
    void packedMessagesAreNotUnpacked() throws IOException {
        byte[] packed = packed(200);
        Buffer body =
                Buffer.buffer().appendByte((byte) 1).appendInt(packed.length).appendBytes(packed);
        for (int i = 0; i < 10; i++) {
            Answer answer = good.begin(NEXT, Map.of("grpc-encoding", "gzip"))
                    .send(body)
                    .end()
                    .answer();
            assertThat(answer.status()).isEqualTo(Code.UNIMPLEMENTED.value());
        }
    }

    @Test
    void messagesThatNeverEndAreCutAndCostTheOthersNothing() {
        try (BareCalls hostile = new BareCalls(server.port(), 24, 10)) {
            Buffer much =
                    Buffer.buffer().appendByte((byte) 0).appendInt(4 * MEBI).appendBytes(new byte[MEBI]);
            List<Call> calls = new ArrayList<>();
            for (int i = 0; i < 240; i++) { // as much as the heap, were it kept
                calls.add(hostile.begin(NEXT, Map.of()).send(much));
            }
            assertServed();
            for (Call call : calls) {
                assertCut(call);
            }
        }
    }

    private static void assertCut(Call call) {
        Answer answer = call.answer();
        assertThat(answer.status()).as(answer.message()).isEqualTo(Code.UNAVAILABLE.value());
        assertThat(answer.reason()).isEqualTo("UNAVAILABLE");
        assertThat(answer.message()).contains("nothing was done");
    }

    @Test
    void aCallThatDoesNotComeToItsEndIsCutHoweverMuchOfItIsThere() {
        Buffer whole = BareCalls.framed(ids(1));
        Call silent = good.begin(NEXT, Map.of());
        Call half = good.begin(NEXT, Map.of()).send(whole.slice(0, 7));
        Call open = good.begin(NEXT, Map.of()).send(whole);
        Call dripping = good.begin(NEXT, Map.of());
        int[] sent = {0};
        await().atMost(SERVED).pollInterval(Duration.ofMillis(200)).until(() -> {
            if (!dripping.isOver()) { // a byte now and then is no sign of life
                Buffer byByte = Buffer.buffer().appendByte((byte) 0).appendInt(MEBI);
                dripping.send(sent[0] < byByte.length() ? byByte.slice(sent[0], ++sent[0]) : Buffer.buffer("x"));
            }
            return dripping.isOver();
        });
        List.of(silent, half, open, dripping).forEach(HostileCallsTest::assertCut);
    }

    @Test
    void answersThatNobodyTakesDoNotFillTheMemory() throws IOException {
        int initialWindow = 4;
        byte[] ask = BareCalls.framed(ids(10_000)).getBytes();
        List<RawHttp2> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) { // twice the heap, were it kept
                RawHttp2 client = new RawHttp2(server.port(), initialWindow, 0);
                slow.add(client);
                try {
                    for (int stream = 1; stream < 2_000; stream += 2) {
                        client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream, RawHttp2.call("/" + NEXT));
                        client.send(RawHttp2.DATA, RawHttp2.END_STREAM, stream, ask);
                    }
                } catch (SocketException e) {
                    // cut already
                }
            }
            assertServed();
            for (RawHttp2 client : slow) {
                client.awaitEnd();
            }
        } finally {
            for (RawHttp2 client : slow) {
                client.close();
            }
        }
    }

    /** What somebody sends again and again, by the number of the time. */
    @FunctionalInterface
    private interface Frames {
        void send(RawHttp2 client, int time) throws IOException;
    }

    private void assertEnded(Frames frames) throws IOException {
        try (RawHttp2 client = new RawHttp2(server.port())) {
            try {
                for (int time = 0; time < 1_000_000; time++) {
                    frames.send(client, time);
                }
                throw new AssertionError("the server takes all of it");
            } catch (SocketException e) {
                // cut, as it must be
            }
            client.awaitEnd();
        }
        assertServed();
    }

    private static int stream(int time) {
        return 2 * time + 1;
    }

    @Test
    void framesThatTheServerHasToAnswerEndTheConnectionWhenNobodyTakesTheAnswers() throws IOException {
        assertEnded((client, time) -> client.send(RawHttp2.PING, 0, 0, new byte[8]));
        assertEnded((client, time) -> client.send(RawHttp2.SETTINGS, 0, 0));
    }

    @Test
    void framesThatDoNothingEndTheConnection() throws IOException {
        byte[] call = RawHttp2.call("/" + NEXT);
        assertEnded((client, time) -> client.send(
                time == 0 ? RawHttp2.HEADERS : RawHttp2.CONTINUATION, 0, 1, time == 0 ? call : new byte[0]));
        assertEnded((client, time) -> client.send(
                time == 0 ? RawHttp2.HEADERS : RawHttp2.DATA,
                time == 0 ? RawHttp2.END_HEADERS : 0,
                1,
                time == 0 ? call : new byte[0]));
        byte[] more = new byte[1_000];
        assertEnded((client, time) ->
                client.send(time == 0 ? RawHttp2.HEADERS : RawHttp2.CONTINUATION, 0, 1, time == 0 ? call : more));
    }

    @Test
    void callsThatAreTakenBackEndTheConnectionWhoeverEndsThem() throws IOException {
        byte[] call = RawHttp2.call("/" + NEXT);
        byte[] cancel = ByteBuffer.allocate(4).putInt(8).array();
        assertEnded((client, time) -> {
            client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream(time), call);
            client.send(RawHttp2.RST_STREAM, 0, stream(time), cancel);
        });
        assertEnded((client, time) -> { // the server has to reset it: CVE-2025-8671
            client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream(time), call);
            client.send(RawHttp2.WINDOW_UPDATE, 0, stream(time), new byte[4]);
        });
    }

    @Test
    void callsThatAreRefusedAndWhoseAnswersNobodyTakesEndTheConnection() throws IOException {
        byte[] call = RawHttp2.call("/tenon.v1.Locks/Explode");
        assertEnded((client, time) ->
                client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, stream(time), call));
        assertEnded((client, time) -> client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream(time), call));
    }

    /** Whoever is refused at the headers may send on for a while without being read, so that he gets to see why. */
    @Test
    void aRefusedCallThatDoesNotComeToItsEndIsReset() throws IOException {
        try (RawHttp2 client = new RawHttp2(server.port())) {
            client.send(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, RawHttp2.call("/tenon.v1.Locks/Explode"));
            client.awaitFrame(RawHttp2.HEADERS, 1);
            client.send(RawHttp2.DATA, 0, 1, new byte[1_000]);
            assertThat(client.awaitFrame(RawHttp2.RST_STREAM, 1)).as("NO_ERROR").containsExactly(0, 0, 0, 0);
        }
    }
}
