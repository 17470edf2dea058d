package dev.tenon.benchmarks;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Three Tenon servers as a user starts them. */
final class TenonCluster implements AutoCloseable {
    private static final int NODES = 3;

    private final List<TestPort> ports = new ArrayList<>();
    private final List<TenonProcess> nodes = new ArrayList<>();

    private TenonCluster() {}

    /** Starts them; each answers once a majority runs. */
    static TenonCluster start(Path launcher) throws IOException {
        TenonCluster cluster = new TenonCluster();
        IntStream.range(0, NODES).forEach(i -> cluster.ports.add(TestPort.reserve()));
        String peers = IntStream.range(0, NODES)
                .mapToObj(i -> "n" + i + "=127.0.0.1:" + cluster.ports.get(i).number())
                .collect(Collectors.joining(","));
        try {
            List<TenonProcess.Starting> starting = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                starting.add(TenonProcess.begin(launcher, List.of("--node", "n" + i, "--peers", peers)));
            }
            for (TenonProcess.Starting node : starting) {
                cluster.nodes.add(node.await());
            }
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    /** Where the node listens that leads now. */
    String leader() {
        return node(true);
    }

    /** Where one listens that does not. */
    String follower() {
        return node(false);
    }

    private String node(boolean leads) {
        return nodes.stream()
                .filter(node -> leads(node) == leads)
                .findFirst()
                .map(TenonProcess::address)
                .orElseThrow(() -> new IllegalStateException("No node leads"));
    }

    private static boolean leads(TenonProcess node) {
        URI metrics = URI.create(node.url() + "/metrics");
        try {
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofLines())
                    .body()
                    .anyMatch(line -> line.matches("tenon_raft_leader(\\{.*})? 1(\\.0)?"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }

    @Override
    public void close() {
        nodes.forEach(TenonProcess::close);
        ports.forEach(TestPort::close);
    }
}
