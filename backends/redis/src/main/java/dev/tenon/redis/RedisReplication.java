package dev.tenon.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs scripts on one node with a {@code WAIT} behind them, in one round trip. As {@code WAIT} holds its connection up
 * until the replicas have answered, it has one of its own; and what comes in meanwhile goes out together afterwards,
 * with one {@code WAIT} for all. Thread-safe.
 */
final class RedisReplication {
    private static final int RUNS_A_FLUSH = 1000;

    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final RedisNode node;
    private final CompletableFuture<StatefulRedisConnection<String, String>> connection;
    private final RedisOptions options;

    private record Waiting(RedisRun run, RedisNode.Replies replies) {}

    private record Sent(Waiting what, AsyncCommand<String, String, List<Object>> command) {}

    RedisReplication(
            RedisNode node,
            CompletableFuture<StatefulRedisConnection<String, String>> connection,
            RedisOptions options) {
        this.node = node;
        this.connection = connection;
        this.options = options;
    }

    void send(List<RedisRun> runs, RedisNode.Replies replies) {
        runs.forEach(run -> waiting.add(new Waiting(run, replies)));
        pump();
    }

    void drop() {
        connection.thenAccept(RedisDriver::drop);
    }

    void close() {
        connection.thenAccept(StatefulRedisConnection::closeAsync);
    }

    private void pump() {
        // Looks again after it has let go: what came in just before that would else wait for the next.
        while (!waiting.isEmpty() && busy.compareAndSet(false, true)) {
            List<Waiting> batch = new ArrayList<>();
            for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
                if (!next.run.answer().isDone()) { // given up: it must not happen after all
                    batch.add(next);
                }
                if (batch.size() == RUNS_A_FLUSH) {
                    break;
                }
            }
            if (batch.isEmpty()) {
                busy.set(false);
                continue;
            }
            CompletableFuture<Void> done = connection
                    .thenCompose(open -> flush(open, batch))
                    .exceptionally(failure -> {
                        batch.forEach(each -> each.replies.failed(each.run, node, failure));
                        return null;
                    });
            if (!done.isDone()) {
                done.thenRun(() -> {
                    busy.set(false);
                    pump();
                });
                return;
            }
            busy.set(false);
        }
    }

    private CompletableFuture<Void> flush(StatefulRedisConnection<String, String> open, List<Waiting> batch) {
        List<AsyncCommand<String, String, ?>> commands = new ArrayList<>(batch.size() + 1);
        List<Sent> sent = new ArrayList<>(batch.size());
        for (Waiting each : batch) {
            sent.add(new Sent(each, RedisNode.add(each.run, commands)));
        }
        AsyncCommand<String, String, Long> wait = new AsyncCommand<>(new Command<>(
                CommandType.WAIT,
                new IntegerOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8)
                        .add(options.replicas())
                        .add(options.replicaTimeout().toMillis())));
        commands.add(wait);
        CompletableFuture<Void> done = wait.handle((replicas, failure) -> {
            sent.forEach(each -> tell(each, replicas, failure));
            return null;
        });
        RedisNode.dispatch(open, commands);
        return done;
    }

    /** The answer to WAIT comes last: each run has its own by then. */
    private void tell(Sent sent, Long replicas, Throwable failure) {
        sent.command.whenComplete((values, refusal) -> {
            if (refusal != null) {
                sent.what.replies.failed(sent.what.run, node, refusal);
            } else if (failure != null) {
                sent.what.replies.failed(
                        sent.what.run, node, new RedisException("WAIT failed: " + failure.getMessage(), failure));
            } else {
                sent.what.replies.answered(sent.what.run, new RedisReply(values, replicas));
            }
        });
    }
}
