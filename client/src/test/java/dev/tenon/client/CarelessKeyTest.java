package dev.tenon.client;

import static dev.tenon.client.Sessions.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.server.TenonServer;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeyFile;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.RecordedEvents;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One key asks for far more of everything than it may have, on a heap of 256 MiB, beside a client with another key: it
 * is told which quota it has reached, the other is served as before, and what was taken is free again when the sessions
 * and transactions have ended. A hundredth of the numbers here; {@code scripts/soak-server --careless} has all of them.
 */
@Tag("soak")
class CarelessKeyTest {
    private static final int PERCENT = Integer.getInteger("tenon.careless.percent", 1);
    private static final int LOCKS = 10_000 * PERCENT;
    private static final int SESSIONS = 1_000 * PERCENT;
    private static final int DEFINITIONS = 1_000 * PERCENT;
    private static final int WAITERS = 100 * PERCENT;
    private static final int TRANSACTIONS = 1_000 * PERCENT;

    /** Of each, for one key: all of it together is less than the bytes that a key may take on this heap. */
    private static final int MOST = Math.min(100 * PERCENT, 2_000);

    private static final int THREADS = 32;
    private static final Duration LONG = Duration.ofMinutes(30);
    private static final Pattern LISTENS = Pattern.compile("Tenon listens on http://127\\.0\\.0\\.1:(\\d+) .*");
    private static final Pattern QUOTA = Pattern.compile("--max-[a-z-]+-per-key");

    @TempDir
    Path folder;

    private final ApiKey.Fresh careless = ApiKey.fresh(new SecureRandom());
    private final ApiKey.Fresh good = ApiKey.fresh(new SecureRandom());
    private final Map<String, AtomicInteger> refused = new ConcurrentHashMap<>();
    private final AtomicInteger others = new AtomicInteger();
    private int port;

    @Test
    void aKeyThatAsksForTooMuchOfEverythingIsRefusedAndTheOthersAreServed() throws Exception {
        Path keys = folder.resolve("keys.json");
        ApiKeyFile.change(keys, all -> List.of(key(careless, "careless"), key(good, "good")));
        List<String> arguments =
                new ArrayList<>(List.of("--data", folder.resolve("data").toString(), "--port", "0"));
        arguments.addAll(List.of("--api-keys", keys.toString(), "--rate-limit", "0"));
        for (String quota : List.of("locks", "sessions", "definitions", "transactions")) {
            arguments.addAll(List.of("--max-" + quota + "-per-key", String.valueOf(MOST)));
        }
        arguments.addAll(List.of("--max-waiters-per-key", String.valueOf(Math.min(WAITERS, MOST) / 2)));
        try (ForkedJvm server = ForkedJvm.start(
                TenonServer.class,
                List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
                arguments.toArray(String[]::new))) {
            Matcher listens =
                    LISTENS.matcher(server.nextLine(l -> l.startsWith("Tenon listens"), Duration.ofMinutes(3)));
            assertThat(listens.matches()).isTrue();
            port = Integer.parseInt(listens.group(1));
            run(server);
        }
    }

