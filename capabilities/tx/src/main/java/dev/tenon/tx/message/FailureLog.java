package dev.tenon.tx.message;

import dev.tenon.tx.spi.OutboxEntry;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Says once of a message that it has failed, and once that it is a dead letter; what went wrong in between is in its
 * history. Nothing of what a message has in it is said. Immutable.
 */
final class FailureLog {
    /** Prefix of the reason of a message that was not taken yet, which is not a failure. */
    static final String NOT_YET = "not yet: ";

    private static final System.Logger LOG = System.getLogger(Outbox.class.getName());

    private final String outbox;

    FailureLog(String outbox) {
        this.outbox = outbox;
    }

    /** @param pause after which it is tried again */
    void failed(OutboxEntry entry, String why, Duration pause) {
        boolean first = entry.history().stream()
                .noneMatch(event ->
                        event.what().equals("failed") && !event.detail().startsWith(NOT_YET));
        if (first) {
            LOG.log(
                    Level.WARNING,
                    () -> named(entry) + " was not sent, and is tried again in " + pause + told(entry) + ": "
                            + flat(why));
        }
    }

    void died(OutboxEntry entry, String why) {
        LOG.log(
                Level.WARNING,
                () -> named(entry) + " is a dead letter after " + entry.attempts()
                        + (entry.attempts() == 1 ? " attempt" : " attempts") + told(entry) + ": " + flat(why));
    }

    private String named(OutboxEntry entry) {
        return "Message " + entry.number() + " of the outbox \"" + outbox + "\" ("
                + flat(entry.message().id())
                + ") for \"" + flat(entry.message().target()) + "\""
                + entry.message()
                        .key()
                        .map(key -> ", key \"" + flat(key) + "\"")
                        .orElse("");
    }

    private static String told(OutboxEntry entry) {
        return entry.message().key().isPresent() ? ", and holds back those behind it" : "";
    }

    /** What others have written makes no lines of its own. */
    private static String flat(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ");
    }
}
