package dev.tenon.tx.spi;

import java.time.Duration;
import java.util.Objects;

/** What became of a message that was claimed. */
public sealed interface Settlement {
    /** The message as it was claimed. */
    OutboxEntry entry();

    /**
     * It was sent.
     *
     * @param kept whether it stays in the table until it is purged
     */
    record Sent(OutboxEntry entry, boolean kept) implements Settlement {}

    /**
     * It has to be tried again.
     *
     * @param pause when, from now
     * @param counts whether it was an attempt
     * @param why it was not sent
     */
    record Again(OutboxEntry entry, Duration pause, boolean counts, String why) implements Settlement {
        public Again {
            Objects.requireNonNull(pause, "pause");
            Objects.requireNonNull(why, "why");
        }
    }

    /**
     * It is a dead letter from now on.
     *
     * @param why it can't be sent
     */
    record Dead(OutboxEntry entry, String why) implements Settlement {
        public Dead {
            Objects.requireNonNull(why, "why");
        }
    }

    /** It was not tried, as the one before it of its key was not sent, or time was over. */
    record Untried(OutboxEntry entry) implements Settlement {}
}
