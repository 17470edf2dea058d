package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.raft.Command.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Batches commands: while one entry is on its way to the disks, everything that arrives waits, and goes into the next one
 * together. So the log has one entry in flight, each fsync serves all who wait for one, and a lone caller waits for nobody.
 * Reads travel in the same entries, which makes them as fresh as writes without trust in any clock.
 *
 * <p>Answers are given before the next entry is cut, so that callers who ask again at once are in it.
 */
final class GroupCommit implements CommandLog, AutoCloseable {
    private static final int BATCH_COMMANDS_MAX = 4096;
    private static final int BATCH_BYTES_MAX = 1 << 20;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final ReplicatedLog log;
    private final LogClock clock;
    private final ArrayBlockingQueue<Pending<?>> queue;
    private final Thread writer;
    private volatile boolean closed;
    private @Nullable Pending<?> overhang;

    /**
     * @param queueLimit how many commands may wait; beyond it they are refused at once
     */
    GroupCommit(ReplicatedLog log, LogClock clock, int queueLimit) {
        this.log = log;
        this.clock = clock;
        this.queue = new ArrayBlockingQueue<>(queueLimit);
        this.writer = new Thread(this::run, "tenon-raft-writer");
        this.writer.setDaemon(true);
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
        }
        return pending.future();
    }

    /** Writes one entry: waits for a command, takes what else is there, and waits until the answers have been given. */
    void runOnce() throws InterruptedException {
        List<Pending<?>> batch = take();
        List<byte[]> commands = batch.stream().<byte[]>map(Pending::bytes).toList();
        CompletableFuture<Boolean> answered = log.append(EntryCodec.encode(clock.now(), commands))
                .handle((answers, error) -> {
                    give(batch, answers, error);
                    return true;
                });
        try {
            answered.get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            give(
                    batch,
                    null,
                    new OutcomeUnknownException("The log did not confirm the request within " + ANSWER_MAX.toSeconds()
                            + " s; repeat it with the same request ID"));
        } catch (ExecutionException e) {
            // A dependant of an answer threw; whoever added it has the exception.
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
            refuseWaiting();
        }
    }

    private List<Pending<?>> take() throws InterruptedException {
        List<Pending<?>> batch = new ArrayList<>();
        Pending<?> next = overhang != null ? overhang : queue.take();
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
            pending.fail(new BackendUnavailableException("The log was closed before the request was written"));
        }
    }

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
