package dev.tenon.server.access;

import dev.tenon.Names;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server knows of an API key: never the key itself. Its text is {@code tenon_ID_SECRET}; the secret has 256
 * random bits, so that its plain SHA-256 can't be turned back, and needs no salt and no slow hash (NIST SP 800-132 has
 * those for what people choose). Immutable.
 *
 * @param id eight hexadecimal digits, by which it is looked up; no secret
 * @param name of its holder, as it stands in the audit log
 * @param role what its holder may do
 * @param scopes what for
 * @param prefixes of names; the empty text is a prefix of all
 * @param proof how its holder proves to be that
 * @param created when
 * @param createdBy on whose behalf, as far as is known
 */
public record ApiKey(
        String id,
        String name,
        Right role,
        Set<Need.Scope> scopes,
        List<String> prefixes,
        Proof proof,
        Instant created,
        String createdBy) {
    private static final Pattern TEXT = Pattern.compile("tenon_([0-9a-f]{8})_([A-Za-z0-9_-]{43})");
    private static final int ID_BYTES = 4;
    private static final int SECRET_BYTES = 32;

    /** How a holder proves to be that: by the key, or by a certificate. */
    public sealed interface Proof {
        /** Knows the text with this SHA-256, in hexadecimal. */
        record Secret(String sha256) implements Proof {}

        /** Has a certificate of a trusted CA with this subject (RFC 2253). */
        record Certificate(String subject) implements Proof {}
    }

    /**
     * A key that was just made.
     *
     * @param id of its own
     * @param text to be shown once, and then forgotten
     * @param sha256 to be kept
     */
    public record Fresh(String id, String text, String sha256) {}

    /** Checks what does not depend on others. */
    public ApiKey {
        Names.requireValid("key name", name);
        if (prefixes.isEmpty() || scopes.isEmpty()) {
            throw new IllegalArgumentException("key \"" + name + "\" has no prefix, or no scope");
        }
    }

    /** Makes a key. */
    public static Fresh fresh(SecureRandom random) {
        byte[] id = new byte[ID_BYTES];
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        String hex = HexFormat.of().formatHex(id);
        String text =
                "tenon_" + hex + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        return new Fresh(hex, text, sha256(text));
    }

    /** The ID in the text of a key; empty if that is no such text. */
    public static Optional<String> idOf(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
    }

    /** Whether this is the text of the key. Takes as long whether it is or not. */
    public boolean isProvedBy(String text) {
        return proof instanceof Proof.Secret secret && same(secret.sha256(), sha256(text));
    }

    private static boolean same(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }

    private static String sha256(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM has it
        }
    }
}
