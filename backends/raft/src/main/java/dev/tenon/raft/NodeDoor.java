package dev.tenon.raft;

import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.apache.ratis.thirdparty.io.netty.channel.Channel;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandlerContext;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.ratis.thirdparty.io.netty.channel.ServerChannel;
import org.apache.ratis.thirdparty.io.netty.channel.epoll.Epoll;
import org.apache.ratis.thirdparty.io.netty.channel.epoll.EpollServerSocketChannel;
import org.apache.ratis.thirdparty.io.netty.channel.socket.nio.NioServerSocketChannel;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslHandler;

/**
 * The port of a node, where TLS says who is one: connections that have not shown yet that they come from a node are
 * few, and have little time. When there are too many, the oldest goes, since a node needs milliseconds. By default gRPC
 * gives each two minutes, and takes as many as the process may open files.
 */
final class NodeDoor implements GrpcServices.Customizer {
    /** How many may stand at the door. */
    static final int STRANGERS_MAX = 128;

    private static final long STRANGER_SECONDS_MAX = 10;

    private final boolean epoll;

    /** @param epoll whether the engine is told to use it where it is there */
    NodeDoor(boolean epoll) {
        this.epoll = epoll && Epoll.isAvailable();
    }

    @Override
    public NettyServerBuilder customize(NettyServerBuilder builder, EnumSet<GrpcServices.Type> types) {
        return builder.channelFactory(this::listening);
    }

    private ServerChannel listening() {
        ServerChannel channel = epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
        channel.pipeline().addLast(new Watch());
        return channel;
    }

    private static boolean known(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return tls != null && tls.handshakeFuture().isSuccess();
    }

    /** Sees each connection as it is accepted; on the one thread that accepts. */
    private static final class Watch extends ChannelInboundHandlerAdapter {
        private final Set<Channel> strangers = new LinkedHashSet<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            context.fireChannelRead(accepted);
            if (accepted instanceof Channel channel) {
                strangers.add(channel);
                channel.closeFuture()
                        .addListener(closed -> context.executor().execute(() -> strangers.remove(channel)));
                context.executor().schedule(() -> judge(channel), STRANGER_SECONDS_MAX, TimeUnit.SECONDS);
                makeRoom();
            }
        }

        private void judge(Channel channel) {
            if (strangers.remove(channel) && !known(channel)) {
                channel.close();
            }
        }

        private void makeRoom() {
            Iterator<Channel> oldestFirst = strangers.iterator();
            while (strangers.size() > STRANGERS_MAX) {
                Channel oldest = oldestFirst.next();
                oldestFirst.remove();
                if (!known(oldest)) {
                    oldest.close();
                }
            }
        }
    }
}
