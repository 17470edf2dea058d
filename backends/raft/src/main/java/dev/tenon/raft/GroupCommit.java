package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.raft.Command.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Batches commands: while one entry is on its way to the disks, everything that arrives waits, and goes into the next
 * one together. So the log has one entry in flight, each fsync serves all who wait for one, and a lone caller waits for
 * nobody. Reads travel in the same entries, which makes them as fresh as writes without trust in any clock.
 *
 * <p>Answers are given before the next entry is cut, so that callers who ask again at once are in it.
 */
final class GroupCommit implements CommandLog, AutoCloseable {
    private static final int BATCH_COMMANDS_MAX = 4096;
    private static final int BATCH_BYTES_MAX = 1 << 20;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final ReplicatedLog log;
    private final ArrayBlockingQueue<Pending<?>> queue;
    private final Thread writer;
    private volatile boolean closed;
    private final AtomicReference<@Nullable Entry> underWay = new AtomicReference<>();
    private volatile @Nullable Pending<?> overhang;

    /**
     * @param queueLimit how many commands may wait; beyond it they are refused at once
     */
    GroupCommit(ReplicatedLog log, int queueLimit) {
        this.log = log;
        this.queue = new ArrayBlockingQueue<>(queueLimit);
        this.writer = DaemonThreads.of("tenon-raft-writer", this::run);
    }

    /** Begins to write. */
    void start() {
        writer.start();
    }

    @Override
    public <R> CompletableFuture<R> submit(Command<R> command) {
        byte[] bytes = EntryCodec.encodeCommand(command);
        if (bytes.length > BATCH_BYTES_MAX) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "The request takes " + bytes.length + " bytes; at most " + BATCH_BYTES_MAX + " are allowed"));
        }
        Pending<R> pending = new Pending<>(bytes, new CompletableFuture<>());
        if (closed) {
            pending.fail(new BackendUnavailableException("The log is closed"));
        } else if (!queue.offer(pending)) {
            pending.fail(new BackendUnavailableException(
                    "Too many requests (" + queue.size() + ") are waiting for the log: try again later"));
        } else if (closed) {
            refuseWaiting();
        } else if (underWay.get() == null) {
            LockSupport.unpark(writer);
        }
        return pending.future();
    }

    /**
     * Writes one entry, of all commands that wait, if the answers to the one before are given; else sleeps for a while.
     */
    void runOnce() throws InterruptedException {
        if (!awaitWork()) {
            return;
        }
        List<Pending<?>> batch = take();
        List<byte[]> commands = batch.stream().<byte[]>map(Pending::bytes).toList();
        Entry entry = new Entry(batch, System.nanoTime() + ANSWER_MAX.toNanos());
        underWay.set(entry);
        try {
            log.append(commands).whenComplete((answers, error) -> over(entry, answers, error));
        } catch (RuntimeException e) {
            over(entry, null, new OutcomeUnknownException("The log failed over the request", e));
        }
    }

    /**
     * Sleeps if there is nothing to write, or an entry is under way. Who changes that wakes this thread, and nobody
     * else: an answer would else wake it to see that nothing waits, and each entry would cost one more change of
     * threads.
     *
     * @return whether there is something to write now; if not, it is to be asked again
     */
    private boolean awaitWork() throws InterruptedException {
        Entry before = underWay.get();
        if (before == null && (overhang != null || !queue.isEmpty())) {
            return true;
        }
        LockSupport.parkNanos(this, before == null ? ANSWER_MAX.toNanos() : before.until() - System.nanoTime());
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (before != null && before.until() - System.nanoTime() <= 0) {
            over(
                    before,
                    null,
                    new OutcomeUnknownException("The log did not confirm the request within " + ANSWER_MAX.toSeconds()
                            + " s; repeat it with the same request ID"));
        }
        return false;
    }

    /** Gives the answers, and lets the next entry be cut. */
    private void over(Entry entry, @Nullable List<Answer> answers, @Nullable Throwable error) {
        try {
            give(entry.batch(), answers, error);
        } finally {
            if (underWay.compareAndSet(entry, null) && (!queue.isEmpty() || overhang != null)) {
                LockSupport.unpark(writer);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        writer.interrupt();
        refuseWaiting();
    }

    private void run() {
        try {
            while (!closed) {
                runOnce();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closed = true; // whatever ended this thread: nobody else writes
            Pending<?> over = overhang;
            overhang = null;
            if (over != null) {
                refuse(over);
            }
            Entry last = underWay.get();
            if (last != null) { // nobody would give it up any more
                over(last, null, new OutcomeUnknownException("The log was closed before it confirmed the request"));
            }
            refuseWaiting();
        }
    }

    private List<Pending<?>> take() {
        List<Pending<?>> batch = new ArrayList<>();
        Pending<?> next = overhang != null ? overhang : queue.poll();
        overhang = null;
        int bytes = 0;
        while (next != null) {
            bytes += next.bytes().length;
            if (bytes > BATCH_BYTES_MAX && !batch.isEmpty()) {
                overhang = next;
                break;
            }
            batch.add(next);
            next = batch.size() < BATCH_COMMANDS_MAX ? queue.poll() : null;
        }
        return batch;
    }

    private static void give(List<Pending<?>> batch, @Nullable List<Answer> answers, @Nullable Throwable error) {
        for (int i = 0; i < batch.size(); i++) {
            if (answers == null) {
                batch.get(i).fail(error == null ? new IllegalStateException("No answers") : error);
            } else {
                batch.get(i).complete(answers.get(i));
            }
        }
    }

    private void refuseWaiting() {
        for (Pending<?> pending = queue.poll(); pending != null; pending = queue.poll()) {
            refuse(pending);
        }
    }

    private static void refuse(Pending<?> pending) {
        pending.fail(new BackendUnavailableException("The log was closed before the request was written"));
    }

    /**
     * One that was sent, and has no answers yet.
     *
     * @param until when it is given up, by {@link System#nanoTime}
     */
    private record Entry(List<Pending<?>> batch, long until) {}

    private record Pending<R>(byte[] bytes, CompletableFuture<R> future) {
        @SuppressWarnings({"unchecked", "NullAway"}) // an answer has the type of its command; see Command.applyTo
        void complete(Answer answer) {
            if (answer.error() != null) {
                future.completeExceptionally(answer.error());
            } else {
                future.complete((R) answer.value());
            }
        }

        void fail(Throwable error) {
            future.completeExceptionally(error);
        }
    }
}
