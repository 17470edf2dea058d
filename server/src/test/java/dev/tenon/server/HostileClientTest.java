package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.tenon.testkit.ForkedJvm;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients who mean no good, over bare sockets, against a server in a process of its own with little memory. After each,
 * the others are still served. The server would end itself if it ran out of memory.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileClientTest {
    private static final String HOST = "Host: 127.0.0.1\r\n";
    private static final String SMUGGLED = "POST /v1/ids/default/next HTTP/1.1\r\n" + HOST + "\r\n";
    private static final Duration SERVED = Duration.ofSeconds(90);
    private static final int IDLE_CLIENTS = 10_000;
    private static final int PATIENCE_MILLIS = 30_000;
    private static final int SPARE_FILES = 200;

    private ForkedJvm server;
    private int port;

    @BeforeAll
    void start(@TempDir Path folder) {
        server = ServerProcess.launch(
                List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"),
                "--data",
                folder.toString(),
                "--port",
                "0",
                "--max-connections",
                "15000",
                "--max-connections-per-address",
                "15000",
                "--request-timeout",
                "2s",
                "--idle-timeout",
                "3s");
        Matcher listens = Pattern.compile("Tenon listens on http://127\\.0\\.0\\.1:(\\d+) .*")
                .matcher(server.nextLine(l -> l.startsWith("Tenon listens"), ServerProcess.START_LIMIT));
        assertThat(listens.matches()).isTrue();
        port = Integer.parseInt(listens.group(1));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @AfterEach
    void theOthersAreStillServed() {
        assertServed();
    }

    /** On a machine that is busy with all of this an answer may take its time; that it comes is what counts. */
    private void assertServed() {
        await().atMost(SERVED)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .untilAsserted(this::serveOne);
    }

    private void serveOne() {
        TestClient other = new TestClient(port);
        assertThat(other.next("default", 10)).hasSize(10);
        String session = other.session("good");
        assertThat(other.post("/v1/locks/good/acquire", "{\"session\":\"" + session + "\",\"wait\":\"PT10S\"}")
                        .status())
                .isEqualTo(200);
        assertThat(other.call("DELETE", "/v1/sessions/" + session, "").status()).isEqualTo(204);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** On a machine that stands still the server's patience may be over before all is sent. */
    private static void sendUnlessCut(Socket socket, String text) throws IOException {
        try {
            send(socket, text);
        } catch (SocketException e) {
            // cut already
        }
    }

    /** All that comes until the server closes the connection, as it must. */
    private static String rest(Socket socket) throws IOException {
        StringBuilder all = new StringBuilder();
        byte[] some = new byte[8192];
        try {
            int read = socket.getInputStream().read(some);
            while (read >= 0) {
                all.append(new String(some, 0, read, StandardCharsets.ISO_8859_1));
                read = socket.getInputStream().read(some);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open, after: " + all, e);
        } catch (SocketException e) {
            all.append("(reset)");
        }
        return all.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n\r\n\r\n\r\nHELLO\r\n\r\n",
                "GET\r\n\r\n",
                "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n",
                "GET /healthz FTP/1.1\r\nHost: a\r\n\r\n",
                "GET /healthz HTTP/1.1\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: a\r\nBad Name: b\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: a\r\nBad\0Name: b\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n",
                "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
                "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
                "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense instead of frames, and enough of it to be one",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\r\n\r\n"
            })
    void whatIsNoRequestIsRefusedAndTheConnectionEnds(String nonsense) throws IOException {
        try (Socket socket = connect()) {
            send(socket, nonsense);
            String answer = rest(socket);
            assertThat(answer).doesNotContain("HTTP/1.1 200", "HTTP/1.1 5");
            if (answer.startsWith("HTTP/1.1")) {
                assertThat(answer).startsWith("HTTP/1.1 4").contains("urn:tenon:problem:");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 5, 6\r\n",
                "Content-Length: +2\r\n",
                "Content-Length: 0x2\r\n",
                "Content-Length : 2\r\n",
                " Content-Length: 2\r\n",
                "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding: gzip, chunked\r\n",
                "Transfer-Encoding: chunked, identity\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "Transfer-Encoding : chunked\r\n",
                "Transfer-Encoding:\u000bchunked\r\n",
                "Transfer-Encoding\n: chunked\r\n",
                "X: a\r\n Transfer-Encoding: chunked\r\n",
            })
    void noRequestHidesInAnother(String framing) throws IOException {
        try (Socket socket = connect()) {
            send(socket, "POST /v1/sessions HTTP/1.1\r\n" + HOST + framing + "\r\n0\r\n\r\n" + SMUGGLED);
            String answer = rest(socket);
            assertThat(answer).as("the second request").doesNotContain("\"ids\"");
        }
    }

    @Test
    void hugeHeadsAreRefused() throws IOException {
        String huge = "a".repeat(20_000);
        for (String head : List.of(
                "GET /v1/locks/" + huge + " HTTP/1.1\r\n" + HOST + "\r\n",
                "GET /healthz HTTP/1.1\r\n" + HOST + "X-Huge: " + huge + "\r\n\r\n",
                "GET /healthz HTTP/1.1\r\n" + HOST + "X: y\r\n".repeat(5_000) + "\r\n")) {
            try (Socket socket = connect()) {
                sendUnlessCut(socket, head); // it does not want to hear all of it
                assertThat(rest(socket)).containsPattern("^(HTTP/1\\.[01] 4(14|31) |\\(reset\\))");
            }
        }
    }

    @Test
    void headsAndBodiesThatNeverEndAreCutAndCostTheOthersNothing() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = connect();
                slow.add(socket);
                sendUnlessCut(
                        socket,
                        switch (i % 4) {
                            case 0 -> "";
                            case 1 -> "GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ";
                            case 2 -> "POST /v1/sessions HTTP/1.1\r\n" + HOST + "Content-Length: 60000\r\n\r\n{";
                            default ->
                                "POST /v1/sessions HTTP/1.1\r\n" + HOST + "Content-Length: 60000\r\n\r\n"
                                        + " ".repeat(50_000);
                        });
            }
            assertServed();
            drip(slow);
            for (int i = 0; i < slow.size(); i++) {
                String end = rest(slow.get(i));
                assertThat(end).doesNotContain("HTTP/1.1 2");
                if (i % 4 == 2) {
                    assertThat(end).containsPattern("^(HTTP/1.1 408 |\\(reset\\))");
                }
            }
        } finally {
            close(slow);
        }
    }

    /** A byte now and then is no sign of life: it goes on until the first of them has been cut. */
    private static void drip(List<Socket> slow) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    try {
                        for (Socket socket : slow.subList(0, 8)) {
                            send(socket, "x");
                        }
                        return false;
                    } catch (SocketException e) {
                        return true;
                    }
                });
    }

    @Test
    void answersThatNobodyTakesDoNotFillTheMemory() throws IOException {
        String ask = "POST /v1/ids/default/next?count=10000 HTTP/1.1\r\n" + HOST + "\r\n";
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) { // twice as much as the heap, were it kept
                Socket socket = new Socket();
                socket.setReceiveBufferSize(4_096);
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.connect(new InetSocketAddress("127.0.0.1", port));
                slow.add(socket);
                sendUnlessCut(socket, ask.repeat(5));
            }
            assertServed();
            List<Socket> open = new ArrayList<>(slow);
            await().atMost(SERVED).until(() -> {
                open.removeIf(HostileClientTest::isCut);
                return open.isEmpty();
            });
        } finally {
            close(slow);
        }
    }

    /** Whether the server has given up a connection from which nothing is read. */
    private static boolean isCut(Socket socket) {
        try {
            send(socket, "GET / HTTP/1.1\r\n");
            return false;
        } catch (SocketException e) {
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void tenThousandIdleConnectionsShutNobodyOutAndAreCut() throws IOException {
        int many = (int) Math.min(IDLE_CLIENTS, freeFiles());
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < many; i++) {
                Socket socket = connect();
                idle.add(socket);
                if (i % 2 == 0) {
                    sendUnlessCut(socket, "GET /healthz HTTP/1.1\r\n" + HOST + "\r\n"); // and then no more
                }
            }
            assertServed();
            for (Socket socket : idle) {
                rest(socket);
            }
        } finally {
            close(idle);
        }
    }

    private static long freeFiles() {
        UnixOperatingSystemMXBean unix = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount() - SPARE_FILES;
    }

    @Test
    void streamsThatAreOpenedAndResetEndTheConnection() throws IOException {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(frame(4, 0, 0)); // SETTINGS
            byte[] head = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'}; // GET http a /
            try {
                for (int stream = 1; stream < 20_000; stream += 2) {
                    out.write(frame(1, 5, stream, head));
                    out.write(frame(3, 0, stream, (byte) 0, (byte) 0, (byte) 0, (byte) 8)); // RST_STREAM: CANCEL
                }
            } catch (SocketException e) {
                // cut already
            }
            rest(socket);
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte... payload) {
        byte[] frame = new byte[9 + payload.length];
        frame[2] = (byte) payload.length;
        frame[3] = (byte) type;
        frame[4] = (byte) flags;
        frame[5] = (byte) (stream >> 24);
        frame[6] = (byte) (stream >> 16);
        frame[7] = (byte) (stream >> 8);
        frame[8] = (byte) stream;
        System.arraycopy(payload, 0, frame, 9, payload.length);
        return frame;
    }

    @Test
    void randomBytesAreNeverMoreThanRefused() throws IOException {
        Random random = new Random(20_261_121);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[random.nextInt(2_000)];
            random.nextBytes(noise);
            try (Socket socket = connect()) {
                if (i % 2 == 0) {
                    send(socket, "POST /v1/sessions HTTP/1.1\r\n" + HOST);
                }
                socket.getOutputStream().write(noise);
                socket.shutdownOutput();
                assertThat(rest(socket)).as("round " + i).doesNotContain("HTTP/1.1 5", "HTTP/1.1 2");
            } catch (SocketException e) {
                // cut already
            }
        }
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
