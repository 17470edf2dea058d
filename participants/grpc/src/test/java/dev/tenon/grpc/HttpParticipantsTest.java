package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.testkit.ParticipantsContract;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.http.BarrierHandler;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
}
