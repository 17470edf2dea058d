package dev.tenon.redis;

import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One Redis, or the one that an address stands for at the time, and the connections to it. Thread-safe. */
final class RedisNode {
    private final String address;
    private final RedisURI uri;
    private final CompletableFuture<StatefulRedisConnection<String, String>> first;
    private final CompletableFuture<StatefulRedisConnection<String, String>> connection;
    private final Optional<RedisReplication> replication;

    /** Told how the runs went that a node was sent. */
    interface Replies {
        /** A run has its answer. */
        void answered(RedisRun run, RedisReply reply);

        /** A run got an error, or nothing, or was never sent. */
        void failed(RedisRun run, RedisNode node, Throwable failure);
    }

    /** @param options say whether replicas are to be waited for */
    RedisNode(RedisURI uri, RedisDriver driver, RedisOptions options) {
        this.uri = uri;
        this.address = uri.getHost() == null ? "the master" : uri.getHost() + ":" + uri.getPort();
        this.first = driver.connect(uri);
        if (options.replicas() == 0) {
            this.connection = first;
            this.replication = Optional.empty();
        } else {
            CompletableFuture<StatefulRedisConnection<String, String>> second = driver.connect(uri);
            this.connection = first.thenCombine(second, (open, other) -> open);
            this.replication = Optional.of(new RedisReplication(this, second, options));
        }
    }

    /** {@code host:port}. */
    String address() {
        return address;
    }

    RedisURI uri() {
        return uri;
    }

    /** For commands that are not scripts. Fails if it can't be made, or another that is needed can't. */
    CompletableFuture<StatefulRedisConnection<String, String>> connection() {
        return connection;
    }

    /** Whether it can be asked now. */
    boolean isOpen() {
        return connection.isDone()
                && !connection.isCompletedExceptionally()
                && connection.join().isOpen();
    }

    /** Whether there was never a connection, nor will be. */
    boolean isFailed() {
        return connection.isCompletedExceptionally();
    }

    /** Sends runs in one flush, in their order; those that are to be replicated apart from the others. */
    void send(List<RedisRun> runs, Replies replies) {
        runs.forEach(run -> run.sentTo(this));
        if (replication.isPresent() && runs.get(0).replicated()) {
            replication.get().send(runs, replies);
            return;
        }
        connection.whenComplete((open, failure) -> {
            if (failure != null) {
                runs.forEach(run -> replies.failed(run, this, failure));
            } else {
                List<AsyncCommand<String, String, ?>> commands = new ArrayList<>(runs.size());
                for (RedisRun run : runs) {
                    if (run.answer().isDone()) {
                        continue; // given up before there was a connection: it must not happen after all
                    }
                    add(run, commands).whenComplete((values, refusal) -> {
                        if (refusal == null) {
                            replies.answered(run, new RedisReply(values, 0));
                        } else {
                            replies.failed(run, this, refusal);
                        }
                    });
                }
                dispatch(open, commands);
            }
        });
    }

    /** Adds what one run takes to the commands of a flush. */
    static AsyncCommand<String, String, List<Object>> add(
            RedisRun run, List<AsyncCommand<String, String, ?>> commands) {
        if (run.asking()) {
            commands.add(new AsyncCommand<>(new Command<>(
                    CommandType.ASKING, new StatusOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8))));
        }
        AsyncCommand<String, String, List<Object>> command = run.command();
        commands.add(command);
        return command;
    }

    static void dispatch(
            StatefulRedisConnection<String, String> to, List<? extends RedisCommand<String, String, ?>> commands) {
        if (commands.isEmpty()) {
            return;
        }
        try {
            if (commands.size() == 1) {
                to.dispatch(commands.get(0));
            } else {
                to.dispatch(commands);
            }
        } catch (RuntimeException e) {
            // Only a closed client throws here: nothing was sent.
            commands.forEach(command -> command.completeExceptionally(e));
        }
    }

    /** Breaks the connections, though they may seem open, so that they are made anew. */
    void drop() {
        first.thenAccept(RedisDriver::drop);
        replication.ifPresent(RedisReplication::drop);
    }

    void listen(RedisConnectionStateListener listener) {
        connection.thenAccept(open -> open.addListener(listener));
    }

    /** Ends the connections for good. */
    void close() {
        first.thenAccept(StatefulRedisConnection::closeAsync);
        replication.ifPresent(RedisReplication::close);
    }

    @Override
    public String toString() {
        return address;
    }
}
