package dev.tenon.grpc;

import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.global.OutgoingCall;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Carries global transactions over gRPC: {@link #from} on the caller's channel, {@link #into} in front of the called
 * services. A call whose status is not OK has the whole transaction rolled back, as its callee has, or may have,
 * failed. The decision comes as a call of {@link GlobalTransactions#PARTICIPANT} of a {@link ParticipantService}.
 */
public final class GlobalTransactionCalls {
    private static final Metadata.Key<String> KEY =
            Metadata.Key.of(GlobalTransactions.HEADER, Metadata.ASCII_STRING_MARSHALLER);

    private GlobalTransactionCalls() {}

    /**
     * Has a service that is called take part in the transaction of the thread that begins the call. Thread-safe.
     *
     * @param service its name among the services of the {@link GlobalTransactions} that {@code scope} belongs to
     */
    public static ClientInterceptor from(GlobalScope scope, String service) {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(service, "service");
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                    @Override
                    public void start(Listener<A> listener, Metadata headers) {
                        Optional<OutgoingCall> outgoing = scope.isReadOnly()
                                ? Optional.empty()
                                : scope.current().map(transaction -> transaction.outgoing(service));
                        outgoing.ifPresent(call -> headers.put(KEY, call.header()));
                        super.start(outgoing.isPresent() ? answered(outgoing.get(), listener) : listener, headers);
                    }
                };
            }
        };
    }

    private static <A> ClientCall.Listener<A> answered(OutgoingCall call, ClientCall.Listener<A> listener) {
        return new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onClose(Status status, Metadata trailers) {
                if (status.isOk()) {
                    call.answered(trailers.get(KEY));
                } else {
                    call.close();
                }
                super.onClose(status, trailers);
            }
        };
    }

    /**
     * Lets calls of one request take part in the transaction of their caller, while the service's method runs: what it
     * answers later, from another thread, has the whole rolled back. Metadata that is no ID of a part is answered with
     * {@code INVALID_ARGUMENT}. Thread-safe.
     */
    public static ServerInterceptor into(GlobalTransactions transactions) {
        Objects.requireNonNull(transactions, "transactions");
        return new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                String header = headers.get(KEY);
                return header == null
                        ? next.startCall(call, headers)
                        : joined(transactions, header, call, headers, next);
            }
        };
    }

    private static <Q, A> ServerCall.Listener<Q> joined(
            GlobalTransactions transactions,
            String header,
            ServerCall<Q, A> call,
            Metadata headers,
            ServerCallHandler<Q, A> next) {
        try {
            transactions.join(header).close();
        } catch (IllegalArgumentException e) {
            call.close(Status.INVALID_ARGUMENT.withDescription(e.getMessage()), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        Answering<Q, A> answering = new Answering<>(call);
        return new SimpleForwardingServerCallListener<>(next.startCall(answering, headers)) {
            @Override
            public void onHalfClose() {
                try (JoinedScope scope = transactions.join(header)) {
                    answering.scope = scope;
                    super.onHalfClose();
                } finally {
                    answering.scope = null;
                }
            }
        };
    }

    /** Says in its trailers that the work is done. */
    private static final class Answering<Q, A> extends SimpleForwardingServerCall<Q, A> {
        private volatile @Nullable JoinedScope scope;

        Answering(ServerCall<Q, A> call) {
            super(call);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            JoinedScope now = scope;
            if (now != null && status.isOk()) {
                now.answer().ifPresent(answer -> trailers.put(KEY, answer));
            }
            super.close(status, trailers);
        }
    }
}
