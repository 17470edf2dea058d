package dev.tenon.id.standard;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;
import java.util.UUID;

/**
 * UUIDs made from names: version 3 (MD5), 5 (SHA-1), and 8 as the RFC's appendix B.2 makes it (SHA-256). The same name
 * in the same namespace has the same UUID, on any machine and at any time.
 *
 * <ul>
 *   <li><b>Unique</b> for each namespace and name, as far as 122 bits of the hash are; for MD5 and SHA-1 an attacker
 *       that wants two names with one UUID can find them. Take version 5 for compatibility and 8 if names come from
 *       strangers.
 *   <li><b>Order:</b> none.
 *   <li><b>Rate limit, clock, store:</b> none.
 * </ul>
 *
 * <p>An attacker that can guess the name can check the guess. Source: RFC 9562, sections 5.3, 5.5, 6.5, 6.6, B.2.
 * Immutable.
 */
public final class NameUuidGenerator {
    /** For fully qualified domain names. */
    public static final UUID DNS = namespace("6ba7b810");

    /** For URLs. */
    public static final UUID URL = namespace("6ba7b811");

    /** For ISO object identifiers. */
    public static final UUID OID = namespace("6ba7b812");

    /** For X.500 distinguished names. */
    public static final UUID X500 = namespace("6ba7b814");

    private final int version;
    private final String algorithm;
    private final UUID namespace;

    private NameUuidGenerator(int version, String algorithm, UUID namespace) {
        this.version = version;
        this.algorithm = algorithm;
        this.namespace = Objects.requireNonNull(namespace, "namespace");
    }

    /** Version 3, by MD5. */
    public static NameUuidGenerator version3(UUID namespace) {
        return new NameUuidGenerator(3, "MD5", namespace);
    }

    /** Version 5, by SHA-1. */
    public static NameUuidGenerator version5(UUID namespace) {
        return new NameUuidGenerator(5, "SHA-1", namespace);
    }

    /** Version 8, by SHA-256. */
    public static NameUuidGenerator version8(UUID namespace) {
        return new NameUuidGenerator(8, "SHA-256", namespace);
    }

    /**
     * The UUID of a name, which is taken as it is, in UTF-8; bring names that have several spellings into one form
     * first.
     */
    public UUID uuid(String name) {
        return uuid(name.getBytes(StandardCharsets.UTF_8));
    }

    /** The UUID of a name in bytes. */
    public UUID uuid(byte[] name) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java runtime has no " + algorithm, e);
        }
        digest.update(Rfc9562.toBytes(namespace));
        byte[] hash = digest.digest(name);
        long high = UInt128.word(hash, 0) & ~0xf000L | (long) version << 12;
        return new UUID(high, UInt128.word(hash, Long.BYTES) & Rfc9562.CUSTOM_C_MASK | Rfc9562.VARIANT_BIT);
    }

    private static UUID namespace(String first) {
        return UUID.fromString(first + "-9dad-11d1-80b4-00c04fd430c8");
    }
}
