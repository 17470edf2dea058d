package dev.tenon.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The driver, as this backend uses it: it reconnects by itself, but never repeats a command by itself. What is in
 * flight when a connection breaks fails at once, and so does what is asked while there is none.
 */
final class RedisDriver implements AutoCloseable {
    private static final Duration RECONNECT_MIN = Duration.ofMillis(20);
    private static final Duration RECONNECT_MAX = Duration.ofSeconds(1);
    private static final int COMMANDS_IN_FLIGHT_MAX = 1 << 17;

    private final ClientResources resources = resources();
    private final RedisClient client = RedisClient.create(resources);
    private final ClientOptions options;

    RedisDriver(Duration timeout) {
        this.options = clientOptions(timeout);
        client.setOptions(options);
    }

    /** A connection for commands. */
    CompletableFuture<StatefulRedisConnection<String, String>> connect(RedisURI uri) {
        try {
            return client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
        } catch (RuntimeException e) { // closed
            return CompletableFuture.failedFuture(e);
        }
    }

    /** @param where asked at the first connection and each later one: any node of a cluster will do, and nodes go */
    PushClient pushes(Supplier<RedisURI> where) {
        PushClient pushes = new PushClient(resources, where);
        pushes.setOptions(options);
        return pushes;
    }

    /** Closes what the connection runs over now, though nothing may answer there. It then connects anew. */
    static void drop(StatefulConnection<?, ?> connection) {
        if (connection instanceof RedisChannelHandler<?, ?> handler
                && handler.getChannelWriter() instanceof DefaultEndpoint endpoint) {
            endpoint.disconnect();
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Connects for subscriptions, each time to where it is told. */
    static final class PushClient extends RedisClient {
        private final Supplier<RedisURI> where;
        private final boolean sentinels;

        private PushClient(ClientResources resources, Supplier<RedisURI> where) {
            super(resources, where.get());
            this.where = where;
            this.sentinels = !where.get().getSentinels().isEmpty();
        }

        CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPushes() {
            try {
                return connectPubSubAsync(StringCodec.UTF8, where.get()).toCompletableFuture();
            } catch (RuntimeException e) { // closed
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        protected Mono<SocketAddress> getSocketAddress(RedisURI first) {
            // Asked for the Sentinels' own addresses too; and where there are Sentinels, there is but one to ask for.
            return sentinels ? super.getSocketAddress(first) : Mono.defer(() -> super.getSocketAddress(where.get()));
        }
    }

    private static ClientResources resources() {
        return DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .threadFactoryProvider(pool -> new DefaultThreadFactory("tenon-redis-" + pool, true))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .reconnectDelay(Delay.exponential(RECONNECT_MIN, RECONNECT_MAX, 2, TimeUnit.MILLISECONDS))
                .build();
    }

    private static ClientOptions clientOptions(Duration timeout) {
        ClientOptions.Builder options = ClientOptions.builder()
                .autoReconnect(true)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(COMMANDS_IN_FLIGHT_MAX)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(timeout)
                        .keepAlive(SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(Duration.ofSeconds(5))
                                .interval(Duration.ofSeconds(2))
                                .count(3)
                                .build())
                        .build());
        MaintenanceNotices.switchOff(options);
        return options.build();
    }
}
