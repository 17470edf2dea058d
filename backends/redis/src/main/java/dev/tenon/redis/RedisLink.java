package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The connection to one Redis: runs scripts, several callers' at a time, and ends each call within the command timeout.
 *
 * <p>The driver reconnects by itself, but never repeats a command by itself: what was in flight when a connection broke
 * fails at once with {@link OutcomeUnknownException}, what is asked while there is none with {@link
 * BackendUnavailableException}. A call that gets no answer takes its connection down with it: an answer that comes after
 * all must never be taken for that of a later call, and behind a dead peer the next connection may fare better.
 */
final class RedisLink implements AutoCloseable {
    private static final Duration RECONNECT_MIN = Duration.ofMillis(20);
    private static final Duration RECONNECT_MAX = Duration.ofSeconds(1);
    private static final int COMMANDS_IN_FLIGHT_MAX = 1 << 17;
    private static final int CALLS_A_FLUSH = 1000;

    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final RedisOptions options;
    private final RedisDeadlines deadlines;
    private final ScheduledExecutorService timer;
    private final ClientResources resources;
    private final RedisClient client;
    private final RedisURI uri;
    private final StatefulRedisConnection<String, String> connection;

    /**
     * @param timer runs the deadlines; ends with this link
     */
    RedisLink(RedisOptions options, TimeSource time, ScheduledExecutorService timer) {
        this.options = options;
        this.timer = timer;
        this.deadlines = new RedisDeadlines(time, options.commandTimeout(), this::giveUp);
        this.uri = RedisURI.create(options.uri());
        this.uri.setTimeout(options.commandTimeout());
        this.resources = resources();
        this.client = RedisClient.create(resources);
        this.client.setOptions(clientOptions());
        try {
            this.connection = client.connect(StringCodec.UTF8, uri);
        } catch (RuntimeException e) {
            close();
            throw new BackendUnavailableException(
                    "Redis at " + options.address() + " can't be reached: " + rootMessage(e), e);
        }
        long period = Math.max(1, options.commandTimeout().toMillis() / 10);
        timer.scheduleWithFixedDelay(deadlines::runOnce, period, period, TimeUnit.MILLISECONDS);
    }

    /** Runs a script; one round trip, or two if Redis has forgotten it. */
    CompletableFuture<List<Object>> run(RedisCall call) {
        Sent sent = send(CommandType.EVALSHA, call.script().digest(), call);
        dispatch(() -> connection.dispatch(sent.command), sent);
        return sent.answer;
    }

    /**
     * Runs scripts behind each other, {@value #CALLS_A_FLUSH} in one flush and one round trip; the answers are in the
     * order of the calls. The timeout is that of each flush.
     */
    CompletableFuture<List<List<Object>>> runAll(List<RedisCall> calls) {
        if (calls.size() <= CALLS_A_FLUSH) {
            return flush(calls);
        }
        return flush(calls.subList(0, CALLS_A_FLUSH))
                .thenCompose(answers -> runAll(calls.subList(CALLS_A_FLUSH, calls.size()))
                        .thenApply(more -> {
                            List<List<Object>> all = new ArrayList<>(answers);
                            all.addAll(more);
                            return all;
                        }));
    }

    /** Has Redis learn these scripts, so that the first use of each takes one round trip. */
    void load(List<RedisScript> scripts) {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (RedisScript script : scripts) {
            answers.add(bounded(connection.async().scriptLoad(script.source())));
        }
        answers.forEach(RedisLink::await);
    }

