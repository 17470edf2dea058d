package dev.tenon.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a request when its inputs come in every order. */
class CompositeWaitTest {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Outcome.Queued IN_QUEUE = new Outcome.Queued(1, LEASE);
    private static final Acquire REQUEST =
            new Acquire("lock", "session", "request", "owner", Optional.of(LEASE), Duration.ofSeconds(10));

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-27T12:00:00Z"));
    private final SessionBook book = new SessionBook(clock, Duration.ZERO);
    private final CompositeWaits<String> waits = new CompositeWaits<>(book, clock, this::steps);
    private final List<String> told = new ArrayList<>();

    private Steps last;

    private Steps steps(CompositeWait<String> wait) {
        last = new Steps(wait);
        return last;
    }

    /** Its steps end when the test says so. */
    private static final class Steps implements CompositeWait.Strategy<String> {
        private final List<String> calls = new ArrayList<>();
        private final CompositeWait<String> wait;

        Steps(CompositeWait<String> wait) {
            this.wait = wait;
        }

        @Override
        public Duration patience() {
            return wait.request().waitTime();
        }

        void granted(String grant) {
            wait.granted(grant);
        }

        @Override
        public void begin() {
            calls.add("begin");
        }

        @Override
        public void confirm(String grant) {
            calls.add("confirm " + grant);
        }

        @Override
        public CompletableFuture<?> giveBackAll() {
            calls.add("give back");
            return CompletableFuture.completedFuture(true);
        }

        void answer(Outcome outcome) {
            if (outcome instanceof Outcome.Queued) {
                wait.queued(outcome);
            } else {
                wait.end(outcome);
            }
        }

        void push(Grant grant) {
            wait.endPushed(grant);
        }

        void broken(RuntimeException failure) {
            wait.fail(failure);
        }
    }

    @BeforeEach
    void open() {
        book.open(new SessionSpec("session", "owner", LEASE), new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                told.add("granted " + grant.token());
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                told.add("revoke");
            }

            @Override
            public void sessionLost(String sessionId) {
                told.add("lost");
            }

            @Override
            public void resync() {
                told.add("resync");
            }
        });
    }

    @Test
    void aRepeatedRequestJoinsTheStepUnderWay() {
        CompletableFuture<Outcome> first = waits.ask(REQUEST);
        assertThat(waits.ask(REQUEST)).isSameAs(first);
        Steps wait = last;
        assertThat(wait.calls).containsExactly("begin");
        wait.answer(new Outcome.Granted(7, LEASE));
        assertThat(first).isCompletedWithValue(new Outcome.Granted(7, LEASE));
        assertThat(waits.of("request")).isEmpty();
    }

    @Test
    void aGrantThatComesBeforeTheAnswerIsTakenAfterIt() {
        CompletableFuture<Outcome> answer = waits.ask(REQUEST);
        Steps wait = last;
        wait.granted("early");
        assertThat(wait.calls).containsExactly("begin");
        wait.answer(IN_QUEUE);
        assertThat(answer).isCompletedWithValue(IN_QUEUE);
        assertThat(wait.calls).containsExactly("begin", "confirm early");
        wait.push(new Grant("lock", "request", "session", 7, Duration.ZERO, LEASE));
        assertThat(told).containsExactly("granted 7");
    }

    @Test
    void whatIsCancelledWhileItIsAskedIsGivenBackWhenTheAnswerComes() {
        CompletableFuture<Outcome> answer = waits.ask(REQUEST);
        Steps wait = last;
        CompletableFuture<Void> cancelled = waits.cancel("request");
        assertThat(cancelled).isNotDone();
        wait.answer(IN_QUEUE);
        assertThat(wait.calls).containsExactly("begin", "give back");
        assertThat(cancelled).isDone();
        assertThat(answer).isCompletedWithValue(new Outcome.Busy("owner", Duration.ZERO));
        assertThat(told).isEmpty();
    }

    @Test
    void aRequestInTheQueueIsCancelledAtOnceAndMadeAnewWhenAskedAgain() {
        waits.ask(REQUEST);
        Steps wait = last;
        wait.answer(IN_QUEUE);
        assertThat(waits.cancel("request")).isDone();
        wait.granted("late");
        assertThat(wait.calls).containsExactly("begin");
        waits.ask(REQUEST);
        assertThat(waits.of("request")).isPresent();
        assertThat(last).isNotSameAs(wait);
    }

    @Test
    void aFailureAfterTheAnswerHasTheSessionAskAgain() {
        CompletableFuture<Outcome> answer = waits.ask(REQUEST);
        Steps wait = last;
        wait.answer(IN_QUEUE);
        wait.granted("node");
        wait.broken(new IllegalStateException("no majority"));
        assertThat(answer).isCompletedWithValue(IN_QUEUE);
        assertThat(told).containsExactly("resync");
        CompletableFuture<Outcome> again = waits.ask(REQUEST);
        last.broken(new IllegalStateException("no majority"));
        assertThat(again).isCompletedExceptionally();
    }

    @Test
    void onlyWhatNoStepIsUnderWayForIsForgottenWhenItsTimeIsOver() {
        waits.ask(REQUEST);
        clock.advance(Duration.ofSeconds(11));
        waits.runOnce();
        Steps wait = last;
        wait.answer(IN_QUEUE);
        waits.runOnce();
        assertThat(waits.of("request")).isEmpty();
        assertThat(waits.ofSession("session")).isEmpty();
    }
}
