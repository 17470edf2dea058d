package dev.tenon.tx;

import dev.tenon.Names;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A message: what is sent, where to, and by which name its consumer knows it again. Immutable.
 *
 * @param id by which a consumer knows a repeated one ({@link dev.tenon.tx.message.Inbox}): 1 to 128 letters, digits, or
 *     any of {@code . _ : -}
 * @param target where to: a topic, a queue or a handler, as the {@link dev.tenon.tx.message.MessageSink} understands
 *     it; a name ({@link Names})
 * @param key messages of one target and one key are sent one after the other; a name; empty: in any order
 * @param type what the body is, with a version, such as {@code "order-paid/1"}; up to 200 characters
 * @param body at most {@value #BODY_LENGTH_MAX} bytes
 * @param headers up to {@value #HEADERS_MAX}, their names are names, their values have up to 1000 characters
 */
public record Message(
        String id, String target, Optional<String> key, String type, byte[] body, Map<String, String> headers) {
    /** The greatest number of bytes of a body. */
    public static final int BODY_LENGTH_MAX = 1 << 20;

    /** The greatest number of headers. */
    public static final int HEADERS_MAX = 50;

    private static final int TEXT_LENGTH_MAX = 1000;

    /**
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public Message {
        id = new TransactionId(id).text();
        Names.requireValid("message target", target);
        key.ifPresent(text -> Names.requireValid("message key", text));
        Objects.requireNonNull(type, "type");
        if (type.length() > Names.LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "The type of a message has at most " + Names.LENGTH_MAX + " characters, not " + type.length());
        }
        if (body.length > BODY_LENGTH_MAX) {
            throw new IllegalArgumentException("The body has " + body.length + " bytes, at most " + BODY_LENGTH_MAX
                    + " are allowed; store the content elsewhere, and send where it is");
        }
        body = body.clone();
        if (headers.size() > HEADERS_MAX) {
            throw new IllegalArgumentException(
                    "A message has at most " + HEADERS_MAX + " headers, not " + headers.size());
        }
        headers.forEach((name, value) -> {
            Names.requireValid("header name", name);
            if (value.length() > TEXT_LENGTH_MAX) {
                throw new IllegalArgumentException("Header \"" + name + "\" has " + value.length()
                        + " characters, at most " + TEXT_LENGTH_MAX + " are allowed");
            }
        });
        headers = Map.copyOf(headers);
    }

    /** A message with a fresh ID, no key and no headers. */
    public static Message of(String target, String type, byte[] body) {
        return new Message(UUID.randomUUID().toString(), target, Optional.empty(), type, body, Map.of());
    }

    /** As {@link #of(String, String, byte[])}, with text in UTF-8. */
    public static Message of(String target, String type, String body) {
        return of(target, type, body.getBytes(StandardCharsets.UTF_8));
    }

    /** This under another ID: one that the business has, so that the same event twice is one message. */
    public Message withId(String other) {
        return new Message(other, target, key, type, body, headers);
    }

    /** This, in order with the others of the target that have this key. */
    public Message withKey(String text) {
        return new Message(id, target, Optional.of(text), type, body, headers);
    }

    /** This with one more header. */
    public Message withHeader(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, value);
        return new Message(id, target, key, type, body, more);
    }

    /** A copy of the body. */
    @Override
    public byte[] body() {
        return body.clone();
    }

    /** The body as text in UTF-8. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Message that
                && id.equals(that.id)
                && target.equals(that.target)
                && key.equals(that.key)
                && type.equals(that.type)
                && Arrays.equals(body, that.body)
                && headers.equals(that.headers);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, target, key, type, headers) * 31 + Arrays.hashCode(body);
    }

    /** Without the body, which must not get into a log. */
    @Override
    public String toString() {
        return "Message " + id + " to " + target + key.map(k -> " of " + k).orElse("") + " (" + type + ", "
                + body.length + " bytes)";
    }
}
