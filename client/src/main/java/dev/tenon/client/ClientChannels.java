package dev.tenon.client;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** Opens the connection to one server. */
final class ClientChannels {
    /** A census has a line for each slot, and a page of locks all their waiters; gRPC's own limit is 4 MiB. */
    private static final int ANSWER_BYTES_MAX = 64 << 20;

    /** A line that has gone silent is found out so, though nothing is asked: by the pings of HTTP/2. */
    private static final int PING_SECONDS = 10;

    private static final int PING_TIMEOUT_SECONDS = 3;

    private ClientChannels() {}

    /**
     * The thread of all connections. By the class that Netty 4.1 has too, which is deprecated in 4.2 and the same there
     * (docs/adr/0071-one-jar-for-two-boots.md).
     */
    @SuppressWarnings("deprecation")
    static EventLoopGroup newLoop() {
        return new NioEventLoopGroup(1, new DefaultThreadFactory("tenon-client-io", true));
    }

    static ManagedChannel open(ServerAddress address, ClientOptions options, EventLoopGroup loop) {
        long connectMillis =
                Math.max(1, options.callTimeout().toMillis() / options.servers().size());
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address.host(), address.port())
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) connectMillis)
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(PING_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .maxInboundMessageSize(ANSWER_BYTES_MAX)
                .disableRetry()
                .disableServiceConfigLookUp()
                .directExecutor();
        if (options.tls().isPresent()) {
            builder.sslContext(tls(options.tls().get()));
        } else {
            builder.usePlaintext();
        }
        return builder.build();
    }

    private static SslContext tls(ClientOptions.Tls tls) {
        SslContextBuilder context = GrpcSslContexts.forClient();
        try {
            tls.authority().ifPresent(authority -> context.trustManager(authority.toFile()));
            tls.identity()
                    .ifPresent(identity -> context.keyManager(
                            identity.certificate().toFile(), identity.key().toFile()));
            return context.build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS can't be set up: " + e.getMessage(), e);
        }
    }
}
