package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.client.HttpNode.Answer;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.testkit.AwakeTime;
import dev.tenon.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * How long nobody serves when the leader falls silent. The survivors are asked for numbers over HTTP, each every 25
 * milliseconds, whether or not it has answered; clients that used the leader go on to ask for a number, and for a lock,
 * until they have it. For one thread.
 */
final class Failover implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(25);
    /** In which nobody can be waiting for an election any more. */
    private static final Duration AFTER = Duration.ofMillis(300);

    /** What could not be given back while nobody answered holds up the others until then. */
    private static final LockOptions OPTIONS = LockOptions.DEFAULT.withLease(Duration.ofSeconds(10));

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ServerCluster cluster;
    private final Map<String, FaultProxy> fronts = new TreeMap<>();
    private int rounds;

    Failover(ServerCluster cluster) {
        this.cluster = cluster;
        ServerCluster.NAMES.forEach(name -> fronts.put(name, FaultProxy.to(cluster.front(name))));
        assertThat(cluster.client("n1")
                        .call("PUT", "/v1/ids/failover", "{\"kind\":\"sequence\"}")
                        .status())
                .isIn(200, 201);
    }

    /**
     * What came of one time that a leader fell silent. Times are from then on.
     *
     * @param survivors until each of the others had answered a request that was sent after it
     * @param refused what survivors answered to the rest; empty if every request was served
     * @param client until {@link TenonClient}s that used the leader had a number, a lock, and their turn in a queue
     * @param standstill in which the machine, or this process, had no processor to spare meanwhile
     */
    record Round(Duration survivors, List<String> refused, Duration client, Duration standstill) {}

    /** Has the leader fall silent, and come back. */
    Round run(LeaderFault fault) {
        while (true) {
            String leader = cluster.leader();
            try (Callers callers = new Callers(leader, "failover-" + rounds++)) {
                if (callers.areServed() && leader.equals(cluster.leader())) {
                    try {
                        return run(fault, leader, callers);
                    } finally {
                        fault.end(cluster, leader, fronts.get(leader));
                    }
                }
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                // A busy machine has elected another one meanwhile.
            }
        }
    }

    private Round run(LeaderFault fault, String leader, Callers callers) {
        List<HttpNode> others = ServerCluster.others(leader).stream()
                .map(name -> cluster.client(name, PATIENCE))
                .toList();
        others.forEach(node -> node.post("/v1/ids/failover/next", ""));
        fault.begin(cluster, leader, fronts.get(leader));
        AwakeTime awake = AwakeTime.start();
        long begun = System.nanoTime();
        CompletableFuture<Duration> number = served(begun, callers::number);
        CompletableFuture<Duration> lock = served(begun, callers::lock);
        CompletableFuture<Duration> turn = callers.turn().thenApply(lease -> since(begun));
        Survivors survivors = Survivors.ask(others, begun);
        Duration client = longer(longer(number.join(), lock.join()), turn.join());
        return new Round(
                survivors.served(), survivors.refused(), client, since(begun).minus(awake.elapsed()));
    }

    /**
     * Clients that use one server, as long as it serves, and one at another server that holds what the third waits for.
     */
    private final class Callers implements AutoCloseable {
        private final TenonClient numbers;
        private final TenonClient locks;
        private final TenonClient waits;
        private final TenonClient holds;
        private final String name;
        private final Lease held;
        private final CompletableFuture<Lease> waiting;

        Callers(String server, String name) {
            this.name = name;
            this.numbers = connect(server);
            this.locks = connect(server);
            this.waits = connect(server);
            this.holds = connect(ServerCluster.others(server).get(0));
            this.held = taken(holds, name + "-turn");
            this.waiting = waits.locks()
                    .lock(name + "-turn", OPTIONS)
                    .acquireAsync(PATIENCE)
                    .toCompletableFuture();
        }

        boolean areServed() {
            number();
            lock();
            await().atMost(PATIENCE)
                    .until(() -> holds.locks()
                                    .inspect(name + "-turn")
                                    .orElseThrow()
                                    .queue()
                                    .size()
                            == 1);
            return !waiting.isDone();
        }

        String number() {
            return numbers.ids("failover").next();
        }

        boolean lock() {
            taken(locks, name).closeAsync(); // of which the next one waits
            return true;
        }

        /** It is given back, and the one who waits has it in the end. */
        CompletableFuture<Lease> turn() {
            held.closeAsync();
            return waiting;
        }

        private static Lease taken(TenonClient client, String lock) {
            try {
                return client.locks().lock(lock, OPTIONS).tryAcquire(PATIENCE).orElseThrow();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            List.of(numbers, locks, waits, holds).forEach(TenonClient::close);
        }
    }

    private TenonClient connect(String first) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(ServerCluster.others(first));
        return TenonClient.connect(all.stream()
                .map(name -> "127.0.0.1:" + fronts.get(name).address().getPort())
                .collect(Collectors.joining(",")));
    }

    private static CompletableFuture<Duration> served(long begun, Callable<?> call) {
        CompletableFuture<Duration> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    while (!done.isDone()) {
                        try {
                            call.call();
                            done.complete(since(begun));
                        } catch (BackendUnavailableException | OutcomeUnknownException e) {
                            if (since(begun).compareTo(PATIENCE) > 0) {
                                done.completeExceptionally(e);
                            }
                        } catch (Exception e) {
                            done.completeExceptionally(e);
                        }
                    }
                },
                "failover-client");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    @Override
    public void close() {
        fronts.values().forEach(FaultProxy::close);
    }

    /** Those who are asked all the while. */
    private record Survivors(Duration served, List<String> refused) {
        /** A request, and when it was answered, whatever the answer. */
        private record Asked(HttpNode node, CompletableFuture<Duration> answered, CompletableFuture<Answer> answer) {}

        /** Until each has served, and a moment longer. */
        static Survivors ask(List<HttpNode> nodes, long begun) {
            List<Asked> all = new ArrayList<>();
            long next = begun;
            Duration served = null;
            while (served == null || since(begun).compareTo(served.plus(AFTER)) < 0) {
                for (HttpNode node : nodes) {
                    CompletableFuture<Answer> answer = node.send("POST", "/v1/ids/failover/next", "");
                    all.add(new Asked(node, answer.handle((a, e) -> since(begun)), answer));
                }
                next += EVERY.toNanos();
                LockSupport.parkNanos(next - System.nanoTime());
                served = served == null ? served(nodes, all) : served;
                if (served == null && since(begun).compareTo(PATIENCE) > 0) {
                    throw new AssertionError("nobody serves after " + PATIENCE);
                }
            }
            List<String> refused = all.stream()
                    .map(Asked::answer)
                    .map(answer -> answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .handle((a, e) -> e != null ? e.toString() : a.status() == 200 ? "" : a.text()))
                    .map(CompletableFuture::join)
                    .filter(text -> !text.isEmpty())
                    .toList();
            return new Survivors(served, refused);
        }

        private static Duration served(List<HttpNode> nodes, List<Asked> all) {
            Duration last = Duration.ZERO;
            for (HttpNode node : nodes) {
                Duration first = all.stream()
                        .filter(asked -> asked.node == node && asked.answered.isDone())
                        .filter(asked -> !asked.answer.isCompletedExceptionally()
                                && asked.answer.join().status() == 200)
                        .map(asked -> asked.answered.join())
                        .min(Duration::compareTo)
                        .orElse(null);
                if (first == null) {
                    return null;
                }
                last = longer(last, first);
            }
            return last;
        }
    }
}
