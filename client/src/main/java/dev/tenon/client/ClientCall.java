package dev.tenon.client;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.protocol.Reason;
import io.grpc.ClientCall.Listener;
import io.grpc.ClientStreamTracer;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call of a caller, with its repetitions. It is sent again, to the next server, when the last one surely did
 * nothing, and, if that is harmless, when its reply was lost; always with the same request. Each attempt begins when
 * the one before has ended.
 */
final class ClientCall<Q, A> {
    private static final long PAUSE_MILLIS_MIN = 10;
    private static final long PAUSE_MILLIS_MAX = 320;

    private final CompletableFuture<A> result = new CompletableFuture<>();
    private final ClientLink link;
    private final Method<Q, A> method;
    private final Q request;
    private final Deadline deadline;
    private boolean mayHaveHappened;
    private int attempts;

    /** How a call bears to be repeated. */
    enum Repeat {
        /** It changes nothing that anybody could notice. */
        LOOKS,
        /** Done twice it is done once, and the answer is the same. */
        SAME,
        /** Done twice its answer, or what it takes, would be another. */
        ONCE
    }

    /** A kind of call. */
    record Method<Q, A>(MethodDescriptor<Q, A> descriptor, Repeat repeat) {}

    ClientCall(ClientLink link, Method<Q, A> method, Q request, Deadline deadline) {
        this.link = link;
        this.method = method;
        this.request = request;
        this.deadline = deadline;
    }

    /** Begins. The answer may come on the thread of the connection. */
    CompletableFuture<A> start() {
        attempt();
        return result;
    }

    private void attempt() {
        if (link.isClosed()) {
            fail(new BackendUnavailableException("The client is closed"));
            return;
        }
        attempts++;
        int server = link.inUse();
        Sent sent = new Sent();
        io.grpc.ClientCall<Q, A> call = link.newCall(server, method.descriptor(), deadline, sent);
        new Attempt(server, sent, call).start();
    }

    /** What has become of one attempt. */
    private final class Attempt extends Listener<A> implements SilentServers.Waiting {
        private final long sentNanos = link.nanoTime();
        private final int server;
        private final Sent sent;
        private final io.grpc.ClientCall<Q, A> call;
        private @Nullable A answer;

        Attempt(int server, Sent sent, io.grpc.ClientCall<Q, A> call) {
            this.server = server;
            this.sent = sent;
            this.call = call;
        }

        void start() {
            link.silence().began(this);
            call.start(this, new Metadata());
            call.request(2);
            call.sendMessage(request);
            call.halfClose();
        }

        @Override
        public int server() {
            return server;
        }

        @Override
        public long sentNanos() {
            return sentNanos;
        }

        @Override
        public void giveUp(String why) {
            call.cancel(why, null);
        }

        @Override
        public void onMessage(A message) {
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            link.silence().ended(this);
            A received = answer;
            if (status.isOk() && received != null) {
                link.silence().heard(server);
                result.complete(received);
                return;
            }
            Reason reason = ClientErrors.reason(status, trailers);
            if (reason == Reason.REASON_UNSPECIFIED) {
                endedOnTheWay(status);
            } else {
                saidByServer(reason, status, trailers);
            }
        }

        private void endedOnTheWay(Status status) {
            boolean happened = sent.left && method.repeat() != Repeat.LOOKS;
            mayHaveHappened |= happened;
            link.failed(server, status, sentNanos);
            RuntimeException failure = ClientErrors.onTheWay(status, link.address(server), mayHaveHappened);
            if (happened && method.repeat() == Repeat.ONCE || status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
                result.completeExceptionally(failure);
            } else {
                again(failure);
            }
        }

        private void saidByServer(Reason reason, Status status, Metadata trailers) {
            RuntimeException failure = ClientErrors.of(reason, status, trailers, link.address(server));
            boolean unknown = reason == Reason.REASON_OUTCOME_UNKNOWN;
            mayHaveHappened |= unknown && method.repeat() != Repeat.LOOKS;
            boolean unable = unknown || reason == Reason.REASON_UNAVAILABLE;
            if (unable) {
                link.unable(server);
            }
            if (unable && (!unknown || method.repeat() != Repeat.ONCE)) {
                again(failure);
            } else {
                fail(failure);
            }
        }
    }

    /** Others were asked before perhaps, and one of them may have done it. */
    private void fail(RuntimeException failure) {
        boolean nothing = failure instanceof BackendUnavailableException;
        result.completeExceptionally(
                mayHaveHappened && nothing
                        ? new OutcomeUnknownException(
                                failure.getMessage() + "; an earlier attempt may have been carried out", failure)
                        : failure);
    }

    private void again(RuntimeException failure) {
        // The next server at once; after a round of all of them a pause, the longer the more rounds there were.
        int rounds = attempts / link.servers();
        long most = Math.min(PAUSE_MILLIS_MAX, PAUSE_MILLIS_MIN << Math.min(rounds - 1L, 10));
        long pause =
                attempts % link.servers() == 0 ? ThreadLocalRandom.current().nextLong(most / 2, most + 1) : 0;
        if (deadline.timeRemaining(TimeUnit.MILLISECONDS) <= pause || link.isClosed()) {
            fail(failure);
        } else {
            link.later(Duration.ofMillis(pause), this::attempt);
        }
    }

    /** Whether an attempt has left this process: gRPC tells it to nobody but a tracer. */
    static final class Sent extends ClientStreamTracer.Factory {
        private volatile boolean left;

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    left = true;
                }
            };
        }
    }
}
