package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.server.TenonServer;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.ServerData;
import dev.tenon.testkit.TestPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server of one node is killed while processes issue IDs under worker IDs that they have of it, and started on what
 * its folder was, on an older copy, or on nothing. No two of them, nor one that starts then, nor the server itself,
 * ever issue in the same second under the same worker ID.
 */
@Execution(ExecutionMode.CONCURRENT)
class ForgetfulServerTest {
    /** As long as those wait who start when the server is back, if it is back soon. */
    private static final Duration LEASE_MIN = Duration.ofSeconds(15);

    private static final int STARTS_IN_LEASE = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final IdLayout SECONDS = IdLayout.builder()
            .unit(Duration.ofSeconds(1))
            .timeBits(32)
            .workerBits(5)
            .sequenceBits(20)
            .epoch(Instant.parse("2025-01-01T00:00:00Z"))
            .build();
    private static final String DEFINITION = "{\"kind\":\"snowflake\",\"layout\":{\"unit\":\"PT1S\",\"timeBits\":32,"
            + "\"workerBits\":5,\"sequenceBits\":20,\"epoch\":\"2025-01-01T00:00:00Z\"}}";

    @TempDir
    private Path parent;

    private final TestPort port = TestPort.reserve();
    private final HttpNode http = new HttpNode(port.number());
    private final Map<Long, String> issuedBy = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
    private final List<Holder> holders = new ArrayList<>();
    private @Nullable ForkedJvm running;
    private @Nullable TenonClient connected;
    /** Longer than a server takes to be back, on a machine as busy as this one is. */
    private Duration lease = LEASE_MIN;

    enum Fault {
        RESTARTED,
        OLDER_COPY,
        EMPTIED
    }

    @AfterEach
    void close() {
        holders.forEach(Holder::close);
        if (connected != null) {
            connected.close();
        }
        server().close();
        port.close();
    }

    private Path data() {
        return parent.resolve("data");
    }

    private void startServer() {
        long began = System.nanoTime();
        running = ForkedJvm.start(
                TenonServer.class, "--data", data().toString(), "--port", String.valueOf(port.number()));
        server().nextLine(line -> line.startsWith("Tenon listens"), PATIENCE);
        if (connected == null) {
            Duration start = Duration.ofNanos(System.nanoTime() - began).multipliedBy(STARTS_IN_LEASE);
            lease = start.compareTo(LEASE_MIN) > 0 ? start : LEASE_MIN;
            connected = Clients.of("127.0.0.1:" + port.number());
        }
    }

    private ForkedJvm server() {
        return Objects.requireNonNull(running);
    }

    private TenonClient client() {
        return Objects.requireNonNull(connected);
    }

    /** Notes what was issued: a worker ID and a second belong to one holder. */
    private void note(String holder, long id) {
        long tick = id >>> SECONDS.sequenceBits();
        String before = issuedBy.putIfAbsent(tick, holder);
        if (before != null && !before.equals(holder)) {
            wrong.add("worker ID " + SECONDS.decode(id).workerId() + " in one second by " + before + " and " + holder);
        }
    }

    private WorkerId lease(String holder, boolean newStore) {
        WorkerId.Builder builder = WorkerId.builder(client().workerIds("orders"), SECONDS)
                .owner(holder)
                .leaseTime(lease)
                .whenForgotten(e -> told.add(holder));
        return newStore ? builder.newStore().lease() : builder.lease();
    }

    private Holder holder(String name, WorkerId worker) {
        Holder holder = new Holder(name, worker);
        holders.add(holder);
        return holder;
    }

    /** Issues all the time. */
    private final class Holder {
        private final WorkerId worker;
        private final Thread thread;
        private volatile boolean closed;
        private volatile long issued;

        Holder(String name, WorkerId worker) {
            this.worker = worker;
            SnowflakeGenerator generator = SnowflakeGenerator.create(SECONDS, worker);
            this.thread = new Thread(() -> {
                while (!closed) {
                    try {
                        note(name, generator.nextId());
                        issued++;
                    } catch (LeaseLostException e) {
                        // stopped in time
                    }
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        void close() {
            closed = true;
            worker.close();
        }
    }

    private void issueByServer(String when) {
        HttpNode.Answer answer = http.post("/v1/ids/orders/next?count=5", "");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        answer.json().path("ids").forEach(id -> note("server " + when, Long.parseLong(id.asString())));
    }

    private void define() {
        assertThat(http.call("PUT", "/v1/ids/orders", DEFINITION).status()).isBetween(200, 201);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void noWorkerIdIsUsedByTwo(Fault fault) throws Exception {
        startServer();
        define();
        issueByServer("before");
        Holder first = holder("first", lease("first", true));
        Path copy = parent.resolve("copy");
        server().pause();
        ServerData.copy(data(), copy);
        server().resume();
        Holder second = holder("second", lease("second", true));
        assertThat(List.of(first.worker.value(), second.worker.value())).containsExactly(0, 1);

        server().kill();
        server().awaitExit(PATIENCE);
        if (fault != Fault.RESTARTED) {
            Files.move(data(), parent.resolve("lost"));
        }
        if (fault == Fault.OLDER_COPY) {
            ServerData.copy(copy, data());
        }
        startServer();
        if (fault == Fault.EMPTIED) {
            define();
        }
        issueByServer("after"); // at once
        CompletableFuture<WorkerId> newcomer = CompletableFuture.supplyAsync(() -> lease("third", false));
        List<String> forgotten = switch (fault) {
            case RESTARTED -> List.of();
            case OLDER_COPY -> List.of("second");
            case EMPTIED -> List.of("first", "second");
        };
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).containsAll(forgotten));
        if (!forgotten.isEmpty()) {
            assertThat(http.fetch("/readyz")
                            .json()
                            .path("forgotten")
                            .path("orders")
                            .asString())
                    .contains("had forgotten that worker ID");
            assertThat(http.fetch("/metrics").text()).containsPattern("tenon_worker_ids_forgotten_total [1-9]");
        }
        Holder third = holder("third", newcomer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertThat(third.worker.value()).isEqualTo(2);
        issueByServer("after");
        long seen = first.issued;
        await().atMost(PATIENCE).until(() -> third.issued > 100 && first.issued > seen + 100);
        assertThat(wrong).isEmpty();
        assertThat(told.isEmpty()).isEqualTo(forgotten.isEmpty());
    }

    @Test
    void whoDoesNotWantToWaitIsToldForHowLong() {
        startServer();
        WorkerIdsForgottenException refusal = catchThrowableOfType(
                WorkerIdsForgottenException.class,
                () -> WorkerId.builder(client().workerIds("orders"), SECONDS)
                        .settlingMax(Duration.ZERO)
                        .lease());
        assertThat(refusal.retryAfter()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(31));
    }
}
