package dev.tenon.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection in such a way that its client gets to see the last answer. One that is closed while its client
 * still sends is reset, and with it goes what is on its way to the client (RFC 9112, 9.6). So after an answer that is
 * to be the last one, the server's side alone is closed at first; what still arrives is thrown away unread, until the
 * client closes too or has had its time. Lives on one event loop, nearest to the socket.
 */
final class LastAnswer extends ChannelDuplexHandler {
    private static final Duration LINGER = Duration.ofSeconds(1);

    private boolean given;
    private boolean lingers;

    private LastAnswer() {}

    /** From now on this connection can be ended so. */
    static void watch(HttpConnection connection) {
        pipeline(connection).addFirst(new LastAnswer());
    }

    /** What is being answered now is the last answer on its connection. */
    static void given(HttpConnection connection) {
        LastAnswer handler = pipeline(connection).get(LastAnswer.class);
        if (handler != null) {
            handler.given = true;
        }
    }

    private static ChannelPipeline pipeline(HttpConnection connection) {
        return ((HttpServerConnection) connection).channelHandlerContext().pipeline();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (lingers) {
            ReferenceCountUtil.release(bytes);
        } else {
            context.fireChannelRead(bytes);
        }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise closed) {
        Channel channel = context.channel();
        if (!given || !channel.isActive() || !(channel instanceof DuplexChannel duplex)) {
            context.close(closed);
            return;
        }
        channel.closeFuture().addListener(end -> closed.trySuccess());
        if (lingers) {
            return;
        }
        lingers = true;
        context.flush();
        duplex.shutdownOutput();
        channel.config().setAutoRead(true);
        var timer = channel.eventLoop()
                .schedule(
                        () -> channel.unsafe().close(channel.voidPromise()), LINGER.toMillis(), TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(end -> timer.cancel(false));
    }
}
