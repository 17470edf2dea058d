package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.HoldModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Clients that draw IDs, define names and fight for locks at all nodes of a cluster, half of them over HTTP and half through a
 * {@link TenonClient}, and hold it to what it has answered: no ID comes twice, a sequence only goes up, no definition is
 * forgotten, and what happened to each lock, for which both ways fight, is possible for one lock with fencing tokens
 * (linearizability).
 */
final class ClusterLoad implements AutoCloseable {
    private static final List<String> NAMES = List.of("default", "seg", "seq");
    private static final List<String> LOCKS = List.of("a", "b");
    private static final int BATCH = 20;
    private static final Duration ATTEMPT = Duration.ofSeconds(4);
    /** Between two calls of a client: a load that leaves the machine time to start servers and to elect leaders. */
    private static final Duration PAUSE = Duration.ofMillis(Integer.getInteger("tenon.cluster.pause", 250));

    private final Map<String, Set<String>> ids = new ConcurrentHashMap<>();
    private final AtomicLong greatest = new AtomicLong();
    private final Set<String> defined = ConcurrentHashMap.newKeySet();
    private final History history = new History();
    private final AtomicInteger answers = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final List<Thread> callers = new ArrayList<>();
    private final List<TenonClient> clients = new ArrayList<>();
    private final ServerCluster cluster;
    private final Duration patience;
    private volatile boolean over;

    private ClusterLoad(ServerCluster cluster, Duration patience) {
        this.cluster = cluster;
        this.patience = patience;
    }

    /**
     * Begins. All nodes must be ready.
     *
     * @param patience how long a client may be without an answer; then something is wrong
     */
    static ClusterLoad start(ServerCluster cluster, Duration patience) {
        ClusterLoad load = new ClusterLoad(cluster, patience);
        NAMES.forEach(name -> load.ids.put(name, ConcurrentHashMap.newKeySet()));
        ClusterCaller first = load.overHttp(0);
        first.define("seg", "{\"kind\":\"segment\",\"step\":100}");
        first.define("seq", "{\"kind\":\"sequence\"}");
        TenonClient shared = load.connect("n2");
        for (int i = 0; i < NAMES.size(); i++) {
            String name = NAMES.get(i);
            List<ClusterCaller> ways = List.of(load.overHttp(i), load.through(shared));
            AtomicInteger turn = new AtomicInteger(i);
            load.run("ids-" + name, () -> load.drawIds(ways.get(turn.getAndIncrement() % 2), name));
        }
        List<ClusterCaller> definers = List.of(load.overHttp(1), load.through(shared));
        load.run("defines", () -> load.define(definers.get(load.defined.size() % 2)));
        for (String lock : LOCKS) {
            load.useLock(lock, load.overHttp(LOCKS.indexOf(lock)), "http-" + lock);
            load.useLock(lock, load.through(lock.equals("a") ? shared : load.connect("n3")), "client-" + lock);
        }
        return load;
    }

    private ClusterCaller overHttp(int first) {
        return new ClusterClient(cluster.httpPorts(), first, ATTEMPT, patience);
    }

    private ClusterCaller through(TenonClient client) {
        return new ClusterGrpcClient(client, patience);
    }

    private TenonClient connect(String first) {
        ClientOptions options = ClientOptions.of(cluster.addresses(first)).withCallTimeout(ATTEMPT);
        TenonClient client = await().atMost(ServerCluster.PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class) // on a busy machine
                .until(() -> TenonClient.connect(options), connected -> true);
        clients.add(client);
        return client;
    }

    private void useLock(String lock, ClusterCaller caller, String user) {
        Runnable once = caller.lockUser(lock, user, new ClusterCaller.Told(history, answers::incrementAndGet));
        run(user, once);
    }

    private void run(String name, Runnable once) {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (!over && wrong.isEmpty()) {
                            once.run();
                            LockSupport.parkNanos(PAUSE.toNanos());
                        }
                    } catch (RuntimeException | AssertionError e) {
                        wrong.add(name + ": " + e);
                    }
                },
                name);
        callers.add(thread);
        thread.start();
    }

    /** Waits until so many more calls were answered. */
    void awaitAnswers(int more) {
        int before = answers.get();
        try {
            await().atMost(ServerCluster.PATIENCE)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> answers.get() >= before + more || !wrong.isEmpty());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("only " + (answers.get() - before) + " answers", e);
        }
        assertThat(wrong).isEmpty();
    }

    /** Ends it, and checks all that was answered. */
    void check() {
        awaitHolds();
        end();
        try {
            assertThat(wrong).isEmpty();
            ClusterCaller http = overHttp(0);
            ClusterCaller client = through(clients.get(0));
            for (String name : defined) {
                // Each is asked for in the way that did not define it.
                (name.charAt(name.length() - 1) % 2 == 0 ? client : http).mustKnow(name);
            }
            NAMES.forEach(name -> assertThat(ids.get(name)).as(name).isNotEmpty());
            assertThat(defined).isNotEmpty();
            history.mustBePossible(new HoldModel());
        } finally {
            close();
        }
    }

    /** Waits until each user of a lock has held it. */
    private void awaitHolds() {
        for (String lock : LOCKS) {
            for (String way : List.of("http-", "client-")) {
                await(way + lock)
                        .atMost(ServerCluster.PATIENCE)
                        .until(() -> hasHeld(lock, way + lock) || !wrong.isEmpty());
            }
        }
    }

    private boolean hasHeld(String lock, String user) {
        return history.byLock().getOrDefault(lock, List.of()).stream()
                .anyMatch(operation -> operation.process().equals(user));
    }

    private void end() {
        over = true;
        try {
            for (Thread caller : callers) {
                caller.join(patience.multipliedBy(2).toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        end();
        clients.forEach(TenonClient::close);
    }

    private void drawIds(ClusterCaller caller, String name) {
        long floor = greatest.get();
        List<String> drawn = caller.next(name, BATCH);
        answers.incrementAndGet();
        for (String id : drawn) {
            if (!ids.get(name).add(id)) {
                wrong.add("ID " + id + " of " + name + " came twice");
            }
            if (name.equals("seq")) {
                long number = Long.parseLong(id);
                if (number <= floor) {
                    wrong.add("Sequence number " + number + " came after " + floor);
                }
                greatest.accumulateAndGet(number, Math::max);
            }
        }
    }

    private void define(ClusterCaller caller) {
        String name = "made-" + defined.size();
        caller.define(name, "{\"kind\":\"segment\"}");
        answers.incrementAndGet();
        defined.add(name);
        drawIds(caller, "default");
    }
}
