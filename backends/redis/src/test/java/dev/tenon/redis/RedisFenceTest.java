package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tenon.lock.StaleTokenException;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisFenceTest {
    private final RedisAddress address = RedisServer.shared();
    private final RedisBackend here = PatientRedis.connect(address.uri());
    private final RedisBackend there = PatientRedis.connect(address.uri());
    private final RedisFence fence = here.fence();
    private final String shelf = "shelf:" + UUID.randomUUID();

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    /** Also where doubles can't tell neighbours apart, and where the number of digits changes. */
    @ParameterizedTest
    @ValueSource(longs = {2, 10, 34, 1L << 53, (1L << 53) + 1, 1_000_000_000_000_000_000L, Long.MAX_VALUE})
    void anOldTokenIsRefusedAndWritesNothing(long token) {
        fence.set(shelf, "new", token);
        StaleTokenException stale = catchThrowableOfType(
                StaleTokenException.class, () -> there.fence().set(shelf, "old", token - 1));
        assertThat(stale.resource()).isEqualTo(shelf);
        assertThat(stale.token()).isEqualTo(token - 1);
        assertThat(stale.greatest()).isEqualTo(token);
        assertThatThrownBy(() -> fence.check(shelf, token - 1)).isInstanceOf(StaleTokenException.class);
        assertThat(there.fence().value(shelf)).contains("new");
        there.fence().set(shelf, "again", token);
        assertThat(fence.value(shelf)).contains("again");
    }

    @Test
    void aCheckRaisesTheTokenAndLeavesTheValue() {
        assertThat(fence.value(shelf)).isEmpty();
        fence.check(shelf, 7);
        assertThat(fence.value(shelf)).isEmpty();
        assertThatThrownBy(() -> fence.set(shelf, "old", 6)).isInstanceOf(StaleTokenException.class);
        assertThat(fence.value(shelf)).isEmpty();
        fence.set(shelf, "", 8);
        fence.check(shelf, 9);
        assertThat(fence.value(shelf)).isEqualTo(Optional.of(""));
        assertThatThrownBy(() -> fence.set(shelf, "old", 8)).isInstanceOf(StaleTokenException.class);
        fence.set(shelf + ":other", "first", 1);
    }

    @Test
    void anyoneReadsTheValueByItsKey() {
        fence.set(shelf, "42 left", 7);
        assertThat(address.command("HGET", "tenon:guarded:" + shelf, "value")).isEqualTo("42 left");
        assertThat(address.command("HGET", "tenon:guarded:" + shelf, "token")).isEqualTo("7");
    }

    @Test
    void ofManyAtOnceOnAFreshResourceTheGreatestTokenHasTheLastWord() throws Exception {
        int threads = 8;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CyclicBarrier start = new CyclicBarrier(threads);
        try {
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                RedisFence mine = i % 2 == 0 ? fence : there.fence();
                int first = i + 1;
                running.add(executor.submit(() -> {
                    start.await(60, TimeUnit.SECONDS);
                    for (int token = first; token <= 200 * threads; token += threads) {
                        try {
                            mine.set(shelf, "by " + token, token);
                            assertThat(Long.parseLong(
                                            mine.value(shelf).orElseThrow().substring(3)))
                                    .isGreaterThanOrEqualTo(token);
                        } catch (StaleTokenException e) {
                            assertThat(e.greatest()).isGreaterThan(token);
                        }
                    }
                    return true;
                }));
            }
            for (Future<Boolean> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(fence.value(shelf)).contains("by " + 200 * threads);
    }

    @Test
    void whoChecksBeforeReadingLosesNoUpdateEvenIfAllHoldAtOnce() throws Exception {
        int threads = 4;
        AtomicLong tokens = new AtomicLong();
        fence.set(shelf, "0", tokens.incrementAndGet());
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Integer>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                RedisFence mine = i % 2 == 0 ? fence : there.fence();
                running.add(executor.submit(() -> {
                    int written = 0;
                    for (int n = 0; n < 300; n++) {
                        long token = tokens.incrementAndGet();
                        try {
                            mine.check(shelf, token);
                            int count = Integer.parseInt(mine.value(shelf).orElseThrow());
                            mine.set(shelf, String.valueOf(count + 1), token);
                            written++;
                        } catch (StaleTokenException e) {
                            assertThat(e.token()).isEqualTo(token);
                        }
                    }
                    return written;
                }));
            }
            int written = 0;
            for (Future<Integer> each : running) {
                written += each.get(60, TimeUnit.SECONDS);
            }
            assertThat(written).isPositive();
            assertThat(fence.value(shelf)).contains(String.valueOf(written));
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> fence.set("", "v", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fence.set(shelf, "v", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fence.check(shelf, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fence.value("")).isInstanceOf(IllegalArgumentException.class);
        assertThat(fence.value(shelf)).isEmpty();
    }
}
