package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.server.TenonServer;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Three servers of one cluster, each a process of its own that can be killed. Threads may share it. */
final class ThreeServers implements AutoCloseable {
    static final List<String> NAMES = List.of("n1", "n2", "n3");

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern LEADER = Pattern.compile("\"leader\":\"([^\"]+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, TestPort> ports = new TreeMap<>();
    private final Map<String, TestPort> peers = new TreeMap<>();
    private final Map<String, ForkedJvm> running = new TreeMap<>();
    private final Path folder;

    private ThreeServers(Path folder) {
        this.folder = folder;
        NAMES.forEach(name -> {
            ports.put(name, TestPort.reserve());
            peers.put(name, TestPort.reserve());
        });
    }

    /** Starts all of them, and waits until they are ready. */
    static ThreeServers start(Path folder) {
        ThreeServers servers = new ThreeServers(folder);
        NAMES.forEach(servers::launch);
        servers.awaitReady();
        return servers;
    }

    /** Where clients reach them: one first, then the others. */
    String addresses(String first) {
        return first(first).map(name -> "127.0.0.1:" + ports.get(name).number()).collect(Collectors.joining(","));
    }

    private static Stream<String> first(String name) {
        return Stream.concat(Stream.of(name), NAMES.stream().filter(other -> !other.equals(name)));
    }

    /** Starts one, and waits for nothing. */
    synchronized void launch(String name) {
        List<String> options =
                new ArrayList<>(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
        options.addAll(ForkedJvm.withoutWarnings());
        String all = NAMES.stream()
                .map(n -> n + "=127.0.0.1:" + peers.get(n).number())
                .collect(Collectors.joining(","));
        running.put(
                name,
                ForkedJvm.start(
                        TenonServer.class,
                        options,
                        "--data",
                        folder.resolve(name).toString(),
                        "--port",
                        String.valueOf(ports.get(name).number()),
                        "--node",
                        name,
                        "--peers",
                        all));
    }

    /** Kill -9; returns when it is gone. */
    synchronized void kill(String name) {
        running.get(name).kill();
    }

    /** Waits until each of them serves. */
    void awaitReady() {
        NAMES.forEach(name -> await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> ask("GET", name, "/readyz", "").statusCode() == 200));
    }

    /** Has one of them lead. All must be ready. */
    void lead(String name) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> name.equals(leader(name))
                        || ask("POST", name, "/v1/cluster/leader", "{\"name\":\"" + name + "\"}")
                                        .statusCode()
                                == 200);
    }

    private String leader(String asked) {
        Matcher leader = LEADER.matcher(ask("GET", asked, "/v1/cluster", "").body());
        return leader.find() ? leader.group(1) : "";
    }

    private HttpResponse<String> ask(String method, String name, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + ports.get(name).number() + path))
                .timeout(PATIENCE)
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public synchronized void close() {
        running.values().forEach(ForkedJvm::close);
        ports.values().forEach(TestPort::close);
        peers.values().forEach(TestPort::close);
    }
}
