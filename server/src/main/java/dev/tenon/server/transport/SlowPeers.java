package dev.tenon.server.transport;

import dev.tenon.TimeSource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.transport.ConnectionLimit.Verdict;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ends what takes too long, so that clients who are slow, on purpose or not, cost the others nothing: a connection
 * without a request, a request that does not come to its end, an answer that nobody takes. What they hold in memory
 * meanwhile is bounded; when it is used up, the oldest goes. A request that is being answered is never too long: an
 * acquire may wait for hours. Lives on one event loop.
 */
public final class SlowPeers {
    private static final long TOLD_NANOS = Duration.ofSeconds(5).toNanos();
    private static final int HEAP_SHARE = 16;
    private static final long HELD_LEAST = 1024 * 1024;

    private final Map<HttpConnection, Peer> peers = new HashMap<>();
    private final Set<Hold> holds = new LinkedHashSet<>(); // the oldest first
    private final ConnectionLimit connections;
    private final TimeSource time;
    private final long patienceNanos;
    private final long idleNanos;
    private final long heldMax;
    private long held;
    private long workedOn;

    /**
     * No connection yet.
     *
     * @param connections shared by all event loops
     * @param loops how many there are
     */
    public SlowPeers(Limits limits, ConnectionLimit connections, int loops, TimeSource time) {
        this.connections = connections;
        this.time = time;
        this.patienceNanos = limits.patience().toNanos();
        this.idleNanos = limits.idle().toNanos();
        this.heldMax = Math.max(HELD_LEAST, Runtime.getRuntime().maxMemory() / HEAP_SHARE / loops);
    }

    private static final class Peer {
        private final boolean told;
        private int busy;
        private boolean greeted;
        private long quietSince;
        private @Nullable Future<Void> written;

        private Peer(boolean told, long now) {
            this.told = told;
            this.quietSince = now;
        }
    }

    /** Bytes that are kept for a client who is to do something: to send the rest, or to take them. */
    public final class Hold {
        private final Runnable cut;
        private final long since = time.nanoTime();
        private int bytes;

        private Hold(Runnable cut) {
            this.cut = cut;
        }

        /** That many more; it may be cut at once. */
        public void add(int more) {
            if (!holds.contains(this)) {
                return;
            }
            bytes += more;
            held += more;
            while (held > heldMax) {
                holds.stream().filter(h -> h.bytes > 0).findFirst().ifPresent(Hold::end);
            }
        }

        /** The client has done its part. */
        public void done() {
            if (holds.remove(this)) {
                held -= bytes;
            }
        }

        private void end() {
            done();
            cut.run();
        }
    }

    /** A connection was made. */
    public void connected(HttpConnection connection) {
        // The timer of Vert.x was for those who say nothing at all, and would also end a request that waits.
        ChannelPipeline pipeline =
                ((HttpServerConnection) connection).channelHandlerContext().pipeline();
        if (pipeline.get(IdleStateHandler.class) != null) {
            pipeline.remove(IdleStateHandler.class);
        }
        String address = address(connection);
        Verdict verdict = connections.enter(address);
        peers.put(connection, new Peer(verdict != Verdict.SERVED, time.nanoTime()));
        connection.closeHandler(v -> {
            peers.remove(connection);
            connections.leave(address);
        });
        if (verdict == Verdict.CUT) {
            cut(connection);
        }
    }

    /** A request begins. False: its connection is one too many. */
    public boolean begins(HttpServerRequest request) {
        Peer peer = peers.get(request.connection());
        if (peer == null) {
            return true;
        }
        peer.busy++;
        peer.greeted = true;
        request.response().endHandler(v -> {
            peer.busy--;
            peer.quietSince = time.nanoTime();
        });
        return !peer.told;
    }

    /**
     * Does what a request asks for, once its client has taken what it was answered before on this connection: who asks
     * on and on, and takes nothing, is not worked for.
     */
    public void inTurn(HttpServerRequest request, Runnable work) {
        Peer peer = peers.get(request.connection());
        Future<Void> before = peer == null ? null : peer.written;
        if (before == null || before.isComplete() || request.version() == HttpVersion.HTTP_2) {
            work.run();
            return;
        }
        request.pause();
        before.onSuccess(v -> {
            work.run();
            request.resume();
        });
    }

    /** An answer is on its way, and its client has not taken all of it yet. */
    public void awaits(HttpServerRequest request, Future<Void> written, int bytes) {
        Peer peer = peers.get(request.connection());
        if (peer != null) {
            peer.written = written;
        }
        Hold hold = hold(() -> cut(request.connection()));
        hold.add(bytes);
        written.onComplete(v -> hold.done());
    }

    /**
     * Waits for a client.
     *
     * @param cut run when that took too long, or too much; it must not throw
     */
    public Hold hold(Runnable cut) {
        Hold hold = new Hold(cut);
        holds.add(hold);
        return hold;
    }

    /**
     * Makes room for a request that is whole and about to be worked on: as much as for those that are not, for all of
     * them together.
     *
     * @param bytes what it takes in memory
     * @return to be run once, when it was answered
     * @throws ProblemException if there is no room now; a request that is alone always has some
     */
    public Runnable works(int bytes) {
        if (workedOn > 0 && workedOn + bytes > heldMax) {
            throw new ProblemException(
                    ProblemType.OVERLOADED,
                    "The requests in progress use all the memory that they may; nothing was done. Retry later.");
        }
        workedOn += bytes;
        return () -> workedOn -= bytes;
    }

    /** Ends a connection without waiting for its client to take what is on its way, which may be never. */
    public static void cut(HttpConnection connection) {
        Channel channel =
                ((HttpServerConnection) connection).channelHandlerContext().channel();
        if (!channel.isOpen()) {
            return; // for something else on it
        }
        channel.config().setOption(ChannelOption.SO_LINGER, 0); // the system is to forget it too
        channel.unsafe().close(channel.voidPromise());
    }

    /** Ends what takes too long by now. */
    public void runOnce() {
        long now = time.nanoTime();
        List<Hold> late = new ArrayList<>();
        for (Iterator<Hold> all = holds.iterator(); all.hasNext(); ) {
            Hold next = all.next();
            if (now - next.since <= patienceNanos) {
                break;
            }
            late.add(next);
        }
        late.forEach(Hold::end);
        List<HttpConnection> quiet = new ArrayList<>();
        peers.forEach((connection, peer) -> {
            long limit = peer.told ? TOLD_NANOS : peer.greeted ? idleNanos : patienceNanos;
            if (peer.busy == 0 && now - peer.quietSince > limit) {
                quiet.add(connection);
            }
        });
        quiet.forEach(HttpConnection::close);
    }

    private static String address(HttpConnection connection) {
        return connection.remoteAddress() == null
                ? "unknown"
                : String.valueOf(connection.remoteAddress().hostAddress());
    }
}
