package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What is wrong with a node is known to that node, and mostly to its leader: {@code tenon cluster status} asks all that
 * it is told of.
 */
class ClusterTroubleTest {
    private final List<HttpServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    @Test
    void whatIsWrongWithANodeIsBelowTheTable() throws IOException {
        String well = serve("n1", "");
        String ill = serve("n2", ",\"trouble\":\"older copy: empty folder\"");
        CliRun both = CliRun.of("cluster", "status", "--server", well + "," + ill);
        assertThat(both.exitCode()).isZero();
        assertThat(both.out()).contains("told by n1").endsWith("n2: older copy: empty folder" + System.lineSeparator());
        assertThat(CliRun.of("cluster", "status", "--server", ill).out()).contains("n2: older copy: empty folder");
        assertThat(CliRun.of("cluster", "status", "--server", well).out()).doesNotContain("older copy");
    }

    @Test
    void aServerThatDoesNotAnswerIsPassedOver() throws IOException {
        String well = serve("n1", "");
        String down = serve("n2", "");
        servers.get(1).stop(0);
        CliRun run = CliRun.of("cluster", "status", "--server", well + "," + down);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("told by n1");
    }

    /** A node that sees n2 so. */
    private String serve(String node, String trouble) throws IOException {
        byte[] document = ("{\"node\":\"" + node + "\",\"leader\":\"n1\",\"term\":3,\"applied\":9,\"members\":["
                        + "{\"name\":\"n1\",\"address\":\"h1:1\",\"leads\":true,\"committed\":9},"
                        + "{\"name\":\"n2\",\"address\":\"h2:1\",\"leads\":false,\"committed\":4" + trouble + "}]}")
                .getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/cluster", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, document.length);
                exchange.getResponseBody().write(document);
            }
        });
        server.start();
        servers.add(server);
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }
}