    /** A stage of the driver's that ends within the command timeout, with this backend's exceptions. */
    <T> CompletableFuture<T> bounded(CompletionStage<T> stage) {
        CompletableFuture<T> answer = deadlines.start();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(RedisErrors.translate(failure, options.address()));
            }
        });
        return answer;
    }

    /** The connection for commands that are not scripts. */
    StatefulRedisConnection<String, String> connection() {
        return connection;
    }

    /** A connection of its own for subscriptions. */
    CompletableFuture<StatefulRedisPubSubConnection<String, String>> subscriber() {
        return bounded(client.connectPubSubAsync(StringCodec.UTF8, uri));
    }

    /** Waits for an answer, which comes within the command timeout; throws what it failed with. */
    static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof TenonException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private record Sent(AsyncCommand<String, String, List<Object>> command, CompletableFuture<List<Object>> answer) {}

    private Sent send(CommandType type, String script, RedisCall call) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8)
                .add(script)
                .add(call.keys().size())
                .addKeys(call.keys())
                .addValues(call.arguments());
        AsyncCommand<String, String, List<Object>> command =
                new AsyncCommand<>(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8), args));
        CompletableFuture<List<Object>> answer = deadlines.start();
        command.whenComplete((reply, failure) -> {
            if (failure == null) {
                answer.complete(reply);
            } else if (failure instanceof RedisNoScriptException && type == CommandType.EVALSHA) {
                sendWhole(call, answer);
            } else {
                answer.completeExceptionally(RedisErrors.translate(failure, options.address()));
            }
        });
        return new Sent(command, answer);
    }

    /** After a restart or SCRIPT FLUSH: EVAL runs the script, and has Redis remember it again. */
    private void sendWhole(RedisCall call, CompletableFuture<List<Object>> answer) {
        Sent whole = send(CommandType.EVAL, call.script().source(), call);
        whole.answer.whenComplete((reply, failure) -> {
            if (failure == null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        dispatch(() -> connection.dispatch(whole.command), whole);
    }

    private CompletableFuture<List<List<Object>>> flush(List<RedisCall> calls) {
        List<Sent> all = new ArrayList<>(calls.size());
        List<AsyncCommand<String, String, ?>> commands = new ArrayList<>(calls.size());
        for (RedisCall call : calls) {
            Sent sent = send(CommandType.EVALSHA, call.script().digest(), call);
            all.add(sent);
            commands.add(sent.command);
        }
        if (!calls.isEmpty()) {
            dispatch(() -> connection.dispatch(commands), all.toArray(new Sent[0]));
        }
        CompletableFuture<?>[] answers = all.stream().map(s -> s.answer).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(answers)
                .thenApply(done -> all.stream().map(s -> s.answer.join()).toList());
    }

    private void dispatch(Runnable write, Sent... sent) {
        try {
            write.run();
        } catch (RuntimeException e) {
            // Only a closed client throws here: nothing was sent.
            for (Sent each : sent) {
                each.answer.completeExceptionally(
                        new BackendUnavailableException("Redis at " + options.address() + ": connection is closed", e));
            }
        }
    }

    private void giveUp(CompletableFuture<?> call) {
        call.completeExceptionally(new OutcomeUnknownException(
                "Redis at " + options.address() + " did not answer within " + options.commandTimeout()));
        channels.forEach(Channel::close);
    }

    private ClientResources resources() {
        return DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .threadFactoryProvider(pool -> new DefaultThreadFactory("tenon-redis-" + pool, true))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .reconnectDelay(Delay.exponential(RECONNECT_MIN, RECONNECT_MAX, 2, TimeUnit.MILLISECONDS))
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channels.add(channel);
                        channel.closeFuture().addListener(closed -> channels.remove(channel));
                    }
                })
                .build();
    }

    private ClientOptions clientOptions() {
        return ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(COMMANDS_IN_FLIGHT_MAX)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(options.commandTimeout())
                        .keepAlive(SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(Duration.ofSeconds(5))
                                .interval(Duration.ofSeconds(2))
                                .count(3)
                                .build())
                        .build())
                .build();
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = String.valueOf(root.getMessage());
        // The driver closes the connection when Redis refuses the password, and now and then reports only the closing.
        return message.contains("closed prematurely") ? message + " (is the password right? TLS?)" : message;
    }
}
