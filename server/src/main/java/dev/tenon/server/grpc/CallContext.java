package dev.tenon.server.grpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Visitor;
import dev.tenon.server.observe.Observer;
import dev.tenon.server.observe.Observer.Observation;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.transport.Certificates;
import dev.tenon.server.transport.SlowPeers;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way: what has come of it, who asks, what for, and how it was answered. Every failure becomes a status
 * here, and only here. Lives on one event loop; only {@link #answerWhen} and {@link #onLoop} bring others there.
 *
 * @param <Q> the request
 * @param <A> the answer, or one of several
 */
final class CallContext<Q extends Message, A extends Message> {
    private static final Logger LOG = LoggerFactory.getLogger(CallContext.class);
    private static final int OK = 200;
    private static final int CLIENT_GONE = 499;
    private static final int PREFIX = 5;
    private static final String CONTENT_TYPE = "application/grpc";
    private static final String STATUS = "grpc-status";

    /** How much of a call that was refused is read, without being kept, so that its sender gets to see why. */
    private static final int LINGER_MAX = 1 << 20;

    private final String operation;
    private final Observer observer;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final SlowPeers peers;
    private final Context context;
    private final GrpcBody body = new GrpcBody();
    private SlowPeers.Hold hold;
    private Future<Void> lastWrite = Future.succeededFuture();
    private Consumer<byte[]> whenRead = message -> {};
    private Runnable whenOver = () -> {};
    private Runnable leaveRoom = () -> {};
    private @Nullable Observation observation;
    private @Nullable Caller caller;
    private boolean read;
    private boolean over;
    private int discarded;

    /**
     * A call whose headers are there.
     *
     * @param operation one of few: the full name of the method
     */
    CallContext(String operation, Observer observer, HttpServerRequest request, SlowPeers peers) {
        this.operation = operation;
        this.observer = observer;
        this.request = request;
        this.response = request.response();
        this.peers = peers;
        this.context = Vertx.currentContext();
        this.hold = peers.hold(() -> fail(new ProblemException(
                ProblemType.REQUEST_TIMEOUT,
                "The request was not complete in time, or the server is short of memory; nothing was done.")));
        request.exceptionHandler(failure -> end(CLIENT_GONE));
        response.exceptionHandler(failure -> end(CLIENT_GONE));
        response.closeHandler(v -> {
            hold.done();
            end(CLIENT_GONE);
        });
        request.handler(this::take);
        request.endHandler(v -> comesToItsEnd());
        hold.add(headBytes());
    }

    private int headBytes() {
        int[] bytes = {0};
        request.headers().forEach((name, value) -> bytes[0] += name.length() + value.length());
        return bytes[0];
    }

    private void take(Buffer some) {
        if (over) {
            discarded += some.length();
            if (discarded > LINGER_MAX) {
                reset();
            }
            return;
        }
        attempt(() -> {
            body.take(some);
            hold.add(some.length());
        });
    }

    private void comesToItsEnd() {
        read = true;
        hold.done();
        if (!over) {
            attempt(() -> whenRead.accept(body.message()));
        }
    }

    /** Ends the stream of a call that was answered before it was read: nobody waits for what is still to come. */
    private void reset() {
        hold.done();
        response.reset(0); // NO_ERROR: RFC 9113, 8.1
    }

    /** Does something for the call, which is answered with a status if that fails. */
    void attempt(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** To be run with the message when it is there, and nothing after it. */
    void read(Consumer<byte[]> then) {
        whenRead = then;
    }

    /** Ends the call when the time is over that its client gives it. */
    void setDeadline() {
        GrpcTimeout.millis(request.getHeader(GrpcTimeout.HEADER)).ifPresent(millis -> {
            Vertx vertx = context.owner();
            long timer = vertx.setTimer(Math.max(1, millis), id -> {
                if (!over) {
                    refuse(GrpcFailure.late());
                }
            });
            Runnable others = leaveRoom;
            leaveRoom = () -> {
                vertx.cancelTimer(timer);
                others.run();
            };
        });
    }

    /**
     * Takes so many bytes of what may be worked on at once, until it is over.
     *
     * @throws ProblemException if there are none left
     */
    void takesRoom(int bytes) {
        Runnable leave = peers.works(bytes);
        Runnable others = leaveRoom;
        leaveRoom = () -> {
            leave.run();
            others.run();
        };
    }

    /** From now on it is observed. */
    void begins(List<String> names) {
        String name = names.size() == 1 ? names.get(0) : "";
        observation = observer.begin(operation, name, header -> Optional.ofNullable(request.getHeader(header)));
    }

    /** Goes on only if the gate lets it. */
    void admit(Gate gate, Need need, String name) {
        caller = gate.admit(visitor(), need, name);
    }

    /** Who asks, as it stands in the audit log. */
    String caller() {
        return caller == null ? "unknown" : caller.name();
    }

    /** Who asks, once it was admitted. */
    Caller who() {
        if (caller == null) {
            throw new IllegalStateException("the caller was not admitted yet");
        }
        return caller;
    }

    private Visitor visitor() {
        SocketAddress address = request.connection().remoteAddress();
        return new Visitor(
                Optional.ofNullable(request.getHeader("Authorization")),
                Certificates.subject(request.connection()),
                address == null ? "unknown" : String.valueOf(address.hostAddress()));
    }

    /** Whether it was answered, or there is nobody any more to answer. */
    boolean isOver() {
        return over;
    }

    /** To be run when it is over, however that comes. */
    void whenOver(Runnable then) {
        whenOver = then;
    }

    /** Runs something on the event loop of the connection. */
    void onLoop(Runnable work) {
        context.runOnContext(v -> work.run());
    }

    /** Whether its client has much to read already. */
    boolean isFull() {
        return response.writeQueueFull();
    }

    /** To be run when there is room again for answers. */
    void whenDrained(Runnable then) {
        response.drainHandler(v -> then.run());
    }

    /** Answers when the stage completes, on whatever thread that is. */
    void answerWhen(CompletionStage<A> stage) {
        stage.whenComplete((answer, failure) -> {
            if (context == Vertx.currentContext()) {
                settle(answer, failure);
            } else {
                onLoop(() -> settle(answer, failure));
            }
        });
    }

    private void settle(@Nullable A answer, @Nullable Throwable failure) {
        if (answer == null) {
            fail(failure);
        } else if (!over) {
            end(OK);
            Future<Void> written = write(answer);
            if (!written.isComplete()) {
                peers.awaits(request, written, PREFIX + answer.getSerializedSize());
            }
            afterWrites(() -> {
                response.putTrailer(STATUS, "0");
                response.end();
            });
        }
    }

    /**
     * Ends an answer, when its client has taken so much of it that the end goes out at once: Vert.x stumbles over an
     * end that waits when the connection is cut (a null in VertxHttp2Stream.writeHeaders), and says so in the log.
     */
    private void afterWrites(Runnable ending) {
        if (isTaken()) {
            ending.run();
        } else {
            lastWrite.onSuccess(v -> ending.run());
        }
    }

    private boolean isTaken() {
        ChannelHandlerContext netty = ((HttpServerConnection) request.connection()).channelHandlerContext();
        if (netty.handler() instanceof Http2ConnectionHandler http2) {
            Http2Stream stream = http2.connection().stream(response.streamId());
            return stream != null && http2.encoder().flowController().isWritable(stream);
        }
        return true;
    }

    /** Answers with one message of several. */
    Future<Void> write(A message) {
        if (!response.headWritten()) {
            putHead();
        }
        int length = message.getSerializedSize();
        byte[] bytes = new byte[PREFIX + length];
        ByteBuffer.wrap(bytes).putInt(1, length);
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes, PREFIX, length);
            message.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        lastWrite = response.write(Buffer.buffer(bytes));
        return lastWrite;
    }

    private void putHead() {
        response.putHeader("content-type", CONTENT_TYPE).putHeader("grpc-accept-encoding", "identity");
    }

    /** Ends it with the status that a failure is. */
    void fail(@Nullable Throwable failure) {
        if (over) {
            return;
        }
        GrpcFailure refusal = GrpcFailure.of(failure);
        if (refusal.isInternal()) {
            LOG.error("{} failed", operation, failure);
        } else {
            LOG.debug("{} is refused: {}", operation, refusal.encodedMessage());
        }
        refuse(refusal);
    }

    private void refuse(GrpcFailure refusal) {
        if (observation == null) {
            begins(List.of());
        }
        end(refusal.httpStatus());
        if (response.headWritten()) {
            afterWrites(() -> end(response.trailers(), refusal));
        } else {
            putHead();
            end(response.headers(), refusal);
        }
        if (!read) {
            hold.done();
            hold = peers.hold(this::reset);
            hold.add(headBytes());
        }
    }

    private void end(MultiMap last, GrpcFailure refusal) {
        last.set(STATUS, String.valueOf(refusal.code()));
        last.set("grpc-message", refusal.encodedMessage());
        if (refusal.hasDetails()) {
            last.set(GrpcFailure.DETAILS, refusal.details());
        }
        response.end();
    }

    private void end(int status) {
        if (over) {
            return;
        }
        over = true;
        Observation begun = observation;
        if (begun != null) {
            begun.end(status, caller == null ? "" : caller.name());
        }
        leaveRoom.run();
        whenOver.run();
    }
}
