package dev.tenon.tx.http;

import dev.tenon.TimeSource;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.notify.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Signs a call of a participant, and checks that it was signed, so that the participant can tell its caller from any
 * other. It is a signature of <i>Standard Webhooks</i> ({@link WebhookSignature}) over the payload, whose ID says which
 * call it is:
 *
 * <ul>
 *   <li>over HTTP {@code gid/branch/operation}: the values of {@link HttpParticipants#GID}, {@link
 *       HttpParticipants#BRANCH} with {@code %2F} for each {@code /} and {@code %2E} for each {@code .} in it, and
 *       {@link HttpParticipants#OPERATION};
 *   <li>over gRPC {@code gid/branch/operation/participant}, the participant written as the branch is.
 * </ul>
 *
 * <p>So a call that was caught can't be sent as another one. It can be sent again as it is, for {@link
 * WebhookSignature#TOLERANCE}; behind the {@link dev.tenon.tx.Barrier} that changes nothing. The address is not signed,
 * as proxies change it: give each participant a secret of its own. What is refused is a warning in the log, once a
 * minute at most. Thread-safe.
 */
public final class CallSignature {
    private final WebhookSignature secrets;
    private final TimeSource time;
    private final RefusedSignatures refusals;

    private CallSignature(WebhookSignature secrets, TimeSource time) {
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        this.time = Objects.requireNonNull(time, "time");
        this.refusals = new RefusedSignatures(time);
    }

    /** Signatures by these secrets, and the clock of this machine. */
    public static CallSignature of(WebhookSignature secrets) {
        return of(secrets, TimeSource.system());
    }

    /**
     * Signatures by these secrets.
     *
     * @param secrets several while one is replaced: a call is signed with each, and is taken if any of them has signed
     *     it
     * @param time when it is now, to the signer and to the checker
     */
    public static CallSignature of(WebhookSignature secrets, TimeSource time) {
        return new CallSignature(secrets, time);
    }

    /** The headers that sign a call over HTTP, by their names. */
    public Map<String, String> sign(BranchCall call) {
        return headers(id(call), call.payload());
    }

    /**
     * The metadata that sign a call over gRPC, by their names.
     *
     * @param participant which of several at one address
     */
    public Map<String, String> sign(BranchCall call, String participant) {
        return headers(id(call) + "/" + escaped(headerText(participant)), call.payload());
    }

    private Map<String, String> headers(String id, String body) {
        Instant now = time.now();
        return Map.of(
                WebhookSignature.ID,
                id,
                WebhookSignature.TIMESTAMP,
                String.valueOf(now.getEpochSecond()),
                WebhookSignature.SIGNATURE,
                secrets.sign(id, now, body));
    }

    /**
     * What speaks against a request over HTTP being a call that was signed lately: empty if it was. Ask before anything
     * else is done with it.
     *
     * @param headers the value of a header, or null
     * @param body as it came, byte for byte
     * @return a reason that may be shown to the sender
     */
    public Optional<String> against(Function<String, @Nullable String> headers, byte[] body) {
        String id = text(headers, HttpParticipants.GID) + "/" + escaped(text(headers, HttpParticipants.BRANCH)) + "/"
                + text(headers, HttpParticipants.OPERATION);
        return against(headers, id, body);
    }

    /**
     * What speaks against a request over gRPC being a call that was signed lately: empty if it was.
     *
     * @param metadata a value of the call's metadata, or null
     * @param call what the message says; its target is the participant's name
     * @return a reason that may be shown to the sender
     */
    public Optional<String> against(Function<String, @Nullable String> metadata, BranchCall call) {
        String id = id(call) + "/" + escaped(headerText(call.target()));
        return against(metadata, id, call.payload().getBytes(StandardCharsets.UTF_8));
    }

    private Optional<String> against(Function<String, @Nullable String> headers, String id, byte[] body) {
        Optional<String> reason = reason(headers, id, body);
        reason.ifPresent(refusals::refused);
        return reason;
    }

    private Optional<String> reason(Function<String, @Nullable String> headers, String id, byte[] body) {
        String timestamp = text(headers, WebhookSignature.TIMESTAMP);
        String signature = text(headers, WebhookSignature.SIGNATURE);
        if (timestamp.isEmpty() || signature.isEmpty()) {
            return Optional.of("only signed calls are taken here, and this one has no " + WebhookSignature.SIGNATURE);
        }
        if (!text(headers, WebhookSignature.ID).equals(id)) {
            return Optional.of(WebhookSignature.ID + " is not that of this call, which is gid/branch/operation");
        }
        if (!secrets.isValid(id, timestamp, signature, body, time.now())) {
            return Optional.of("no secret of this participant has signed this call within "
                    + WebhookSignature.TOLERANCE.toMinutes() + " minutes of its clock");
        }
        return Optional.empty();
    }

    private static String text(Function<String, @Nullable String> headers, String name) {
        String value = headers.apply(name);
        return value == null ? "" : value;
    }

    private static String id(BranchCall call) {
        return call.gid().text() + "/" + escaped(headerText(call.branch())) + "/"
                + call.operation().text();
    }

    /**
     * So that the ID has its slashes where its parts end, and what is signed its dots where the ID and the time end:
     * gids have no slash.
     */
    private static String escaped(String headerText) {
        return headerText.replace("/", "%2F").replace(".", "%2E");
    }

    /**
     * A name as it stands in a header: characters beyond visible ASCII, and {@code %}, as {@code %XX} bytes of UTF-8.
     */
    static String headerText(String name) {
        StringBuilder text = new StringBuilder(name.length());
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            if (b > 0x20 && b < 0x7f && b != '%') {
                text.append((char) b);
            } else {
                text.append("%%%02X".formatted(b & 0xff));
            }
        }
        return text.toString();
    }
}