    private void run(ForkedJvm server) throws Exception {
        try (TenonClient mine = client(careless);
                TenonClient theirs = client(good)) {
            List<Long> quiet = Collections.synchronizedList(new ArrayList<>());
            List<Long> during = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 300; i++) {
                serveGoodClient(theirs, quiet);
            }
            long before = liveHeap(server);
            AtomicBoolean over = new AtomicBoolean();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
            var served = threads.submit(() -> {
                while (!over.get()) {
                    serveGoodClient(theirs, during);
                }
                return during.size();
            });
            long began = System.nanoTime();
            String session = Sessions.open(mine.lockStore());
            takeTooMuch(mine, session, threads);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            over.set(true);
            served.get(1, TimeUnit.MINUTES);
            assertThat(refused.keySet())
                    .contains(
                            "--max-locks-per-key",
                            "--max-sessions-per-key",
                            "--max-definitions-per-key",
                            "--max-waiters-per-key",
                            "--max-transactions-per-key");
            assertThat(others).as("other failures").hasValue(0);

            clear(mine, session, threads);
            threads.shutdown();
            await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
                for (String quota : List.of("locks", "waiters", "transactions")) {
                    assertThat(used(quota)).as(quota).isLessThanOrEqualTo(1);
                }
            });
            long after = liveHeap(server);
            System.out.printf(
                    "careless: %s, refused %s; p99 quiet %.1f ms, during %.1f ms of %d; heap %d MiB before, %d after%n",
                    took, new TreeMap<>(refused), p99(quiet), p99(during), during.size(), before >> 20, after >> 20);
            assertThat(after - before).as("bytes more in use").isLessThan(48 << 20);
            assertThat(during).isNotEmpty();
        }
    }

    private void takeTooMuch(TenonClient mine, String session, ExecutorService threads) throws Exception {
        LockStore store = mine.lockStore();
        each(threads, SESSIONS, i -> join(store.open(new SessionSpec("s" + i, "c", LONG), new RecordedEvents())));
        join(store.acquire(acquire("door", session, Duration.ZERO)));
        each(threads, WAITERS, i -> join(store.acquire(acquire("door", session, LONG))));
        each(threads, LOCKS, i -> join(store.acquire(acquire("n" + i, session, Duration.ZERO))));
        each(threads, DEFINITIONS, i -> mine.definitions().putIfAbsent("d" + i, "{\"kind\":\"uuid\"}"));
        TransactionStore log = mine.transactions();
        each(threads, TRANSACTIONS, i -> log.begin(draft("t" + i), Optional.of("me"), LONG));
    }

    private static Acquire acquire(String name, String session, Duration wait) {
        return Sessions.wish(name, session, wait);
    }

    /** Every call, many at a time; what is refused for a quota is counted by its option. */
    private void each(ExecutorService threads, int count, IntConsumer call) throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<java.util.concurrent.Future<?>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            all.add(threads.submit(() -> {
                for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                    try {
                        call.accept(i);
                    } catch (RuntimeException e) {
                        Matcher quota = QUOTA.matcher(String.valueOf(e.getMessage()));
                        if (quota.find()) {
                            refused.computeIfAbsent(quota.group(), q -> new AtomicInteger())
                                    .incrementAndGet();
                        } else {
                            others.incrementAndGet();
                            e.printStackTrace();
                        }
                    }
                }
            }));
        }
        for (var one : all) {
            one.get(1, TimeUnit.HOURS);
        }
    }

    private void clear(TenonClient mine, String session, ExecutorService threads) throws Exception {
        LockStore store = mine.lockStore();
        join(store.closeSession(session));
        each(threads, SESSIONS, i -> join(store.closeSession("s" + i)));
        TransactionStore log = mine.transactions();
        each(
                threads,
                TRANSACTIONS,
                i -> log.find(new TransactionId("t" + i)).ifPresent(tx -> {
                    TransactionRecord aborting = log.update(tx, tx.in(TransactionState.ABORTING), List.of())
                            .orElseThrow();
                    log.update(aborting, aborting.in(TransactionState.ABORTED), List.of())
                            .orElseThrow();
                }));
    }

    private static TransactionDraft draft(String gid) {
        return new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.SAGA,
                "careless",
                "",
                "p".repeat(500),
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of());
    }

    private static void serveGoodClient(TenonClient client, List<Long> nanos) throws InterruptedException {
        long began = System.nanoTime();
        try (Lease lease = client.locks().lock("good").acquire(Clients.PATIENCE)) {
            assertThat(lease.token()).isPositive();
        }
        nanos.add(System.nanoTime() - began);
    }

    private static double p99(List<Long> nanos) {
        List<Long> sorted = new ArrayList<>(nanos);
        Collections.sort(sorted);
        return sorted.get((sorted.size() - 1) * 99 / 100) / 1e6;
    }

    private double used(String quota) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .header("Authorization", "Bearer " + good.text())
                .build();
        String text = HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofString())
                .body();
        Matcher sample = Pattern.compile("tenon_quota_used\\{quota=\"" + quota + "\"} ([0-9.E]+)")
                .matcher(text);
        assertThat(sample.find()).as(text).isTrue();
        return Double.parseDouble(sample.group(1));
    }

    /** Bytes in use after a full collection. */
    private static long liveHeap(ForkedJvm server) throws Exception {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        String pid = String.valueOf(server.pid());
        new ProcessBuilder(jcmd, pid, "GC.run").inheritIO().start().waitFor();
        Process info = new ProcessBuilder(jcmd, pid, "GC.heap_info").start();
        String text = new String(info.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Matcher used = Pattern.compile("(?:heap|generation)[^\\n]*used (\\d+)K").matcher(text);
        long sum = 0;
        while (used.find()) {
            sum += Long.parseLong(used.group(1)) << 10;
        }
        assertThat(sum).as(text).isPositive();
        return sum;
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name) {
        ApiKey.Proof proof = new ApiKey.Proof.Secret(fresh.sha256());
        Set<Scope> all = Set.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS);
        return new ApiKey(fresh.id(), name, Right.ADMIN, all, List.of(""), proof, Instant.now(), "t");
    }

    private TenonClient client(ApiKey.Fresh key) {
        return TenonClient.connect(ClientOptions.of("127.0.0.1:" + port)
                .withCallTimeout(Clients.PATIENCE)
                .withApiKey(key.text()));
    }
}
