package dev.tenon.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class FencingGuardTest {
    private final FencingGuard guard = FencingGuard.remembering(2);

    @Test
    void refusesASmallerTokenOfTheSameResourceForEver() {
        guard.check("a", 34);
        for (int i = 0; i < 2; i++) {
            StaleTokenException stale = catchThrowableOfType(StaleTokenException.class, () -> guard.check("a", 33));
            assertThat(stale.resource()).isEqualTo("a");
            assertThat(stale.token()).isEqualTo(33);
            assertThat(stale.greatest()).isEqualTo(34);
            assertThat(stale).hasMessageContaining("33").hasMessageContaining("34");
        }
        guard.check("a", 34); // one holder, another request
        guard.check("a", 35);
        assertThatThrownBy(() -> guard.check("a", 34)).isInstanceOf(StaleTokenException.class);
        guard.check("b", 1);
    }

    @Test
    void whatItForgetsItLetsNoOldHolderOf() {
        guard.check("a", 50);
        guard.check("b", 20);
        guard.check("a", 51); // so "b" is the one used least recently
        guard.check("c", 10);
        assertThatThrownBy(() -> guard.check("b", 19)).isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> guard.check("new", 19)).isInstanceOf(StaleTokenException.class);
        assertThatThrownBy(() -> guard.check("a", 50)).isInstanceOf(StaleTokenException.class);
        guard.check("c", 11); // still known, and so not held to what was forgotten
        guard.check("b", 20); // forgets "a"
        assertThatThrownBy(() -> guard.check("a", 50)).isInstanceOf(StaleTokenException.class);
        guard.check("a", 51);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                " ",
                "0",
                "-1",
                "+1",
                "01",
                "1.0",
                "0x1",
                "1 2",
                "٣",
                "9223372036854775808",
                "10000000000000000000"
            })
    void refusesAHeaderThatIsNoToken(String header) {
        assertThatThrownBy(() -> guard.check("a", header))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("X-Fencing-Token");
        guard.check("a", 1);
    }

    @Test
    void takesAHeader() {
        guard.check("a", " " + Long.MAX_VALUE + " ");
        assertThatThrownBy(() -> guard.check("a", "42")).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void refusesBadArguments() {
        assertThatThrownBy(() -> FencingGuard.remembering(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FencingGuard.remembering(FencingGuard.RESOURCES_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> guard.check("", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> guard.check("a", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> guard.check("a", -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onManyThreadsTheTokensLetInOnOneOnlyRise() throws Exception {
        int threads = 8;
        int tokens = 20_000;
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int first = i + 1;
                running.add(executor.submit(() -> {
                    start.await(20, TimeUnit.SECONDS);
                    long greatestLetIn = 0;
                    for (long token = first; token <= tokens; token += threads) {
                        try {
                            guard.check("a", token);
                            greatestLetIn = token;
                        } catch (StaleTokenException e) {
                            assertThat(e.greatest()).isGreaterThan(token);
                        }
                        long letIn = greatestLetIn;
                        if (letIn > 1) {
                            assertThatThrownBy(() -> guard.check("a", letIn - 1))
                                    .isInstanceOf(StaleTokenException.class);
                        }
                    }
                    return greatestLetIn;
                }));
            }
            long greatest = 0;
            for (Future<Long> each : running) {
                greatest = Math.max(greatest, each.get(60, TimeUnit.SECONDS));
            }
            assertThat(greatest).isEqualTo(tokens);
        } finally {
            executor.shutdownNow();
        }
    }
}
