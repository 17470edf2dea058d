package dev.tenon.tx.message;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A message that a consumer gave up. Immutable.
 *
 * @param id the message's; empty if it was given up because it has none
 * @param from the topic or queue that it came from, and goes back to
 * @param reason why it was given up
 * @param history every failure and replay, a line each
 * @param body the message's
 */
public record DeadLetter(Optional<String> id, String from, String reason, List<String> history, byte[] body) {
    /** All of it is taken as it is. */
    public DeadLetter {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(reason, "reason");
        history = List.copyOf(history);
        body = body.clone();
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

    /** Without the body. */
    @Override
    public String toString() {
        return "Dead letter " + id.orElse("without an ID") + " from " + from + ": " + reason;
    }
}
