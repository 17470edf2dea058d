package dev.tenon.etcd;

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
import java.net.URI;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** Opens the connection to one member of an etcd cluster. */
final class EtcdChannels {
    /** A census has a line for each slot; gRPC's own limit of 4 MiB is that of some ten thousand slots. */
    private static final int ANSWER_BYTES_MAX = 64 << 20;

    // Not more often than once in 5 s, or etcd takes it for an attack (grpc-keepalive-min-time).
    private static final int PING_SECONDS = 10;
    private static final int PING_TIMEOUT_SECONDS = 3;

    private EtcdChannels() {}

    /**
     * The thread of all connections. By the class that Netty 4.1 has too, which is deprecated in 4.2 and the same there
     * (docs/adr/0071-one-jar-for-two-boots.md).
     */
    @SuppressWarnings("deprecation")
    static EventLoopGroup newLoop() {
        return new NioEventLoopGroup(1, new DefaultThreadFactory("tenon-etcd-io", true));
    }

    static ManagedChannel open(URI address, EtcdOptions options, EventLoopGroup loop) {
        long connectMillis = Math.max(
                1, options.commandTimeout().toMillis() / options.endpoints().size());
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address.getHost(), address.getPort())
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) connectMillis)
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(PING_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .maxInboundMessageSize(ANSWER_BYTES_MAX)
                .disableRetry()
                .directExecutor();
        if (address.getScheme().equals("https")) {
            builder.sslContext(tls(options));
        } else {
            builder.usePlaintext();
        }
        return builder.build();
    }

    private static SslContext tls(EtcdOptions options) {
        SslContextBuilder context = GrpcSslContexts.forClient();
        options.tls().ifPresent(tls -> {
            tls.authority().ifPresent(authority -> context.trustManager(authority.toFile()));
            tls.identity()
                    .ifPresent(identity -> context.keyManager(
                            identity.certificate().toFile(), identity.key().toFile()));
        });
        try {
            return context.build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("TLS can't be set up: " + e.getMessage(), e);
        }
    }
}
