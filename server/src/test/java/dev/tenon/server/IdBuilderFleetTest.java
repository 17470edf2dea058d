package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.builder.IdBuilder;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The ID-builder service as it is run: several servers on one database, behind nginx, while things die. */
@Tag("soak")
class IdBuilderFleetTest {
    private static final int CLIENTS = 8;
    private static final List<String> CALLS =
            List.of("increase-id", "increase-seq-id", "increase-id-str", "increase-seq-id-str");
    private static final Pattern TEXT = Pattern.compile("c(\\d)_(\\d{4})(\\d+)");
    /** For how long at its peak a service takes no more than is at hand. */
    private static final Duration PROMISED = Duration.ofSeconds(60);
    /** A third of it, in which as much is taken. */
    private static final int HURRY = 3;

    private static final Duration OUTAGE = PROMISED.dividedBy(HURRY);

    /** What came back: every number must be new to its code, and every answer an ID. */
    private static final class Answers {
        private final Map<Integer, Set<Long>> numbers = new ConcurrentHashMap<>();
        private final Set<Integer> machines = ConcurrentHashMap.newKeySet();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private final AtomicInteger count = new AtomicInteger();

        void take(String call, int code, int status, String body) {
            count.incrementAndGet();
            Matcher text = TEXT.matcher(body);
            long number;
            if (status != 200) {
                wrong.add(call + " " + code + ": " + status + " " + body);
                return;
            } else if (text.matches()) {
                machines.add(Integer.valueOf(text.group(2)));
                number = Long.parseLong(text.group(3));
            } else {
                number = Long.parseLong(body);
            }
            boolean textWanted = call.endsWith("-str");
            if (textWanted != text.matches() || textWanted && !text.group(1).equals(String.valueOf(code))) {
                wrong.add(call + " " + code + ": not in its form: " + body);
            }
            if (!numbers.computeIfAbsent(code, c -> ConcurrentHashMap.newKeySet())
                    .add(number)) {
                wrong.add(call + " " + code + ": issued twice: " + body);
            }
        }

        int issued() {
            return numbers.values().stream().mapToInt(Set::size).sum();
        }
    }

    private static String path(String call, int code) {
        return "/id-builder/" + call + "?code=" + code;
    }

