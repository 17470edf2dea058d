package dev.tenon.id.codec;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * Numbers as the public may see them: {@code ord_27Wj4…}, from which neither order nor volume nor a neighbour can be
 * read. A keyed permutation of all 64-bit numbers, so nothing is stored, and the number comes back with the key.
 *
 * <p><b>Text:</b> type prefix, underscore, one symbol for the version of the key, 11 for the number, one check symbol,
 * all in base 58. Each number has exactly one text under a key, and nothing else is read: a foreign prefix, a foreign
 * symbol, a wrong length, a number over 64 bits, an unknown key are refused; so is a mistyped text, since every single
 * wrong symbol and every exchange of two neighbours breaks the check symbol.
 *
 * <p><b>Numbers:</b> any {@code long}, negative ones too.
 *
 * <p><b>Prefix:</b> it is bound in: each prefix has its own permutation, and under {@code usr} the same number has
 * quite another text than under {@code ord}.
 *
 * <p><b>Keys</b> are 32 random bytes, by version. One writes, all read: to rotate, add the new key everywhere, then
 * write with it, and drop the old one when its texts may die. The version is in plain sight.
 *
 * <p><b>What it promises:</b> without the key an attacker that has seen texts, or even chosen numbers and seen their
 * texts, can't tell the permutation from a random one, or say anything of a further number but that it differs, up to
 * about 2³² texts a key and prefix; rotate before that. <b>What it does not:</b> the same number always has the same
 * text; a guessed text belongs to <em>some</em> number (to one of yours with odds of your numbers to 2⁶⁴), so whether a
 * caller may see it must still be checked; and with the key lost, so are the numbers.
 *
 * <p>How and why: docs/adr/0009-public-id-permutation.md. Thread-safe; about a microsecond a call.
 */
public final class PublicId {
    /** How many bytes a key has. */
    public static final int KEY_BYTES = 32;

    /** The greatest version of a key: what one symbol holds. */
    public static final int VERSION_MAX = 57;

    private static final IdCodec NUMBER = IdCodec.base58().fixedWidth();
    private static final Alphabet ALPHABET = NUMBER.alphabet();
    private static final int BODY_LENGTH = NUMBER.width() + 2;
    private static final char SEPARATOR = '_';
    private static final byte[] PURPOSE = "dev.tenon.id.codec.PublicId".getBytes(StandardCharsets.US_ASCII);

    private final String prefix;
    private final String start;
    private final Map<Integer, Feistel> permutations = new TreeMap<>();
    private final int writing;
    private final Feistel writer;

    private PublicId(Builder builder) {
        this.prefix = builder.prefix;
        this.start = prefix + SEPARATOR;
        builder.keys.forEach((version, key) -> permutations.put(version, new Feistel(derive(key, version, prefix))));
        this.writing = builder.writing >= 0 ? builder.writing : builder.keys.lastKey();
        this.writer = Objects.requireNonNull(permutations.get(writing));
    }

    /**
     * Begins the public IDs of a type; at least one key is needed.
     *
     * @throws IllegalArgumentException if the prefix breaks a rule of {@link TypePrefix}
     */
    public static Builder builder(String prefix) {
        return new Builder(prefix);
    }

    /** The type prefix, without its underscore. */
    public String prefix() {
        return prefix;
    }

    /** The text of a number, under the key that writes. */
    public String encode(long number) {
        String digits = NUMBER.encode(writer.encrypt(number));
        int[] values = new int[BODY_LENGTH];
        values[0] = writing;
        for (int i = 0; i < digits.length(); i++) {
            values[i + 1] = ALPHABET.value(digits, i);
        }
        CheckSymbol.complete(values);
        return start + (char) ALPHABET.symbol(writing) + digits + (char) ALPHABET.symbol(values[BODY_LENGTH - 1]);
    }

