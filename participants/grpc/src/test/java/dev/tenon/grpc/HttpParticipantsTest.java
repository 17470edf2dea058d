package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.ParticipantsContract;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.BarrierHandler;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The same over HTTP, with {@link BarrierHandler} at the other end. */
class HttpParticipantsTest extends ParticipantsContract {
    private final List<HttpServer> servers = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Override
    protected String serve(Participant participant) {
        BarrierHandler handler = BarrierHandler.of(participant);
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.createContext("/stock", exchange -> {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                BarrierHandler.Answer answer = handler.handle(exchange.getRequestHeaders()::getFirst, body);
                byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answer.status(), text.length == 0 ? -1 : text.length);
                exchange.getResponseBody().write(text);
                exchange.close();
            });
            server.setExecutor(threads);
            server.start();
            servers.add(server);
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/stock";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Participants participants(Duration timeout, HttpTargets allowed) {
        return HttpParticipants.create(timeout).within(allowed);
    }

    @AfterEach
    void close() {
        servers.forEach(server -> server.stop(0));
        threads.shutdownNow();
    }

    @Test
    void whatIsNoCallIsRefusedAndSaysWhy() {
        BarrierHandler handler = BarrierHandler.of(call -> Reply.done());
        Map<String, String> good = Map.of("Tenon-Gid", "a", "Tenon-Branch", "b", "Tenon-Operation", "action");
        assertThat(handler.handle(good::get, "").status()).isEqualTo(200);
        for (String missing : good.keySet()) {
            BarrierHandler.Answer answer = handler.handle(name -> name.equals(missing) ? null : good.get(name), "");
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).contains(missing);
        }
        for (String bad : List.of("Tenon-Gid:a b", "Tenon-Operation:undo", "Tenon-Branch:%zz")) {
            String[] parts = bad.split(":", 2);
            assertThat(handler.handle(name -> name.equals(parts[0]) ? parts[1] : good.get(name), "")
                            .status())
                    .as(bad)
                    .isEqualTo(400);
        }
    }

    @Test
    void anAnswerThatStandsStillAfterItsHeadersIsGivenUp() throws Exception {
        Duration timeout = Duration.ofMillis(300);
        CountDownLatch end = new CountDownLatch(1);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            threads.submit(() -> {
                try (Socket line = server.accept()) {
                    line.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    end.await();
                }
                return null;
            });
            String target = "http://127.0.0.1:" + server.getLocalPort() + "/stock";
            BranchCall call =
                    new BranchCall(new TransactionId("order:42"), "stock", Operation.ACTION, target, "", Map.of(), 1);
            Participant stalls = HttpParticipants.create(timeout).find(target).orElseThrow();
            AwakeTime took = AwakeTime.start();
            Future<Reply> reply = threads.submit(() -> stalls.call(call));
            assertThatThrownBy(() -> reply.get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(HttpTimeoutException.class)
                    .hasMessageContaining("did not end within PT0.3S");
            assertThat(took.elapsed()).isLessThan(timeout.multipliedBy(10));
        } finally {
            end.countDown();
        }
    }
}
