package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.OutcomeUnknownException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RedisDeadlinesTest {
    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final RedisDeadlines deadlines = new RedisDeadlines(clock, Duration.ofSeconds(2), "redis:6379");
    private final List<String> blamed = new ArrayList<>();

    @Test
    void aCallWithoutAnAnswerEndsWhenItsTimeIsOver() {
        CompletableFuture<String> early = deadlines.start(() -> blamed.add("early"));
        clock.advance(Duration.ofSeconds(1));
        CompletableFuture<String> late = deadlines.start(() -> blamed.add("late"));
        clock.advance(Duration.ofSeconds(1));
        deadlines.runOnce();
        assertThat(failureOf(early)).isInstanceOf(OutcomeUnknownException.class).hasMessageContaining("within PT2S");
        assertThat(late).isNotDone();
        assertThat(blamed).containsExactly("early");
    }

    /**
     * The driver, once closed, may say nothing of what was on its way; then whoever waits for it would wait for ever.
     */
    @Test
    void whatWasOnItsWayEndsWhenTheConnectionsAreClosedAndSoDoesWhatComesLater() {
        CompletableFuture<String> answered = deadlines.start(() -> blamed.add("answered"));
        CompletableFuture<String> onItsWay = deadlines.start(() -> blamed.add("on its way"));
        answered.complete("fine");
        deadlines.close();
        CompletableFuture<String> later = deadlines.start(() -> blamed.add("later"));
        assertThat(answered).isCompletedWithValue("fine");
        assertThat(failureOf(onItsWay))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("were closed");
        assertThat(failureOf(later))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("are closed");
        deadlines.runOnce();
        assertThat(blamed).isEmpty();
    }

    private static Throwable failureOf(CompletableFuture<?> call) {
        assertThat(call).isCompletedExceptionally();
        return call.handle((value, failure) -> failure).join();
    }
}
