package dev.tenon.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.ManualClock;
import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.redis.RedisBackend;
import dev.tenon.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The spin lock: its time limit, its pauses, and the load that it makes, beside that of a lock which is handed over.
 */
class SpinLockRecipesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST = Duration.ofMillis(10);
    private static final Duration LAST = Duration.ofMillis(160);
    private static final int SPINS = 500;

    @Test
    void itTriesWithinItsTimeLimitAndOnceAtItsEnd() throws Exception {
        ManualClock clock = new ManualClock(Instant.EPOCH);
        AtomicInteger attempts = new AtomicInteger();
        SpinLock lock = new SpinLock(clock, attempt -> {
            clock.advance(Duration.ofMillis(10));
            return Duration.ZERO;
        });
        assertThat(lock.tryLock(() -> attempts.incrementAndGet() < 0, Duration.ofMillis(100)))
                .isFalse();
        assertThat(attempts).hasValue(11);
        assertThat(lock.tryLock(() -> attempts.incrementAndGet() == 15, Duration.ofMillis(100)))
                .isTrue();
        assertThat(lock.tryLock(() -> false, Duration.ZERO)).isFalse();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(() -> false, PATIENCE)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void withoutJitterAllWaitersComeBackAtTheSameMoments() {
        Pauses exact = Pauses.backOff(FIRST, LAST, Pauses.noJitter());
        Pauses another = Pauses.backOff(FIRST, LAST, Pauses.noJitter());
        assertThat(pausesOf(exact)).isEqualTo(pausesOf(another));
        assertThat(pausesOf(exact)).extracting(Duration::toMillis).startsWith(10L, 20L, 40L, 80L, 160L, 160L);

        Pauses jittered = Pauses.backOff(FIRST, LAST, Pauses.jitter());
        List<Duration> one = pausesOf(jittered);
        assertThat(one).isNotEqualTo(pausesOf(jittered));
        for (int i = 0; i < one.size(); i++) {
            Duration whole = exact.after(i + 1);
            assertThat(one.get(i)).isBetween(whole.dividedBy(2), whole);
        }
    }

    private static List<Duration> pausesOf(Pauses pauses) {
        return IntStream.rangeClosed(1, 20).mapToObj(pauses::after).toList();
    }

    @Test
    void waitersThatSpinLoadRedisAndThoseThatAreHandedTheLockDoNot() throws Exception {
        RedisClient client = RedisClient.create();
        try (RedisServer server = RedisServer.start();
                StatefulRedisConnection<String, String> connection = client.connect(
                        io.lettuce.core.RedisURI.create(server.address().uri()));
                RedisBackend here = PatientRedis.connect(server.address().uri());
                RedisBackend there = PatientRedis.connect(server.address().uri())) {
            Lease lease = here.locks().lock("pushed").acquire(PATIENCE);
            CompletableFuture<Lease> handed = there.locks()
                    .lock("pushed")
                    .acquireAsync(PATIENCE.multipliedBy(4))
                    .toCompletableFuture();
            await().atMost(PATIENCE)
                    .until(() ->
                            here.locks().inspect("pushed").orElseThrow().queue().size() == 1);
            server.address().command("CONFIG", "RESETSTAT");

            OwnedRedisLock lock = new OwnedRedisLock(connection.sync(), Duration.ofHours(1));
            assertThat(lock.tryLock("spun")).isTrue();
            AtomicBoolean free = new AtomicBoolean();
            long start = System.nanoTime();
            BooleanSupplier attempt = () -> lock.tryLock("spun") || free.get();
            Spinner busy = Spinner.start(TimeSource.system(), attempt, Pauses.none());
            Spinner polite = Spinner.start(TimeSource.system(), attempt, Pauses.backOff(FIRST, LAST, Pauses.jitter()));
            await().atMost(PATIENCE.multipliedBy(2)).until(() -> busy.attempts.get() >= SPINS);
            long handOverScripts = calls(server, "evalsha");
            free.set(true);
            busy.done.get(60, TimeUnit.SECONDS);
            polite.done.get(60, TimeUnit.SECONDS);
            Duration spun = Duration.ofNanos(System.nanoTime() - start);

            assertThat(busy.attempts).hasValueGreaterThanOrEqualTo(SPINS);
            assertThat(polite.attempts.get()).as("attempts in %s", spun).isLessThanOrEqualTo((int)
                    (8 + spun.toMillis() / (LAST.toMillis() / 2)));
            assertThat(calls(server, "set")).isGreaterThanOrEqualTo(SPINS);
            assertThat(handOverScripts)
                    .as("renewals at most; the waiter asks nothing")
                    .isLessThanOrEqualTo(1 + spun.toSeconds());
            lease.close();
            handed.get(60, TimeUnit.SECONDS).close();
            assertThat(calls(server, "evalsha")).as("these are its commands").isGreaterThan(handOverScripts);
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void whoPausesLeavesTheLockToALateComer() throws Exception {
        RedisClient client = RedisClient.create();
        String uri = RedisServer.shared().uri();
        ManualClock clock = new ManualClock(Instant.EPOCH);
        try (StatefulRedisConnection<String, String> connection = client.connect(io.lettuce.core.RedisURI.create(uri));
                RedisBackend here = PatientRedis.connect(uri);
                RedisBackend there = PatientRedis.connect(uri)) {
            OwnedRedisLock holder = new OwnedRedisLock(connection.sync(), PATIENCE.multipliedBy(10));
            OwnedRedisLock lateComer = new OwnedRedisLock(connection.sync(), PATIENCE.multipliedBy(10));
            assertThat(holder.tryLock("spun")).isTrue();
            Spinner waiter = Spinner.start(clock, () -> lateComer.tryLock("spun"), attempts -> FIRST);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(waiter.attempts).hasValue(1));
            holder.unlock("spun");
            assertThat(new OwnedRedisLock(connection.sync(), PATIENCE.multipliedBy(10)).tryLock("spun"))
                    .as("free, and the waiter does not know")
                    .isTrue();
            await().atMost(PATIENCE).until(() -> {
                clock.advance(FIRST);
                return waiter.attempts.get() >= 2;
            });
            assertThat(waiter.done).as("it was overtaken").isNotDone();
            waiter.stop();

            Lease lease = here.locks().lock("pushed").acquire(PATIENCE);
            CompletableFuture<Lease> queued =
                    there.locks().lock("pushed").acquireAsync(PATIENCE).toCompletableFuture();
            await().atMost(PATIENCE)
                    .until(() ->
                            here.locks().inspect("pushed").orElseThrow().queue().size() == 1);
            lease.close();
            assertThat(here.locks().lock("pushed").tryAcquire())
                    .as("a late comer")
                    .isEmpty();
            queued.get(60, TimeUnit.SECONDS).close();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    /** How often Redis has run a command since its counters were reset. */
    private static long calls(RedisServer server, String command) {
        return Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
                .matcher(server.address().command("INFO", "commandstats"))
                .results()
                .map(MatchResult::group)
                .map(found -> found.substring(found.indexOf('=') + 1))
                .mapToLong(Long::parseLong)
                .sum();
    }

    /** A waiter with these pauses, for two minutes at most. */
    private record Spinner(AtomicInteger attempts, CompletableFuture<Boolean> done, Thread thread) {
        static Spinner start(TimeSource time, BooleanSupplier attempt, Pauses pauses) {
            AtomicInteger attempts = new AtomicInteger();
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            BooleanSupplier counted = () -> {
                boolean got = attempt.getAsBoolean();
                attempts.incrementAndGet();
                return got;
            };
            Thread thread = new Thread(
                    () -> {
                        try {
                            done.complete(new SpinLock(time, pauses).tryLock(counted, PATIENCE.multipliedBy(4)));
                        } catch (InterruptedException | RuntimeException e) {
                            done.completeExceptionally(e);
                        }
                    },
                    "tenon-test-spinner");
            thread.setDaemon(true);
            thread.start();
            return new Spinner(attempts, done, thread);
        }

        void stop() {
            thread.interrupt();
            assertThat(done).failsWithin(PATIENCE);
        }
    }
}
