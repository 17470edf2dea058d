package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.HoldModel;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.RegisterModel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Clients that draw IDs, define names and fight for locks at all nodes of a cluster, half of them over HTTP and half
 * through a {@link TenonClient}, and hold it to what it has answered: no ID comes twice, a sequence only goes up, no
 * definition is forgotten, and what happened to each lock, for which both ways fight, and who was seen to hold it, is
 * possible for one lock with fencing tokens (linearizability); so is what was written to a register and read of it.
 */
final class ClusterLoad implements AutoCloseable {
    private static final List<String> NAMES = List.of("default", "seg", "seq");
    private static final int BATCH = 20;
    private static final Duration ATTEMPT = Duration.ofSeconds(4);
    /** Between two calls of a client: a load that leaves the machine time to start servers and to elect leaders. */
    private static final Duration PAUSE = Duration.ofMillis(Integer.getInteger("tenon.cluster.pause", 500));

    private final Map<String, Set<String>> ids = new ConcurrentHashMap<>();
    private final AtomicLong greatest = new AtomicLong();
    private final Set<String> defined = ConcurrentHashMap.newKeySet();
    /** Those of this load: what another one has left says nothing of them. */
    private final String own = UUID.randomUUID().toString().substring(0, 8);

    private final List<String> locks = List.of("a-" + own, "b-" + own);
    private final String register = "register-" + own;
    private final History history = new History();
    private final History registers = new History();
    private final Map<String, Queue<Long>> vain = new ConcurrentHashMap<>();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicLong answeredNanos = new AtomicLong();
    private final AtomicLong silenceNanos = new AtomicLong();
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
        load.answeredNanos.set(System.nanoTime());
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
        TenonClient other = load.connect("n3");
        for (int i = 0; i < load.locks.size(); i++) {
            String lock = load.locks.get(i);
            load.useLock(lock, load.overHttp(i), "http-" + lock);
            load.useLock(lock, load.through(i == 0 ? shared : other), "client-" + lock);
            ClusterCaller reader = i == 0 ? load.overHttp(2) : load.through(shared);
            load.run("reads-" + lock, reader.lockReader(lock, "reader-" + lock, load.told()));
        }
        await().atMost(ServerCluster.PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class) // on a busy machine; a beginning may be repeated
                .until(() -> RegisterUser.make(shared.transactions(), load.register), begun -> true);
        load.useRegister(shared, "one");
        load.useRegister(other, "two");
        return load;
    }

    private void useRegister(TenonClient client, String name) {
        RegisterUser user = new RegisterUser(client.transactions(), register, name, registers, patience);
        run("register-" + name, () -> {
            if (user.runOnce()) {
                answered();
            }
        });
    }

    private ClusterCaller.Told told() {
        return new ClusterCaller.Told(history, vain, this::answered);
    }

    private void answered() {
        answers.incrementAndGet();
        long now = System.nanoTime();
        long before = answeredNanos.getAndSet(now);
        silenceNanos.accumulateAndGet(now - before, Math::max);
    }

    /** The longest time in which nobody had an answer, since this was last asked. */
    Duration longestSilence() {
        return Duration.ofNanos(silenceNanos.getAndSet(0));
    }

    /** One of the clients that it uses. */
    TenonClient client() {
        return clients.get(0);
    }

    /** How many calls were answered. */
    int answers() {
        return answers.get();
    }

    /** What there is to be checked, for people. */
    String counts() {
        return ids.values().stream().mapToInt(Set::size).sum() + " IDs, " + defined.size() + " definitions, "
                + history.byLock().values().stream().mapToInt(List::size).sum() + " events of locks ("
                + history.grants() + " holds), "
                + registers.byLock().values().stream().mapToInt(List::size).sum() + " of registers";
    }

    private ClusterCaller overHttp(int first) {
        return new ClusterClient(cluster.clients(ATTEMPT), first, patience);
    }

    private ClusterCaller through(TenonClient client) {
        return new ClusterGrpcClient(client, patience);
    }

    private TenonClient connect(String first) {
        ClientOptions options = cluster.clientOptions(first).withCallTimeout(ATTEMPT);
        TenonClient client = await().atMost(ServerCluster.PATIENCE)
                .ignoreExceptionsInstanceOf(TenonException.class) // on a busy machine
                .until(() -> TenonClient.connect(options), connected -> true);
        clients.add(client);
        return client;
    }

    private void useLock(String lock, ClusterCaller caller, String user) {
        run(user, caller.lockUser(lock, user, told()));
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
            Map<String, List<Operation>> byLock = history.byLock();
            byLock.forEach(
                    (lock, all) -> UntoldHolds.addTo(history, lock, all, vain.getOrDefault(lock, new ArrayDeque<>())));
            history.mustBePossible(new HoldModel());
            registers.mustBePossible(new RegisterModel(RegisterUser.FIRST_VERSION));
        } finally {
            close();
        }
    }

    /** Waits until each user of a lock has held it. */
    private void awaitHolds() {
        for (String lock : locks) {
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
        answered();
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
        answered();
        defined.add(name);
        drawIds(caller, "default");
    }
}
