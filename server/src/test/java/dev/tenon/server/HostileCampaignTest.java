package dev.tenon.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Descriptors.MethodDescriptor;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.RangesGrpc;
import dev.tenon.protocol.TransactionLogGrpc;
import dev.tenon.protocol.WorkerIdsGrpc;
import dev.tenon.raft.RaftSecret;
import dev.tenon.server.Described.Operation;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestPort;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * A campaign of mutated requests over HTTP/1.1, HTTP/2, gRPC and to the port of the nodes, by strangers and by holders
 * of every kind of key, against a server in a process of its own with a heap of 256 MiB, beside a client that does what
 * it should. {@code scripts/soak-server --hostile} runs it at length.
 */
class HostileCampaignTest {
    private static final int REQUESTS = Integer.getInteger("tenon.hostile.requests", 3_000);
    /**
     * How many times its quiet p99 the good client's may be; 0: only told, as the machine may be busy with other
     * things.
     */
    private static final int P99_FACTOR = Integer.getInteger("tenon.hostile.p99-factor", 0);
    /** Requests a second; 0: as fast as they are answered. */
    private static final int RATE = Integer.getInteger("tenon.hostile.rate", 0);

    private static final long SEED = Long.getLong("tenon.hostile.seed", 20261123);
    private static final int IN_FLIGHT = 48;
    private static final int GOOD_ROUNDS = Math.max(50, REQUESTS / 100);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final long HEAP_GROWTH_MAX = 24L << 20;
    /**
     * The workers of ID calls, of the log of transactions and of calls to participants, which are started when they are
     * needed first: on a busy machine that is later than it begins to count. What leaks, leaks with each of thousands
     * of requests.
     */
    private static final int THREAD_GROWTH_MAX = 160;

    /** Connections that the attackers still have open, more or fewer at each moment. */
    private static final int FILE_GROWTH_MAX = 64;

    /** A ClientHello of TLS 1.2 up to its random bytes, and what follows of it as far as a server reads. */
    private static final byte[] TLS_HELLO =
            HexFormat.of().parseHex("16030100310100002d0303" + "5a".repeat(32) + "000004c02bc02f0100" + "0000");

    @TempDir
    private Path folder;

    private final Random random = new Random(SEED);
    private final ByteMutations mutations = new ByteMutations(random);
    private final RandomMessages messages = new RandomMessages(random);
    private final List<MethodDescriptor> methods = methods();
    private final List<String> keys = new ArrayList<>();
    private final Semaphore free = new Semaphore(IN_FLIGHT);
    private int port;
    private int nodesPort;

    private static List<MethodDescriptor> methods() {
        return Stream.of(
                        LocksGrpc.getServiceDescriptor(),
                        IdsGrpc.getServiceDescriptor(),
                        RangesGrpc.getServiceDescriptor(),
                        WorkerIdsGrpc.getServiceDescriptor(),
                        DefinitionsGrpc.getServiceDescriptor(),
                        TransactionLogGrpc.getServiceDescriptor())
                .flatMap(HostileCampaignTest::methods)
                .toList();
    }

    private static Stream<MethodDescriptor> methods(ServiceDescriptor service) {
        ProtoServiceDescriptorSupplier supplier =
                (ProtoServiceDescriptorSupplier) Objects.requireNonNull(service.getSchemaDescriptor());
        return supplier.getServiceDescriptor().getMethods().stream();
    }

