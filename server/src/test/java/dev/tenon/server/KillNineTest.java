package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The server is killed again and again while eight clients draw IDs and fight for locks. Whatever it had answered stays
 * true: no ID comes twice, no token goes back, no two clients hold a lock at a time.
 *
 * <p>Eight times here, to keep the test command short; {@code scripts/soak-server} does it 500 times. Two servers share
 * that, each with clients of its own, so that one starts while the other serves.
 */
class KillNineTest {
    private static final int SERVERS = 2;
    private static final int ROUNDS = (Integer.getInteger("tenon.kills", 4) + SERVERS - 1) / SERVERS;
    private static final int ID_CLIENTS = 4;
    private static final int LOCK_CLIENTS = 4;
    private static final int BATCH = 20;
    /** A server lives at least so long as to give so many answers, each of which must then stay true. */
    private static final int ANSWERS_LEAST = 30;
    /**
     * Between two calls of a client, which take about as long: half of them are under way when the server is killed.
     */
    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final List<String> NAMES = List.of("default", "seg", "seq");
    private static final List<String> LOCKS = List.of("a", "b");

    @TempDir
    private Path folder;

    private final Map<String, Set<String>> ids = new ConcurrentHashMap<>();
    private final Map<String, AtomicReference<String>> inside = new ConcurrentHashMap<>();
    private final Map<String, Long> lastToken = new ConcurrentHashMap<>();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicInteger locked = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final Gate up = new Gate();
    private final CountDownLatch over = new CountDownLatch(1);

    @RepeatedTest(SERVERS)
    @Execution(ExecutionMode.CONCURRENT)
    void nothingThatWasAnsweredIsTakenBack(RepetitionInfo which) throws InterruptedException {
        NAMES.forEach(n -> ids.put(n, ConcurrentHashMap.newKeySet()));
        LOCKS.forEach(l -> inside.put(l, new AtomicReference<>("")));
        Random random = new Random(which.getCurrentRepetition());
        int port = 0;
        List<Thread> clients = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            try (ServerProcess server = ServerProcess.start(folder, port)) {
                if (round == 0) {
                    port = server.port();
                    server.client().put("/v1/ids/seg", "{\"kind\":\"segment\",\"step\":100}");
                    server.client().put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
                    clients = startClients(server.client());
                }
                up.open();
                int before = answers.get();
                await().atMost(ServerProcess.START_LIMIT)
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> answers.get() >= before + ANSWERS_LEAST || !wrong.isEmpty());
                over.await(random.nextInt(300), TimeUnit.MILLISECONDS);
                up.shut();
                server.kill();
            }
            assertThat(wrong).as("round " + round).isEmpty();
        }
        try (ServerProcess last = ServerProcess.start(folder, port)) {
            over.countDown();
            up.open();
            for (Thread client : clients) {
                client.join(Duration.ofSeconds(60).toMillis());
            }
            assertThat(wrong).isEmpty();
            assertThat(last.client().next("default", 1)).hasSize(1);
        }
        assertThat(answers).hasValueGreaterThan(ROUNDS * ANSWERS_LEAST);
        NAMES.forEach(name -> assertThat(ids.get(name).size()).as(name).isGreaterThan(ROUNDS));
        assertThat(locked).hasValueGreaterThan(ROUNDS);
    }

    private List<Thread> startClients(TestClient client) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ID_CLIENTS; i++) {
            int number = i;
            threads.add(new Thread(() -> work(() -> drawIds(client, number)), "ids-" + i));
        }
        for (int i = 0; i < LOCK_CLIENTS; i++) {
            int number = i;
            String[] session = new String[] {""};
            threads.add(new Thread(
                    () -> work(() -> useLock(client, session, LOCKS.get(number % LOCKS.size()))), "locks-" + i));
        }
        threads.forEach(Thread::start);
        return threads;
    }

    private void work(Runnable once) {
        try {
            while (over.getCount() > 0 && wrong.isEmpty()) {
                once.run();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (RuntimeException | AssertionError e) {
            wrong.add(Thread.currentThread().getName() + ": " + e);
        }
    }

    private void drawIds(TestClient client, int number) {
        String name = NAMES.get(number % NAMES.size());
        Answer answer = answered(client, "/v1/ids/" + name + "/next?count=" + BATCH, "");
        if (answer.status() != 200) {
            return;
        }
        answer.json().path("ids").forEach(id -> {
            if (!ids.get(name).add(id.asString())) {
                wrong.add("ID " + id + " of " + name + " came twice");
            }
        });
    }

    private void useLock(TestClient client, String[] session, String lock) {
        if (session[0].isEmpty()) {
            Answer opened = answered(client, "/v1/sessions", "{\"ttl\":\"PT10M\"}");
            session[0] = opened.status() == 201 ? opened.json().path("id").asString() : "";
            return;
        }
        answered(client, "/v1/sessions/" + session[0] + "/keepalive", "");
        String body =
                "{\"session\":\"" + session[0] + "\",\"wait\":\"PT20S\",\"requestId\":\"" + UUID.randomUUID() + "\"}";
        Answer held = answered(client, "/v1/locks/" + lock + "/acquire", body);
        if (held.status() == 404) {
            session[0] = "";
        }
        if (held.status() != 200) {
            return;
        }
        long token = held.json().path("token").asLong();
        hold(lock, token);
        String release = "{\"session\":\"" + session[0] + "\",\"token\":" + token + "}";
        answered(client, "/v1/locks/" + lock + "/release", release);
    }

    private void hold(String lock, long token) {
        String me = Thread.currentThread().getName() + " under token " + token;
        String other = inside.get(lock).getAndSet(me);
        if (!other.isEmpty()) {
            wrong.add(lock + " is held by " + other + " and by " + me);
        }
        Long before = lastToken.put(lock, token);
        if (before != null && before >= token) {
            wrong.add("Token " + token + " of " + lock + " came after " + before);
        }
        locked.incrementAndGet();
        if (!inside.get(lock).compareAndSet(me, "")) {
            wrong.add(lock + " was taken from " + me);
        }
    }

    /** Lets clients through while the server is up: they are to load it, not the machine while it starts. */
    private static final class Gate {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition opened = lock.newCondition();
        private boolean open;

        void open() {
            lock.lock();
            try {
                open = true;
                opened.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void shut() {
            lock.lock();
            try {
                open = false;
            } finally {
                lock.unlock();
            }
        }

        void await() {
            lock.lock();
            try {
                while (!open) {
                    opened.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Repeats a request, the very same one, until somebody answers it for good. */
    private Answer answered(TestClient client, String path, String body) {
        while (true) {
            try {
                Answer answer = client.post(path, body);
                if (answer.status() != 503 && answer.status() != 504) {
                    answers.incrementAndGet();
                    return answer;
                }
            } catch (UncheckedIOException e) {
                // killed: it will be back
            }
            up.await();
        }
    }
}
