package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    /** The common pool may have but one thread, and what is started here waits for what is started next. */
    private static final Executor ONE_THREAD_EACH = work -> FaultProxy.daemon("test", work);

    private final RedisAddress redis = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(redis.socket());
    private final RedisAddress through = redis.at(proxy.address());

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    @Test
    void withoutAFaultItOnlyCounts() throws Exception {
        try (Line line = new Line(proxy)) {
            assertThat(line.ask()).isEqualTo("+PONG");
            assertThat(line.ask()).isEqualTo("+PONG");
        }
        assertThat(proxy.connections()).isEqualTo(1);
        assertThat(proxy.exchanges()).isEqualTo(2);
        assertThat(proxy.bytesToServer()).isEqualTo(2 * Line.PING.length);
        assertThat(proxy.bytesToClient()).isEqualTo(2 * 7);
        await().until(() -> proxy.openConnections() == 0);
    }

    @Test
    void aDelayCountsTheRoundTrips() throws Exception {
        try (Line line = new Line(proxy)) {
            Duration delay = Duration.ofMillis(20);
            line.ask();
            assertThat(RoundTrips.within(0.8, 1.25, delay, by -> RoundTrips.measure(proxy, by, 7, line::ask)))
                    .isBetween(0.8, 1.25);
            RoundTrips.Action two = () -> {
                line.ask();
                line.ask();
            };
            assertThat(RoundTrips.within(1.7, 2.4, delay, by -> RoundTrips.measure(proxy, by, 7, two)))
                    .isBetween(1.7, 2.4);
        }
    }

    @Test
    void eachWayHasItsOwnDelay() throws Exception {
        Duration delay = Duration.ofMillis(200);
        try (Line line = new Line(proxy)) {
            line.ask();
            proxy.delay(delay, Duration.ZERO);
            assertThat(quickestOf(line)).isBetween(delay, delay.multipliedBy(2));
            proxy.delay(Duration.ZERO, delay);
            assertThat(quickestOf(line)).isBetween(delay, delay.multipliedBy(2));
            proxy.delay(Duration.ZERO);
            assertThat(quickestOf(line)).isLessThan(delay);
        }
    }

    @Test
    void manyMessagesAreOnTheirWayAtOnceAndInOrder() throws Exception {
        int messages = 500;
        Duration delay = Duration.ofMillis(100);
        try (ServerSocket echo = new ServerSocket(0);
                FaultProxy toEcho = FaultProxy.to(TestPort.loopback(echo.getLocalPort()))) {
            CompletableFuture.runAsync(
                    () -> {
                        try (Socket socket = echo.accept()) {
                            socket.getInputStream().transferTo(socket.getOutputStream());
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    },
                    ONE_THREAD_EACH);
            toEcho.delay(delay);
            try (Socket socket = new Socket(
                    toEcho.address().getHostString(), toEcho.address().getPort())) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(60_000);
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                DataInputStream in = new DataInputStream(socket.getInputStream());
                long[] sent = new long[messages];
                CompletableFuture<Void> sender = CompletableFuture.runAsync(
                        () -> {
                            try {
                                for (int i = 0; i < messages; i++) {
                                    sent[i] = System.nanoTime();
                                    out.writeInt(i);
                                    if (i % 10 == 0) {
                                        TimeUnit.MILLISECONDS.sleep(1);
                                    }
                                }
                            } catch (IOException | InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        ONE_THREAD_EACH);
                long[] took = new long[messages];
                for (int i = 0; i < messages; i++) {
                    assertThat(in.readInt()).isEqualTo(i);
                    took[i] = System.nanoTime() - sent[i];
                }
                sender.get(60, TimeUnit.SECONDS);
                Arrays.sort(took);
                assertThat(Duration.ofNanos(took[0])).isGreaterThanOrEqualTo(delay.multipliedBy(2));
                assertThat(Duration.ofNanos(took[messages / 2])).isLessThan(delay.multipliedBy(3));
            }
        }
    }

    @Test
    void aCutResetsOpenConnectionsAndTakesNewOnes() throws Exception {
        try (Line line = new Line(proxy)) {
            line.ask();
            proxy.cut();
            assertThatThrownBy(line::ask).isInstanceOfAny(SocketException.class, EOFException.class);
        }
        assertThat(proxy.openConnections()).isZero();
        assertThat(through.command("PING")).isEqualTo("PONG");
    }

    @Test
    void refusingKeepsOpenConnectionsOnly() throws Exception {
        try (Line line = new Line(proxy)) {
            line.ask();
            proxy.refuseNew();
            assertThatThrownBy(() -> new Line(proxy)).isInstanceOf(ConnectException.class);
            assertThat(line.ask()).isEqualTo("+PONG");
            proxy.acceptNew();
            proxy.acceptNew();
            assertThat(through.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aBlackHoleIsSilentAndDeliversOnceHealed() throws Exception {
        try (Line line = new Line(proxy)) {
            line.ask();
            proxy.blackhole();
            line.send();
            line.assertSilent();
            CompletableFuture<String> another =
                    CompletableFuture.supplyAsync(() -> through.command("PING"), ONE_THREAD_EACH);
            assertThatThrownBy(() -> another.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            proxy.heal();
            assertThat(line.receive()).isEqualTo("+PONG");
            assertThat(another.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
        }
    }

    @Test
    void aLostReplyLeavesTheEffectAndNoWord() throws Exception {
        try (Line line = new Line(proxy);
                Line untouched = new Line(proxy)) {
            line.ask();
            untouched.ask();
            proxy.dropReplies();
            line.send("SET lost 1\r\n");
            line.assertSilent();
            await().until(() -> new RedisAddress(redis.host(), redis.port(), 0)
                    .command("GET", "lost")
                    .equals("1"));
            proxy.heal();
            assertThatThrownBy(line::ask).isInstanceOfAny(SocketException.class, EOFException.class);
            assertThat(untouched.ask()).isEqualTo("+PONG");
        }
    }

    @Test
    void aServerThatIsDownResetsAndIsFoundAgain() {
        try (RedisServer server = RedisServer.start();
                FaultProxy toIt = FaultProxy.to(server.socket())) {
            RedisAddress address = server.address().at(toIt.address());
            server.kill();
            assertThatThrownBy(() -> address.command("PING")).isInstanceOf(UncheckedIOException.class);
            server.restart();
            assertThat(address.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void closedItRefuses() {
        proxy.blackhole();
        proxy.close();
        proxy.close();
        assertThatThrownBy(() -> through.command("PING")).hasCauseInstanceOf(ConnectException.class);
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> proxy.delay(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RoundTrips.measure(proxy, Duration.ZERO, 1, () -> {}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RoundTrips.measure(proxy, Duration.ofMillis(1), 0, () -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A connection that sends inline commands of Redis, one line each. */
    private static final class Line implements AutoCloseable {
        static final byte[] PING = "PING\r\n".getBytes(StandardCharsets.US_ASCII);

        private final Socket socket;

        Line(FaultProxy proxy) throws IOException {
            socket = new Socket(proxy.address().getHostString(), proxy.address().getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
        }

        String ask() throws IOException {
            send();
            return receive();
        }

        Duration timeToAsk() throws IOException {
            long start = System.nanoTime();
            ask();
            return Duration.ofNanos(System.nanoTime() - start);
        }

        void assertSilent() throws IOException {
            socket.setSoTimeout(200);
            assertThatThrownBy(this::receive).isInstanceOf(SocketTimeoutException.class);
            socket.setSoTimeout(60_000);
        }

        void send() throws IOException {
            socket.getOutputStream().write(PING);
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        }

        String receive() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = socket.getInputStream().read();
                    c != '\n';
                    c = socket.getInputStream().read()) {
                if (c < 0) {
                    throw new EOFException();
                }
                if (c != '\r') {
                    line.append((char) c);
                }
            }
            return line.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** What the delay adds is in every try; what a busy machine adds is not. */
    private static Duration quickestOf(Line line) throws IOException {
        Duration quickest = line.timeToAsk();
        for (int i = 0; i < 4; i++) {
            Duration next = line.timeToAsk();
            quickest = next.compareTo(quickest) < 0 ? next : quickest;
        }
        return quickest;
    }
}
