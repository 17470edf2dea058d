package dev.tenon.etcd;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.Uninterruptibles;
import com.google.protobuf.ByteString;
import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one etcd, one a member, of which the calls use one until it fails. A call is sent once, and to
 * another member only if it surely was not sent: what may have happened is the caller's to find out. Each ends by its
 * deadline. A member that was silent is connected to anew, as behind a dead peer the next connection may fare better.
 * Thread-safe.
 */
final class EtcdLink implements AutoCloseable {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
    private static final int CALLS_IN_FLIGHT = 256;
    private static final int LOST_WITHOUT_PAUSE = 4;
    private static final int PAUSE_MAX_MILLIS = 64;

    private final EtcdOptions options;
    private final TimeSource time;
    private final EventLoopGroup loop = EtcdChannels.newLoop();
    private final List<ManagedChannel> members = new ArrayList<>();
    private final AtomicInteger inUse = new AtomicInteger();
    private volatile @Nullable String token;

    EtcdLink(EtcdOptions options, TimeSource time) {
        this.options = options;
        this.time = time;
        try {
            for (String endpoint : options.endpoints()) {
                members.add(EtcdChannels.open(EtcdOptions.address(endpoint), options, loop));
            }
            if (options.user().isPresent()) {
                logIn(deadline());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** A kind of call. {@code harmless}: repeating or losing it changes nothing that anybody could notice. */
    record Method<Q, A>(MethodDescriptor<Q, A> descriptor, boolean harmless) {}

    /** What the whole of a caller's call may take. */
    Deadline deadline() {
        return Deadline.after(options.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Asks and waits for the answer; a stream of one request and one answer counts as such a call too.
     *
     * @throws BackendUnavailableException if nothing happened
     * @throws OutcomeUnknownException if it may have happened
     */
    <Q, A> A call(Method<Q, A> method, Q request, Deadline deadline) {
        for (int attempt = 1; ; attempt++) {
            int member = inUse.get();
            try {
                return callWithLogin(method, request, deadline);
            } catch (BackendUnavailableException e) {
                inUse.compareAndSet(member, (member + 1) % members.size());
                if (attempt >= members.size() || deadline.isExpired()) {
                    throw e;
                }
            } catch (OutcomeUnknownException e) {
                inUse.compareAndSet(member, (member + 1) % members.size());
                throw e;
            }
        }
    }

    /**
     * Asks for something harmless beside another call; waited for, it throws as {@link #call} does.
     *
     * @param method a harmless one, as it may be repeated
     */
    <Q, A> Supplier<A> begin(Method<Q, A> method, Q request, Deadline deadline) {
        Started<A> call = start(method, request, deadline);
        return () -> call.await().isOk() ? call.answer() : call(method, request, deadline);
    }

    /** Asks for several things at once, {@value #CALLS_IN_FLIGHT} at a time, each time anew within the timeout. */
    <Q, A> List<A> callAll(Method<Q, A> method, List<Q> requests) {
        List<A> answers = new ArrayList<>(requests.size());
        for (int from = 0; from < requests.size(); from += CALLS_IN_FLIGHT) {
            Deadline deadline = deadline();
            List<Started<A>> started = new ArrayList<>();
            for (Q request : requests.subList(from, Math.min(requests.size(), from + CALLS_IN_FLIGHT))) {
                started.add(start(method, request, deadline));
            }
            started.forEach(call -> answers.add(finish(call)));
        }
        return answers;
    }

    /**
     * A stream to one member that stays open.
     *
     * @param member which one
     */
    record Stream<Q>(int member, ClientCallStreamObserver<Q> requests) {}

    /**
     * Opens a stream to the member in use; its answers come on the thread of the connection. The member breaks it off
     * when it has lost the others, rather than being silent.
     */
    <Q, A> Stream<Q> stream(MethodDescriptor<Q, A> method, StreamObserver<A> answers) {
        int member = inUse.get();
        Metadata headers = new Metadata();
        headers.put(HAS_LEADER, "true");
        Channel channel =
                ClientInterceptors.intercept(usable(member), MetadataUtils.newAttachHeadersInterceptor(headers));
        CallOptions call = withLogin(CallOptions.DEFAULT, method);
        return new Stream<>(member, (ClientCallStreamObserver<Q>)
                ClientCalls.asyncBidiStreamingCall(channel.newCall(method, call), answers));
    }

    /** After the end of a stream: the next one goes to another member, or after another login. */
    void broken(Stream<?> stream, Status status) {
        if (options.user().isPresent() && EtcdErrors.needsLogin(status)) {
            logIn(deadline());
        } else {
            inUse.compareAndSet(stream.member, (stream.member + 1) % members.size());
        }
    }

    /**
     * After a lost race: lets others go first for a moment, by chance, the longer the more often this caller has lost;
     * the first few times not at all, since whoever waits loses to one who has just won and does not.
     *
     * @throws BackendUnavailableException if there is no time left
     */
    void pause(int lost, Deadline deadline) {
        if (deadline.isExpired()) {
            throw new BackendUnavailableException(
                    "etcd: others were quicker each of " + (lost + 1) + " times within " + options.commandTimeout());
        }
        if (lost < LOST_WITHOUT_PAUSE) {
            return;
        }
        int millisMax = Math.min(PAUSE_MAX_MILLIS, 1 << Math.min(lost - LOST_WITHOUT_PAUSE, 10));
        time.park(Duration.ofNanos(ThreadLocalRandom.current().nextLong(millisMax * 1_000_000L)));
    }

    @Override
    public void close() {
        members.forEach(ManagedChannel::shutdownNow);
        members.forEach(EtcdLink::awaitEnd);
        loop.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(CLOSE_LIMIT.toMillis());
    }

    /** Lets what is under way, such as a connection that fails, see that it is over before its loop is gone. */
    private static void awaitEnd(ManagedChannel member) {
        try {
            member.awaitTermination(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private <Q, A> A callWithLogin(Method<Q, A> method, Q request, Deadline deadline) {
        Started<A> call = start(method, request, deadline);
        Status status = call.await();
        if (options.user().isPresent() && EtcdErrors.needsLogin(status)) {
            logIn(deadline);
            call = start(method, request, deadline);
        }
        return finish(call);
    }

    private void logIn(Deadline deadline) {
        EtcdOptions.User user = options.user().orElseThrow();
        AuthenticateRequest request = AuthenticateRequest.newBuilder()
                .setNameBytes(ByteString.copyFromUtf8(user.name()))
                .setPasswordBytes(ByteString.copyFromUtf8(user.password()))
                .build();
        token = finish(start(new Method<>(AuthGrpc.getAuthenticateMethod(), true), request, deadline))
                .getToken();
    }

    private <Q, A> Started<A> start(Method<Q, A> method, Q request, Deadline deadline) {
        int member = inUse.get();
        ManagedChannel channel = usable(member);
        Sent sent = new Sent();
        CallOptions call = withLogin(
                CallOptions.DEFAULT.withDeadline(deadline).withStreamTracerFactory(sent), method.descriptor());
        return new Started<>(
                member,
                method.harmless(),
                sent,
                ClientCalls.futureUnaryCall(channel.newCall(method.descriptor(), call), request));
    }

    private ManagedChannel usable(int member) {
        ManagedChannel channel = members.get(member);
        if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            // gRPC would wait for up to two minutes before it tried again.
            channel.resetConnectBackoff();
        }
        return channel;
    }

    private CallOptions withLogin(CallOptions call, MethodDescriptor<?, ?> method) {
        String known = token;
        return known == null || method == (Object) AuthGrpc.getAuthenticateMethod()
                ? call
                : call.withCallCredentials(new Login(known));
    }

    private <A> A finish(Started<A> call) {
        Status status = call.await();
        if (status.isOk()) {
            return call.answer();
        }
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            members.get(call.member).enterIdle();
        }
        throw EtcdErrors.translate(status, options.endpoints().get(call.member), call.sent.headers, call.harmless);
    }

    private record Started<A>(int member, boolean harmless, Sent sent, ListenableFuture<A> future) {
        Status await() {
            try {
                Uninterruptibles.getUninterruptibly(future);
                return Status.OK;
            } catch (ExecutionException e) {
                return Status.fromThrowable(e);
            }
        }

        A answer() {
            try {
                return Objects.requireNonNull(Uninterruptibles.getUninterruptibly(future), "answer");
            } catch (ExecutionException e) {
                throw new TenonException("etcd: " + e.getMessage(), e);
            }
        }
    }

    /** Whether a call has left this process: gRPC tells it to nobody but a tracer. */
    private static final class Sent extends ClientStreamTracer.Factory {
        private volatile boolean headers;

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata ignored) {
            return new ClientStreamTracer() {
                @Override
                public void outboundHeaders() {
                    headers = true;
                }
            };
        }
    }

    private static final class Login extends CallCredentials {
        private final String token;

        Login(String token) {
            this.token = token;
        }

        @Override
        public void applyRequestMetadata(RequestInfo request, Executor executor, MetadataApplier applier) {
            Metadata headers = new Metadata();
            headers.put(TOKEN, token);
            applier.apply(headers);
        }
    }
}
