package dev.tenon.testkit;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * For tests whose leases run by the wall clock. That a lease is kept by its renewals, say, can be judged only while the
 * store answers in time: what fails while it did not, because the machine stood still, is tried again, and what fails
 * although it did has failed. A store that is never in time fails too.
 */
public final class Punctual {
    private static final int ATTEMPTS = 6;
    private static final Duration PAUSE_MIN = Duration.ofMillis(40);
    /** A part of what may pass in silence: often enough to notice that, and no more load than that. */
    private static final int PAUSES_WITHIN = 8;

    private final Callable<?> question;
    private final Duration pause;
    private final AtomicLong lastAnswer = new AtomicLong(System.nanoTime());
    private final AtomicLong longest = new AtomicLong();

    private Punctual(Duration within, Callable<?> question) {
        this.question = question;
        Duration part = within.dividedBy(PAUSES_WITHIN);
        this.pause = part.compareTo(PAUSE_MIN) < 0 ? PAUSE_MIN : part;
    }

    /** What is judged; it may be run several times, so its names must be fresh each time. */
    @FunctionalInterface
    public interface Attempt {
        /** Fails as a test does. */
        void run() throws Exception;
    }

    /**
     * Runs a test until the store was in time, or the test passed.
     *
     * @param within how long the store may take for an answer without spoiling the test
     * @param question any short question to the store, asked all the while by a thread of its own
     * @throws Exception what the test threw although the store answered in time, or at the last attempt
     */
    public static void judge(Duration within, Callable<?> question, Attempt attempt) throws Exception {
        for (int n = 1; ; n++) {
            Punctual watch = new Punctual(within, question);
            Thread asking = DaemonThreads.of("punctual", watch::ask);
            asking.start();
            try {
                attempt.run();
                return;
            } catch (Exception | AssertionError e) {
                if (n == ATTEMPTS || watch.longestSilence().compareTo(within) <= 0) {
                    throw e;
                }
            } finally {
                asking.interrupt();
            }
        }
    }

    private void ask() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                question.call();
                longest.accumulateAndGet(System.nanoTime() - lastAnswer.get(), Math::max);
                lastAnswer.set(System.nanoTime());
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                // No answer: its silence goes on.
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }

    private Duration longestSilence() {
        return Duration.ofNanos(Math.max(longest.get(), System.nanoTime() - lastAnswer.get()));
    }
}
