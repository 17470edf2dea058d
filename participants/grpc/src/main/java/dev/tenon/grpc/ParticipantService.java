package dev.tenon.grpc;

import dev.tenon.protocol.ParticipantGrpc;
import dev.tenon.protocol.ParticipantReply;
import dev.tenon.protocol.ParticipantReply.Outcome;
import dev.tenon.protocol.ParticipantRequest;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Serves participants over gRPC: add it to a {@code ServerBuilder}. Each call runs in a thread of the server's, which
 * may block. An exception is answered as a status other than OK: the call comes again. Whoever reaches it may call it,
 * unless it is behind a {@link CallSignatureInterceptor}. Thread-safe.
 */
public final class ParticipantService extends ParticipantGrpc.ParticipantImplBase {
    private final Participants participants;

    private ParticipantService(Participants participants) {
        this.participants = Objects.requireNonNull(participants, "participants");
    }

    /**
     * A service for these.
     *
     * @param participants by the name that a target has behind host and port, without its slash
     */
    public static ParticipantService of(Participants participants) {
        return new ParticipantService(participants);
    }

    @Override
    public void call(ParticipantRequest request, StreamObserver<ParticipantReply> answer) {
        ParticipantReply reply;
        try {
            reply = message(reply(request));
        } catch (IllegalArgumentException e) {
            answer.onError(failed(Status.INVALID_ARGUMENT, e));
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answer.onError(failed(Status.UNAVAILABLE, e));
            return;
        } catch (Exception e) {
            answer.onError(failed(Status.UNKNOWN, e));
            return;
        }
        answer.onNext(reply);
        answer.onCompleted();
    }

    private Reply reply(ParticipantRequest request) throws Exception {
        String name = request.getParticipant();
        Optional<Participant> participant = participants.find(name);
        if (participant.isEmpty()) {
            throw Status.NOT_FOUND
                    .withDescription("There is no participant \"" + name + "\" here")
                    .asException();
        }
        BranchCall call = call(request);
        return Objects.requireNonNull(participant.get().call(call), "A participant answers, not null");
    }

    /** What a message says. */
    static BranchCall call(ParticipantRequest request) {
        return new BranchCall(
                new TransactionId(request.getGid()),
                request.getBranch(),
                Operation.of(request.getOperation()),
                request.getParticipant(),
                request.getPayload(),
                Map.of(),
                1);
    }

    private static io.grpc.StatusException failed(Status otherwise, Exception e) {
        return e instanceof io.grpc.StatusException known
                ? known
                : otherwise
                        .withDescription(String.valueOf(e.getMessage()))
                        .withCause(e)
                        .asException();
    }

    private static ParticipantReply message(Reply reply) {
        ParticipantReply.Builder message = ParticipantReply.newBuilder();
        if (reply instanceof Reply.Done done) {
            message.setOutcome(Outcome.DONE).setText(done.result());
        } else if (reply instanceof Reply.Refused refused) {
            message.setOutcome(Outcome.REFUSED).setText(refused.reason());
        } else {
            message.setOutcome(Outcome.NOT_YET).setText(((Reply.NotYet) reply).reason());
        }
        return message.build();
    }
}
