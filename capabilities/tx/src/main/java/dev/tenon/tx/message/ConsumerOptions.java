package dev.tenon.tx.message;

import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.tx.RetryPolicy;
import java.util.Objects;

/**
 * How messages are taken from a broker. Immutable.
 *
 * @param group whose consumers share the messages of a topic; where the broker has queues, only a name for the history;
 *     a name ({@link Names})
 * @param retry when a message that could not be handled is tried again; used up, it is a dead letter
 * @param deadSuffix what is added to the name of a topic or queue for that of its dead letters; a name
 * @param inFlight how many messages a consumer holds at most, 1 to 1000
 * @param time the clocks
 */
public record ConsumerOptions(String group, RetryPolicy retry, String deadSuffix, int inFlight, TimeSource time) {
    private static final int IN_FLIGHT = 100;
    /** After 1, 2, 4 and 8 s. */
    private static final RetryPolicy FIVE = RetryPolicy.FOR_EVER.upTo(5);

    /**
     * @throws IllegalArgumentException if a value is out of its bounds
     */
    public ConsumerOptions {
        Names.requireValid("consumer group", group);
        Objects.requireNonNull(retry, "retry");
        Names.requireValid("suffix of dead letters", deadSuffix);
        if (inFlight < 1 || inFlight > 1000) {
            throw new IllegalArgumentException("inFlight is 1 to 1000, not " + inFlight);
        }
        Objects.requireNonNull(time, "time");
    }

    /** Five attempts within some 15 s, dead letters at {@code …-dead}, 100 messages at a time. */
    public static ConsumerOptions of(String group) {
        return new ConsumerOptions(group, FIVE, "-dead", IN_FLIGHT, TimeSource.system());
    }

    /** This with other retries; without a limit, no message becomes a dead letter unless it is refused. */
    public ConsumerOptions withRetry(RetryPolicy policy) {
        return new ConsumerOptions(group, policy, deadSuffix, inFlight, time);
    }

    /** This with dead letters at the topic's or queue's name and {@code suffix}. */
    public ConsumerOptions withDeadSuffix(String suffix) {
        return new ConsumerOptions(group, retry, suffix, inFlight, time);
    }

    /** This with at most as many messages in its hands. */
    public ConsumerOptions withInFlight(int messages) {
        return new ConsumerOptions(group, retry, deadSuffix, messages, time);
    }

    /** This on another clock. */
    public ConsumerOptions withTime(TimeSource source) {
        return new ConsumerOptions(group, retry, deadSuffix, inFlight, source);
    }

    /** The name of the dead letters of a topic or queue. */
    public String deadLettersOf(String target) {
        return target + deadSuffix;
    }
}