    /**
     * The number of a text.
     *
     * @throws IllegalArgumentException if it is not exactly what {@link #encode} writes, under one of the keys
     */
    public long decode(String text) {
        if (!text.startsWith(start)) {
            throw refusal(text, "does not begin with " + start + ", as IDs of this type do");
        }
        if (text.length() != start.length() + BODY_LENGTH) {
            throw refusal(
                    text,
                    "has " + text.length() + " characters in place of " + (start.length() + BODY_LENGTH)
                            + "; was some of it cut off, or added?");
        }
        String body = text.substring(start.length());
        int[] values = new int[BODY_LENGTH];
        for (int i = 0; i < BODY_LENGTH; i++) {
            values[i] = ALPHABET.value(body, i);
        }
        if (!CheckSymbol.isComplete(values)) {
            throw refusal(text, "has a check symbol that does not fit the others; was it mistyped?");
        }
        Feistel permutation = permutations.get(values[0]);
        if (permutation == null) {
            throw refusal(
                    text,
                    "was written with key " + values[0] + ", which is not known here: add it, unless it was withdrawn");
        }
        return permutation.decrypt(NUMBER.decode(body.substring(1, BODY_LENGTH - 1)));
    }

    /** The prefix and the versions of the keys; never a key. */
    @Override
    public String toString() {
        return start + "…, keys " + permutations.keySet() + ", written with " + writing;
    }

    private static IllegalArgumentException refusal(String text, String why) {
        return Alphabet.refusal("a public ID", text, why);
    }

    /** One step of HKDF-Expand (RFC 5869, section 2.3), which is all that 32 bytes take. */
    private static byte[] derive(byte[] key, int version, String prefix) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(PURPOSE);
            mac.update((byte) version);
            mac.update(prefix.getBytes(StandardCharsets.US_ASCII));
            mac.update((byte) 1);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java runtime has no HMAC-SHA-256", e);
        }
    }

    /** Collects the keys of a type. Not thread-safe. */
    public static final class Builder {
        private final String prefix;
        private final TreeMap<Integer, byte[]> keys = new TreeMap<>();
        private int writing = -1;

        private Builder(String prefix) {
            this.prefix = TypePrefix.requireValid(prefix);
        }

        /**
         * Adds a key. Several types may share one.
         *
         * @param version 0 to {@value #VERSION_MAX}; never give a version to another key, or old texts become other
         *     numbers
         * @param key {@value #KEY_BYTES} bytes from a cryptographic source; copied
         * @throws IllegalArgumentException if the key has another length or the version is taken
         */
        public Builder key(int version, byte[] key) {
            requireVersion(version);
            if (key.length != KEY_BYTES) {
                throw new IllegalArgumentException(
                        "A key has " + KEY_BYTES + " bytes, not " + key.length + "; draw them with SecureRandom");
            }
            byte[] known = keys.putIfAbsent(version, key.clone());
            if (known != null && !Arrays.equals(known, key)) {
                throw new IllegalArgumentException("There is another key of version " + version + " already");
            }
            return this;
        }

        /** Adds a key that can be {@linkplain SecretKey#getEncoded() had in bytes}. As {@link #key(int, byte[])}. */
        public Builder key(int version, SecretKey key) {
            byte[] encoded = key.getEncoded();
            if (encoded == null) {
                throw new IllegalArgumentException("The key can't leave its store; export " + KEY_BYTES + " bytes");
            }
            return key(version, encoded);
        }

        /** Which key writes; the greatest version by default. */
        public Builder writeWith(int version) {
            this.writing = requireVersion(version);
            return this;
        }

        /**
         * The public IDs.
         *
         * @throws IllegalArgumentException if there is no key, or none of the version that is to write
         */
        public PublicId build() {
            if (keys.isEmpty() || writing >= 0 && !keys.containsKey(writing)) {
                throw new IllegalArgumentException("Add " + (writing < 0 ? "a key" : "the key of version " + writing)
                        + "; there are " + keys.keySet());
            }
            return new PublicId(this);
        }

        private static int requireVersion(int version) {
            if (version < 0 || version > VERSION_MAX) {
                throw new IllegalArgumentException("A key's version is 0 to " + VERSION_MAX + ": " + version);
            }
            return version;
        }
    }
}
