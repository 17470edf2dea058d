package dev.tenon.tx.notify;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs and checks webhooks as the specification <i>Standard Webhooks</i> (version 1.0.0) says, for which there are
 * libraries in many languages: {@code v1,} and the HMAC-SHA256, in Base64, of {@code id.timestamp.body}. With several
 * secrets it signs with each of them, and takes what any of them has signed, so that a secret can be replaced.
 * Immutable.
 */
public final class WebhookSignature {
    /** Header with the ID of the message: the same on each try. */
    public static final String ID = "webhook-id";

    /** Header with the time of the try, in seconds since 1970-01-01T00:00:00Z. */
    public static final String TIMESTAMP = "webhook-timestamp";

    /** Header with the signatures, separated by spaces. */
    public static final String SIGNATURE = "webhook-signature";

    /** How far the time of a try may be from the receiver's, so that an attacker can't replay an old one. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);

    static final String PREFIX = "whsec_";
    private static final int SECRET_BYTES_MIN = 24;
    private static final int SECRET_BYTES_MAX = 64;

    private final List<SecretKeySpec> secrets;

    private WebhookSignature(List<SecretKeySpec> secrets) {
        this.secrets = secrets;
    }

    /**
     * Signatures by these secrets, the newest first.
     *
     * @param secrets each {@code whsec_} and 24 to 64 random bytes in Base64, as the specification wants it; or any
     *     other text that both sides know, whose UTF-8 bytes are the key then
     * @throws IllegalArgumentException if there is none, or one is none
     */
    public static WebhookSignature of(String... secrets) {
        if (secrets.length == 0) {
            throw new IllegalArgumentException("A webhook is signed with one secret at least");
        }
        return new WebhookSignature(
                List.of(secrets).stream().map(WebhookSignature::key).toList());
    }

    private static SecretKeySpec key(String secret) {
        // Says nothing of what it was given: this ends in a log.
        String wanted = "A webhook secret is " + PREFIX + " and " + SECRET_BYTES_MIN + " to " + SECRET_BYTES_MAX
                + " random bytes in Base64";
        if (secret.isEmpty()) {
            throw new IllegalArgumentException(wanted + ", or a text; this one is empty");
        }
        if (!secret.startsWith(PREFIX)) {
            return new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
        }
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(wanted + "; this one is no Base64", null);
        }
        if (bytes.length < SECRET_BYTES_MIN || bytes.length > SECRET_BYTES_MAX) {
            throw new IllegalArgumentException(wanted + "; this one has " + bytes.length + " bytes");
        }
        return new SecretKeySpec(bytes, "HmacSHA256");
    }

    /** The value of {@link #SIGNATURE}. */
    public String sign(String id, Instant timestamp, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return secrets.stream().map(key -> sign(key, id, timestamp, bytes)).collect(Collectors.joining(" "));
    }

    private static String sign(SecretKeySpec key, String id, Instant timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            mac.update((id + "." + timestamp.getEpochSecond() + ".").getBytes(StandardCharsets.UTF_8));
            byte[] hash = mac.doFinal(body);
            return "v1," + Base64.getEncoder().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every JDK has HmacSHA256", e);
        }
    }

    /**
     * Whether a message was signed with one of the secrets, lately. A receiver asks this first, with the body as it
     * came, byte for byte.
     *
     * @param id value of {@link #ID}
     * @param timestamp value of {@link #TIMESTAMP}
     * @param signature value of {@link #SIGNATURE}
     * @param now the receiver's time
     */
    public boolean isValid(String id, String timestamp, String signature, String body, Instant now) {
        return isValid(id, timestamp, signature, body.getBytes(StandardCharsets.UTF_8), now);
    }

    /** As {@link #isValid(String, String, String, String, Instant)}, with the bytes of the body. */
    public boolean isValid(String id, String timestamp, String signature, byte[] body, Instant now) {
        Instant at;
        try {
            at = Instant.ofEpochSecond(Long.parseLong(timestamp));
        } catch (RuntimeException e) {
            return false;
        }
        if (Duration.between(at, now).abs().compareTo(TOLERANCE) > 0) {
            return false;
        }
        boolean valid = false;
        for (SecretKeySpec key : secrets) {
            byte[] expected = sign(key, id, at, body).getBytes(StandardCharsets.UTF_8);
            for (String one : signature.split(" ", -1)) {
                valid |= MessageDigest.isEqual(expected, one.getBytes(StandardCharsets.UTF_8));
            }
        }
        return valid;
    }
}
