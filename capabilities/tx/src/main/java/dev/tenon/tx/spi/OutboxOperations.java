package dev.tenon.tx.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * What operators ask of the outboxes of a database, and do to dead letters, whether or not this process sends their
 * messages. The seam between operations ({@link dev.tenon.tx.message.Outbox}, a server, an actuator) and a backend.
 *
 * <p>What every implementation promises, and {@code OutboxOperationsContract} checks:
 *
 * <ul>
 *   <li>What is read is there without a lock, and keeps no sender waiting.
 *   <li>No call reads more than a small multiple of {@link #LOOK_MAX} rows to find lanes, however many messages there
 *       are, and none reads bodies but {@link #content}. A listing of dead letters may go through all that the outbox
 *       has.
 *   <li>A replay or discard is in the history of its message, with the operator and the reason, and has an effect once.
 * </ul>
 *
 * <p>Calls block. They fail with {@link dev.tenon.BackendUnavailableException} if nothing happened, and with {@link
 * dev.tenon.OutcomeUnknownException} if the answer was lost. Implementations are thread-safe.
 */
public interface OutboxOperations {
    /** The most that a listing gives, and that is replayed or discarded at a time. */
    int PAGE_MAX = 100;

    /** Up to where messages are counted. */
    int COUNT_MAX = 1000;

    /** How much of a body is shown, in bytes. */
    int HEAD_BYTES = 4096;

    /** How many messages of each sort (overdue, due later, dead) are read to find the lanes that they are in. */
    int LOOK_MAX = 1000;

    /**
     * The outboxes that have messages in the database, in the order of their names.
     *
     * @param after only those with greater names; empty: from the first
     * @param limit how many at most, 1 to {@value #PAGE_MAX}
     */
    List<OutboxSummary> outboxes(String after, int limit);

    /** How one outbox is; with zeros if it has no message. */
    OutboxSummary summary(String outbox);

    /**
     * Lanes that have messages to be sent, those first whose first message has been there for longest. If there are
     * more than {@value #LOOK_MAX} messages of a sort, it tells of the lanes of those that have been overdue for
     * longest, that are due next, and that died first.
     *
     * @param limit how many at most, 1 to {@value #PAGE_MAX}
     */
    List<OutboxLane> lanes(String outbox, int limit);

    /** The lane of that target and key, and so what keeps its messages back; empty if none of them is to be sent. */
    Optional<OutboxLane> lane(String outbox, String target, String key);

    /**
     * The messages of a lane that are neither sent nor discarded, in the order in which they go.
     *
     * @param after only those with greater numbers
     * @param limit how many at most, 1 to {@value #PAGE_MAX}
     */
    List<OutboxMessage> messages(Lane lane, long after, int limit);

    /**
     * Dead letters, in the order of their numbers.
     *
     * @param after only those with greater numbers
     * @param limit how many at most, 1 to {@value #PAGE_MAX}
     */
    List<OutboxMessage> deadLetters(String outbox, DeadLetterFilter filter, long after, int limit);

    /**
     * The message of that number, of whichever outbox, sent or not, with its history; empty if there is none, any more.
     */
    Optional<OutboxMessage> find(long number);

    /**
     * The first {@value #HEAD_BYTES} bytes of a message's body, and its headers; empty if there is none, or it was
     * purged.
     */
    Optional<Content> content(long number);

    /**
     * Makes a dead letter due again, with all its attempts.
     *
     * @param by name of the operator, for the history
     * @param why the reason, for the history
     * @return false if this outbox has no dead letter of that number
     */
    boolean replay(String outbox, long number, String by, String why);

    /**
     * Gives a dead letter up: those behind it go on without it. It is kept until it is purged.
     *
     * @param by name of the operator, for the history
     * @param why the reason, for the history
     * @return false if this outbox has no dead letter of that number
     */
    boolean discard(String outbox, long number, String by, String why);

    /** As {@link #replay}, the first dead letters that {@code choice} means, each by itself. */
    default Acted replayAll(Choice choice, String by, String why) {
        return each(choice, number -> replay(choice.outbox(), number, by, why));
    }

    /** As {@link #discard}, the first dead letters that {@code choice} means, each by itself. */
    default Acted discardAll(Choice choice, String by, String why) {
        return each(choice, number -> discard(choice.outbox(), number, by, why));
    }

    private Acted each(Choice choice, LongPredicate act) {
        List<OutboxMessage> found = deadLetters(choice.outbox(), choice.filter(), choice.after(), choice.limit());
        List<Long> done = new ArrayList<>();
        long last = choice.after();
        for (OutboxMessage letter : found) {
            if (act.test(letter.number())) {
                done.add(letter.number());
            }
            last = letter.number();
        }
        return new Acted(done, last, found.size() == choice.limit());
    }

    /**
     * Messages that go one after the other.
     *
     * @param outbox whose messages they are
     * @param target where they go to
     * @param key what they have in common
     */
    record Lane(String outbox, String target, String key) {
        /**
         * @throws NullPointerException if something is missing
         */
        public Lane {
            Objects.requireNonNull(outbox, "outbox");
            Objects.requireNonNull(target, "target");
            Objects.requireNonNull(key, "key");
        }
    }

    /**
     * The dead letters to which something is done.
     *
     * @param outbox whose they are
     * @param filter which of them
     * @param after only those with greater numbers
     * @param limit how many at most, 1 to {@value #PAGE_MAX}
     */
    record Choice(String outbox, DeadLetterFilter filter, long after, int limit) {
        /**
         * @throws NullPointerException if something is missing
         */
        public Choice {
            Objects.requireNonNull(outbox, "outbox");
            Objects.requireNonNull(filter, "filter");
        }
    }

    /**
     * What was done to dead letters.
     *
     * @param numbers of those to which it was done; without those that another operator has replayed or discarded
     *     meanwhile
     * @param last the number from which to go on
     * @param more whether there may be others after it
     */
    record Acted(List<Long> numbers, long last, boolean more) {
        public Acted {
            numbers = List.copyOf(numbers);
        }
    }

    /**
     * What is in a message. Immutable.
     *
     * @param head the first bytes of its body
     * @param complete whether that is all of it
     * @param headers all of them
     */
    record Content(byte[] head, boolean complete, Map<String, String> headers) {
        public Content {
            head = head.clone();
            headers = Map.copyOf(headers);
        }

        /** A copy of the bytes. */
        @Override
        public byte[] head() {
            return head.clone();
        }
    }
}