    /** Clients that ask all four calls of codes 1 and 2, until told to stop; {@code meanwhile} runs beside them. */
    private static Answers ask(TestClient client, int each, Runnable meanwhile) throws Exception {
        Answers answers = new Answers();
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        CountDownLatch third = new CountDownLatch(CLIENTS * each / 3);
        try {
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int thread = 0; thread < CLIENTS; thread++) {
                int from = thread;
                done.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = from; i < from + each; i++) {
                                String call = CALLS.get(i % 4);
                                int code = 1 + i / 4 % 2;
                                Answer answer = client.fetch(path(call, code));
                                answers.take(call, code, answer.status(), answer.text());
                                third.countDown();
                            }
                        },
                        pool));
            }
            third.await();
            meanwhile.run();
            CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0])).get();
        } finally {
            pool.shutdownNow();
        }
        return answers;
    }

    private static void define(IdBuilderFleet fleet) throws Exception {
        fleet.define(1, 0, 50, "c1_");
        fleet.define(2, 5_000_000_000L, 70, "c2_");
    }

    @Test
    void aServerOnMariaDbDiesAndNoRequestFailsAndNoIdComesTwice() throws Exception {
        try (MariaDbServer database = MariaDbServer.start()) {
            noRequestFailsAndNoIdComesTwice(database, database.address());
        }
    }

    @Test
    void aServerOnMySqlDiesAndNoRequestFailsAndNoIdComesTwice() throws Exception {
        try (MySqlServer database = MySqlServer.start()) {
            noRequestFailsAndNoIdComesTwice(database, database.address());
        }
    }

    private static void noRequestFailsAndNoIdComesTwice(TestServer database, SqlAddress address) throws Exception {
        try (IdBuilderFleet fleet = IdBuilderFleet.start(address.newDatabase(), 3)) {
            define(fleet);
            Answers before = ask(fleet.client(), 250, () -> fleet.kill(1));
            assertThat(before.wrong).as(fleet.log()).isEmpty();
            assertThat(before.issued()).isEqualTo(CLIENTS * 250);
            assertThat(before.machines).containsExactlyInAnyOrder(1001, 1002, 1003);
            fleet.restart(1);
            outlivesAnOutage(fleet, database);
        }
    }

    /** What is at hand when the database goes is little more than 15 % of a segment in each server. */
    private static void outlivesAnOutage(IdBuilderFleet fleet, TestServer database) throws Exception {
        int peak = 5;
        int step = IdBuilder.stepForPeak(peak);
        fleet.define(3, 1, step, "c3_");
        fleet.define(4, 1, step, "c4_");
        Answers answers = new Answers();
        useUp(fleet, step * 84 / 100, answers);
        long taken = fleet.size() * (long) step;
        assertThat(fleet.threshold(3)).isEqualTo(1 + taken);
        assertThat(fleet.threshold(4)).isEqualTo(1 + taken);

        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        AtomicInteger sent = new AtomicInteger();
        AtomicBoolean back = new AtomicBoolean();
        int promised = (int) PROMISED.toSeconds() * 2 * peak;
        try {
            // No more than was promised, even if this machine stands still for a while and the clock makes up for it.
            clock.scheduleAtFixedRate(
                    () -> {
                        if (sent.get() < promised || back.get()) {
                            send(fleet.client(), sent.getAndIncrement(), answers);
                        }
                    },
                    0,
                    TimeUnit.SECONDS.toNanos(1) / (2 * peak * HURRY),
                    TimeUnit.NANOSECONDS);
            database.pause(); // first it hangs …
            await().atMost(OUTAGE.multipliedBy(2)).until(() -> sent.get() >= promised / 2);
            database.kill(); // … and then it is gone
            await().atMost(OUTAGE.multipliedBy(2)).until(() -> sent.get() == promised);
            assertThat(answers.wrong).as(fleet.log()).isEmpty();
            database.restart();
            back.set(true);
            await().atMost(PROMISED)
                    .until(() -> fleet.threshold(3) >= 1 + 2 * taken && fleet.threshold(4) >= 1 + 2 * taken);
        } finally {
            clock.shutdown();
        }
        assertThat(clock.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        await().until(() -> answers.count.get() == fleet.size() * 2 * (step * 84 / 100) + sent.get());
        assertThat(answers.wrong).as(fleet.log()).isEmpty();
        assertThat(answers.issued()).isEqualTo(answers.count.get());
        assertThat(sent.get()).isGreaterThan(promised);
    }

    private static void send(TestClient client, int number, Answers answers) {
        int code = 3 + number % 2;
        String call = (code == 3 ? "increase-seq-id" : "increase-id") + (number % 4 < 2 ? "" : "-str");
        client.send("GET", path(call, code), "").whenComplete((answer, failure) -> {
            if (failure == null) {
                answers.take(call, code, answer.statusCode(), answer.body());
            } else {
                answers.take(call, code, 0, failure.toString());
            }
        });
    }

    /** Takes so many numbers of codes 3 and 4 from each server. */
    private static void useUp(IdBuilderFleet fleet, int each, Answers answers) throws Exception {
        List<CompletableFuture<Void>> done = new ArrayList<>();
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            for (int server = 0; server < fleet.size(); server++) {
                TestClient client = fleet.client(server);
                for (int code = 3; code <= 4; code++) {
                    String call = code == 3 ? "increase-seq-id" : "increase-id";
                    AtomicInteger left = new AtomicInteger(each);
                    int asked = code;
                    for (int thread = 0; thread < 3; thread++) {
                        done.add(CompletableFuture.runAsync(
                                () -> {
                                    while (left.getAndDecrement() > 0) {
                                        Answer answer = client.fetch(path(call, asked));
                                        answers.take(call, asked, answer.status(), answer.text());
                                    }
                                },
                                pool));
                    }
                }
            }
            CompletableFuture.allOf(done.toArray(new CompletableFuture<?>[0])).get();
        } finally {
            pool.shutdownNow();
        }
    }

    private static void aCodeThatCannotBeServedHarmsNoOther(IdBuilderFleet fleet) throws Exception {
        fleet.define(5, 1, 0, "c5_");
        for (int i = 0; i < 10; i++) {
            assertThat(fleet.client().fetch(path("increase-id", 5)).problem()).isEqualTo("ids-unavailable");
            assertThat(fleet.client().fetch(path("increase-id", 1)).status()).isEqualTo(200);
        }
    }

    @Test
    void aServerOnPostgreSqlDiesAndNoRequestFailsAndNoIdComesTwice() throws Exception {
        try (IdBuilderFleet fleet = IdBuilderFleet.start(PostgresServer.shared().newDatabase(), 2)) {
            define(fleet);
            aCodeThatCannotBeServedHarmsNoOther(fleet);
            Answers answers = ask(fleet.client(), 100, () -> fleet.kill(0));
            assertThat(answers.wrong).as(fleet.log()).isEmpty();
            assertThat(answers.issued()).isEqualTo(CLIENTS * 100);
            assertThat(answers.machines).containsExactlyInAnyOrder(1001, 1002);
        }
    }
}
