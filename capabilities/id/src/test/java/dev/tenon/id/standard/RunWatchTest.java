package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TimeSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunWatchTest {
    private static final long NO_RUN = Long.MIN_VALUE;

    /** Once more in a new round if the machine was too busy to keep this thread's pace. */
    @Test
    void allowsABusyGeneratorARunAndEndsItWithinTheNextMillisecond() {
        RunWatch watch = new RunWatch(TimeSource.system());
        await().until(() -> {
            for (int i = 0; i < 10 * RunWatch.RUN; i++) {
                watch.issued(1, 0);
            }
            watch.issued(1, 1000);
            long allowed = watch.ceiling();
            assertThat(allowed).isIn(NO_RUN, 1000L + RunWatch.RUN);
            while (watch.ceiling() != NO_RUN) {
                Thread.onSpinWait();
            }
            watch.issued(1, 2000);
            // It was the watch that ended the run, not the watch that ended.
            return allowed != NO_RUN && watch.ceiling() == 2000 + RunWatch.RUN;
        });
    }

    @Test
    void allowsNothingToAGeneratorThatIsNotBusy() {
        RunWatch watch = new RunWatch(TimeSource.system());
        for (int millis = 0; millis < 1000; millis++) {
            for (int i = 0; i < RunWatch.RUN; i++) {
                watch.issued(millis, i);
                assertThat(watch.ceiling()).isEqualTo(NO_RUN);
            }
        }
    }

    @Test
    void allowsNothingByAClockThatATestMoves() {
        RunWatch watch = new RunWatch(new SteppingClock(0));
        for (int i = 0; i < 100_000; i++) {
            watch.issued(1, i);
        }
        assertThat(watch.ceiling()).isEqualTo(NO_RUN);
    }
}
