package dev.tenon.tx.http;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalParticipant;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of {@link HttpParticipants}, for any HTTP server: reads the headers that name a call, has a
 * participant do it (a {@link LocalParticipant}, so that it is behind the barrier), and says which status to answer.
 * Thread-safe.
 */
public final class BarrierHandler {
    private static final System.Logger LOG = System.getLogger(BarrierHandler.class.getName());
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int CONFLICT = 409;
    private static final int TOO_EARLY = 425;
    private static final int FAILED = 500;

    private final Participant participant;
    private final Optional<CallSignature> signature;

    private BarrierHandler(Participant participant, Optional<CallSignature> signature) {
        this.participant = Objects.requireNonNull(participant, "participant");
        this.signature = signature;
    }

    /** A handler whose calls {@code participant} does. */
    public static BarrierHandler of(Participant participant) {
        return new BarrierHandler(participant, Optional.empty());
    }

    /**
     * This, for calls that were signed lately ({@link HttpTargets#signedWith}); others are answered with 401, and
     * nothing else is done.
     */
    public BarrierHandler verifying(CallSignature signed) {
        return new BarrierHandler(participant, Optional.of(signed));
    }

    /**
     * What to answer.
     *
     * @param status 200, 409, 425; 400 if the call is none; 401 if it is not signed and has to be; 500 if it failed,
     *     and is to come again
     * @param body the result or the reason, as text in UTF-8
     */
    public record Answer(int status, String body) {
        public Answer {
            Objects.requireNonNull(body, "body");
        }
    }

    /**
     * Does a call. Blocks.
     *
     * @param headers the value of a header, or null; names in the case of {@link HttpParticipants}'s constants, which
     *     HTTP does not look at
     * @param body of the request, decoded from UTF-8
     */
    public Answer handle(Function<String, @Nullable String> headers, String body) {
        Optional<String> unsigned = signature.flatMap(s -> s.against(headers, body.getBytes(StandardCharsets.UTF_8)));
        if (unsigned.isPresent()) {
            return new Answer(UNAUTHORIZED, unsigned.get());
        }
        BranchCall call;
        try {
            call = call(headers, body);
        } catch (IllegalArgumentException e) {
            return new Answer(BAD_REQUEST, String.valueOf(e.getMessage()));
        }
        try {
            return answer(Objects.requireNonNull(participant.call(call), "A participant answers, not null"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed(call, e);
        } catch (Exception e) {
            return failed(call, e);
        }
    }

    /**
     * The call that a request is.
     *
     * @param headers as in {@link #handle}
     * @throws IllegalArgumentException if a header is missing or wrong; the message says which
     */
    public static BranchCall call(Function<String, @Nullable String> headers, String body) {
        String branch = header(headers, HttpParticipants.BRANCH);
        return new BranchCall(
                new TransactionId(header(headers, HttpParticipants.GID)),
                // A plus is a plus: it is no form.
                URLDecoder.decode(branch.replace("+", "%2B"), StandardCharsets.UTF_8),
                Operation.of(header(headers, HttpParticipants.OPERATION)),
                "",
                body,
                Map.of(),
                1);
    }

    private static String header(Function<String, @Nullable String> headers, String name) {
        String value = headers.apply(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(
                    "The header " + name + " is missing: this is called as a participant of a"
                            + " transaction, with " + HttpParticipants.GID + ", " + HttpParticipants.BRANCH + " and "
                            + HttpParticipants.OPERATION);
        }
        return value;
    }

    /** The status and body that a reply is. */
    public static Answer answer(Reply reply) {
        if (reply instanceof Reply.Done done) {
            return new Answer(OK, done.result());
        }
        return reply instanceof Reply.Refused refused
                ? new Answer(CONFLICT, refused.reason())
                : new Answer(TOO_EARLY, ((Reply.NotYet) reply).reason());
    }

    /** What went wrong is for this side's log, and may be more than the caller should know. */
    private static Answer failed(BranchCall call, Exception e) {
        LOG.log(
                Level.WARNING,
                "Branch " + call.branch() + " of transaction " + call.gid() + " has failed at "
                        + call.operation().text() + ", and will be called again",
                e);
        return new Answer(FAILED, "failed; the participant's log says why");
    }
}
