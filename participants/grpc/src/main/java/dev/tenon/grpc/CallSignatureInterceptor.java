package dev.tenon.grpc;

import dev.tenon.protocol.ParticipantRequest;
import dev.tenon.tx.http.CallSignature;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls of participants through that were signed lately ({@link dev.tenon.tx.http.HttpTargets#signedWith}), and
 * answers all others with {@code UNAUTHENTICATED}. Put it in front of a {@link ParticipantService}, or of any other
 * implementation of {@code tenon.v1.Participant}: {@code ServerInterceptors.intercept(service, interceptor)}. Messages
 * of other services pass as they are. Thread-safe.
 */
public final class CallSignatureInterceptor implements ServerInterceptor {
    private final CallSignature signature;

    private CallSignatureInterceptor(CallSignature signature) {
        this.signature = Objects.requireNonNull(signature, "signature");
    }

    /** An interceptor that takes what these secrets have signed. */
    public static CallSignatureInterceptor of(CallSignature signature) {
        return new CallSignatureInterceptor(signature);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            private boolean refused;

            @Override
            public void onMessage(Q message) {
                Optional<Status> against =
                        message instanceof ParticipantRequest request ? refusal(headers, request) : Optional.empty();
                if (against.isPresent()) {
                    refused = true;
                    call.close(against.get(), new Metadata());
                } else {
                    super.onMessage(message);
                }
            }

            @Override
            public void onHalfClose() {
                if (!refused) {
                    super.onHalfClose();
                }
            }
        };
    }

    private Optional<Status> refusal(Metadata headers, ParticipantRequest request) {
        try {
            return signature
                    .against(name -> text(headers, name), ParticipantService.call(request))
                    .map(Status.UNAUTHENTICATED::withDescription);
        } catch (IllegalArgumentException e) {
            return Optional.of(Status.INVALID_ARGUMENT.withDescription(e.getMessage()));
        }
    }

    private static @Nullable String text(Metadata headers, String name) {
        return headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }
}