    private String key(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = TenonKey.line().setOut(new PrintWriter(out));
        List<String> all = new ArrayList<>(List.of("create"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--api-keys", folder.resolve("keys.json").toString()));
        assertThat(line.execute(all.toArray(new String[0]))).isZero();
        return out.toString().strip();
    }

    @Test
    void noRequestStopsFillsOrSlowsTheServer() {
        String good = key("good", "--role", "use");
        keys.addAll(List.of(
                "",
                "tenon_00000000_" + "A".repeat(43),
                key("looker", "--role", "read"),
                key("shop", "--role", "use", "--prefix", "a"),
                key("user", "--role", "use"),
                key("root", "--role", "admin")));
        RaftSecret.create(folder.resolve("cluster.secret"));
        try (TestPort nodes = TestPort.reserve();
                ServerProcess server = start(nodes.number());
                GoodClient client = new GoodClient(server.port(), good);
                HostileTraffic traffic = new HostileTraffic(server.port())) {
            port = server.port();
            nodesPort = nodes.number();
            ForkedJvm jvm = server.jvm();
            Described described =
                    new Described(server.client().fetch("/openapi.json").text());
            RandomRequests requests = new RandomRequests(described, SEED);
            requests.knows(session(server, keys.get(keys.size() - 1)));
            // What every kind of request loads and keeps once is there already when it begins to count.
            attack(traffic, described, requests, REQUESTS / 2);
            Vitals before = Vitals.of(jvm.pid());
            double quiet = quietP99(client);
            attack(traffic, described, requests, REQUESTS);
            double beside = client.p99Millis();
            report(traffic, before, jvm, quiet, beside);

            assertThat(traffic.violations())
                    .as("seed %d; the log has %s", SEED, Vitals.faultsLogged(jvm.pid()))
                    .isEmpty();
            assertThat(Vitals.faultsLogged(jvm.pid())).as(jvm::errors).isEmpty();
            assertThat(client.failures()).isEmpty();
            assertThat(jvm.running()).isTrue();
            requireNoGrowth(before, jvm.pid());
            if (P99_FACTOR > 0) {
                assertThat(beside).isLessThanOrEqualTo(quiet * P99_FACTOR);
            }
        }
    }

    private ServerProcess start(int forNodes) {
        return ServerProcess.started(ServerProcess.launch(
                // With the log that a server has, and not that of tests: what strangers cause is not in it.
                List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError", "-Dlogback.configurationFile=logback.xml"),
                "--data",
                folder.resolve("data").toString(),
                "--port",
                "0",
                "--api-keys",
                folder.resolve("keys.json").toString(),
                "--participants",
                "http://127.0.0.1:1/",
                "--node",
                "n1",
                "--peers",
                "n1=127.0.0.1:" + forNodes,
                "--cluster-secret",
                folder.resolve("cluster.secret").toString(),
                "--request-timeout",
                "2s"));
    }

    private static String session(ServerProcess server, String key) {
        return server.client()
                .call("POST", "/v1/sessions", "{\"ttl\":\"PT1H\"}", "Authorization", "Bearer " + key)
                .json()
                .path("id")
                .asString();
    }

    private static double quietP99(GoodClient client) {
        client.p99Millis();
        int from = client.rounds();
        await().atMost(LIMIT).until(() -> client.rounds() >= from + GOOD_ROUNDS);
        return client.p99Millis();
    }

    private void attack(HostileTraffic traffic, Described described, RandomRequests requests, int count) {
        List<Operation> operations = described.operations();
        long began = System.nanoTime();
        for (int i = 0; i < count; i++) {
            acquire();
            pace(began, i);
            String key = keys.get(random.nextInt(keys.size()));
            Operation operation = operations.get(random.nextInt(operations.size()));
            Future<Void> sent = switch (i % 10) {
                case 0, 1, 2, 3 -> call(traffic, key);
                case 4, 5, 6 -> framed(traffic, requests.next(operation), key);
                case 7, 8 -> plain(traffic, requests.next(operation), key);
                default -> traffic.bytes("nodes", nodesPort, strangersBytes(), false);
            };
            sent.onComplete(v -> free.release());
        }
        await().atMost(LIMIT).until(() -> free.availablePermits() == IN_FLIGHT);
    }

    private void acquire() {
        try {
            assertThat(free.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The load is a given rate, so that the good client is beside traffic and not beside a machine that is used up. */
    private static void pace(long began, int index) {
        if (RATE > 0) {
            LockSupport.parkNanos(began + index * 1_000_000_000L / RATE - System.nanoTime());
        }
    }

    private Future<Void> framed(HostileTraffic traffic, RandomRequests.Request request, String key) {
        byte[] body = request.body().getBytes(UTF_8);
        return traffic.request(request, random.nextBoolean() ? body : mutations.mutated(body), key);
    }

    private Future<Void> plain(HostileTraffic traffic, RandomRequests.Request request, String key) {
        String body = new String(request.body().getBytes(UTF_8), ISO_8859_1); // a character a byte
        boolean chunked = random.nextBoolean() && !body.isEmpty();
        String framed = chunked
                ? "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(body.length()) + "\r\n" + body
                        + "\r\n0\r\n\r\n"
                : "Content-Length: " + body.length() + "\r\n\r\n" + body;
        String all = request.method() + " " + request.target() + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                + (key.isEmpty() ? "" : "Authorization: Bearer " + key + "\r\n") + framed;
        byte[] bytes = mutations.mutated(all.getBytes(ISO_8859_1));
        return traffic.bytes("HTTP/1.1", port, Buffer.buffer(bytes), random.nextInt(4) > 0);
    }

    /** What a stranger sends to the port of the nodes: noise, a TLS greeting with faults, gRPC in plain text. */
    private Buffer strangersBytes() {
        byte[] noise = new byte[1 + random.nextInt(400)];
        random.nextBytes(noise);
        return Buffer.buffer(
                switch (random.nextInt(3)) {
                    case 0 -> noise;
                    case 1 -> mutations.mutated(TLS_HELLO);
                    default ->
                        mutations.mutated(
                                ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0\0\0\4\0\0\0\0\0").getBytes(ISO_8859_1));
                });
    }

    private Future<Void> call(HostileTraffic traffic, String key) {
        MethodDescriptor method = methods.get(random.nextInt(methods.size()));
        byte[] message = messages.next(method.getInputType()).toByteArray();
        byte[] sent = random.nextBoolean() ? message : mutations.mutated(message);
        Buffer framed =
                Buffer.buffer().appendByte((byte) 0).appendInt(sent.length).appendBytes(sent);
        Buffer body = random.nextInt(5) > 0 ? framed : Buffer.buffer(mutations.mutated(framed.getBytes()));
        Map<String, String> headers = switch (random.nextInt(12)) {
            case 0 -> Map.of("grpc-encoding", "gzip");
            case 1 -> Map.of("grpc-timeout", "99999999H");
            case 2 -> Map.of("grpc-timeout", "nonsense");
            default -> Map.of();
        };
        return traffic.call(method, body, headers, key);
    }

    private static void requireNoGrowth(Vitals before, long pid) {
        await().atMost(LIMIT).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
            Vitals after = Vitals.of(pid);
            assertThat(after.heapBytes()).as("heap").isLessThan(before.heapBytes() + HEAP_GROWTH_MAX);
            assertThat(after.threads()).as("threads").isLessThanOrEqualTo(before.threads() + THREAD_GROWTH_MAX);
            assertThat(after.files()).as("files").isLessThanOrEqualTo(before.files() + FILE_GROWTH_MAX);
        });
    }

    private static void report(HostileTraffic traffic, Vitals before, ForkedJvm jvm, double quiet, double beside) {
        Vitals after = Vitals.of(jvm.pid());
        System.out.printf(
                "%s%nbefore %s, after %s%ngood client's p99: %.1f ms quiet, %.1f ms beside it%n",
                traffic.outcomes(), before, after, quiet, beside);
    }
}
