package dev.tenon.tx.tcc;

import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls participants on behalf of a caller that waits. As many threads as the callers want at a time. Thread-safe. */
final class FirstPhase implements AutoCloseable {
    private final Participants participants;
    private final Duration timeout;
    private final ExecutorService threads;

    FirstPhase(Participants participants, Duration timeout) {
        this.participants = participants;
        this.timeout = timeout;
        this.threads = Executors.newCachedThreadPool(DaemonThreads.numbered("tenon-tcc-try"));
    }

    /**
     * Calls all of them at the same time. What failed, or took too long, is not yet done, and may or may not be done
     * later.
     */
    Map<String, Reply> call(List<BranchCall> calls) {
        Map<String, Future<Reply>> futures = new LinkedHashMap<>();
        calls.forEach(call -> futures.put(call.branch(), threads.submit(() -> call(call))));
        long end = System.nanoTime() + timeout.toNanos();
        Map<String, Reply> replies = new LinkedHashMap<>();
        futures.forEach((branch, future) -> replies.put(branch, reply(future, end - System.nanoTime())));
        return replies;
    }

    private Reply call(BranchCall call) throws Exception {
        Participant participant = participants
                .find(call.target())
                .orElseThrow(() -> new TenonException("This process knows no participant \"" + call.target() + "\""));
        return participant.call(call);
    }

    private Reply reply(Future<Reply> future, long nanosLeft) {
        try {
            return future.get(Math.max(0, nanosLeft), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            return Reply.notYet(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            future.cancel(true);
            return Reply.notYet("no answer within " + timeout);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            return Reply.notYet("interrupted");
        }
    }

    /** Does it soon, in another thread, or not at all if this is closed, or it fails. */
    void later(Runnable task) {
        try {
            threads.execute(() -> {
                try {
                    task.run();
                } catch (TenonException e) {
                    // The log is away: the deadline, or recovery, does what this could not.
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed: as above.
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
