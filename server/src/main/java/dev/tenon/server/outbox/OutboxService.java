package dev.tenon.server.outbox;

import dev.tenon.TenonException;
import dev.tenon.server.access.Caller;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxOperations.Acted;
import dev.tenon.tx.spi.OutboxOperations.Choice;
import dev.tenon.tx.spi.OutboxOperations.Content;
import dev.tenon.tx.spi.OutboxSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * The outboxes of the database under a server. It shows their messages and has dead letters replayed or discarded; to
 * send them is left to the services whose outboxes they are. A caller that is for some names only sees the outboxes
 * whose names begin so. Thread-safe; everything but {@link #known} blocks.
 */
public final class OutboxService {
    private final OutboxOperations operations;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile Optional<Known> known = Optional.empty();

    /** Over the outboxes of one database. */
    public OutboxService(OutboxOperations operations) {
        this.operations = operations;
    }

    /**
     * How all outboxes are together.
     *
     * @param deadLetters how many there are, of each outbox up to 1000
     * @param lag for how long the message that has waited longest has been due
     * @param failingLanes how many lanes have a first message that has failed, of each outbox up to 100
     */
    public record Known(int deadLetters, Duration lag, int failingLanes) {}

    /** Outboxes, in the order of their names, and from where to go on if there may be more. */
    public record Page(List<OutboxSummary> outboxes, Optional<String> next) {}

    /**
     * Outboxes that the caller may see, in the order of their names; a page may have fewer than there are, or none.
     *
     * @param after only those with greater names; empty: from the first
     * @param limit how many at most
     */
    public Page outboxes(Caller who, String after, int limit) {
        List<OutboxSummary> found = operations.outboxes(after, limit);
        Optional<String> next =
                found.size() == limit ? Optional.of(found.get(found.size() - 1).outbox()) : Optional.empty();
        return new Page(
                found.stream().filter(summary -> who.sees(summary.outbox())).toList(), next);
    }

    /**
     * Lanes of an outbox, the oldest first.
     *
     * @param failing only those whose first message has failed
     * @param limit how many at most
     */
    public List<OutboxLane> lanes(String outbox, boolean failing, int limit) {
        List<OutboxLane> lanes = operations.lanes(outbox, failing ? OutboxOperations.PAGE_MAX : limit);
        return lanes.stream()
                .filter(lane -> !failing || lane.isFailing())
                .limit(limit)
                .toList();
    }

    /** What keeps a key back, and those behind it, in order: a page of the messages of one lane. */
    public List<OutboxMessage> messages(OutboxOperations.Lane lane, long after, int limit) {
        return operations.messages(lane, after, limit);
    }

    /** One lane; empty if it has no message that is to be sent. */
    public Optional<OutboxLane> lane(OutboxOperations.Lane lane) {
        return operations.lane(lane.outbox(), lane.target(), lane.key());
    }

    /** A page of dead letters. */
    public List<OutboxMessage> deadLetters(String outbox, DeadLetterFilter filter, long after, int limit) {
        return operations.deadLetters(outbox, filter, after, limit);
    }

    /**
     * The message of that number.
     *
     * @throws ProblemException if there is none, or it is of an outbox that the caller may not see
     */
    public OutboxMessage require(Caller who, long number) {
        OutboxMessage message = operations
                .find(number)
                .orElseThrow(() -> new ProblemException(
                        ProblemType.UNKNOWN_MESSAGE,
                        "No outbox has a message " + number + "; it may have been sent and deleted. List dead "
                                + "letters: ./tenon outbox dead."));
        who.requireSees(message.outbox());
        return message;
    }

    /** What is in a message; empty if it is gone. */
    public Optional<Content> content(long number) {
        return operations.content(number);
    }

    /**
     * Has a dead letter sent again.
     *
     * @return it as it is then
     * @throws ProblemException if there is no such message, or it is no dead letter
     */
    public OutboxMessage replay(Caller who, long number, String why) {
        OutboxMessage message = require(who, number);
        return done(who, message, operations.replay(message.outbox(), number, who.name(), why));
    }

    /**
     * Gives a dead letter up.
     *
     * @return it as it is then
     * @throws ProblemException if there is no such message, or it is no dead letter
     */
    public OutboxMessage discard(Caller who, long number, String why) {
        OutboxMessage message = require(who, number);
        return done(who, message, operations.discard(message.outbox(), number, who.name(), why));
    }

    private OutboxMessage done(Caller who, OutboxMessage before, boolean done) {
        if (!done) {
            throw new ProblemException(
                    ProblemType.NO_DEAD_LETTER,
                    "Message " + before.number() + " is not a dead letter; it is "
                            + require(who, before.number()).state() + ". Only dead letters can be replayed or "
                            + "discarded.");
        }
        return operations.find(before.number()).orElse(before); // it may be sent, and gone, already
    }

    /**
     * Has those dead letters sent again.
     *
     * @param told hears of each as soon as it is done, so also if the store goes away before the next
     */
    public Acted replayAll(Choice choice, Caller who, String why, Consumer<OutboxMessage> told) {
        return each(choice, told, number -> operations.replay(choice.outbox(), number, who.name(), why));
    }

    /**
     * Gives those dead letters up.
     *
     * @param told hears of each as soon as it is done, so also if the store goes away before the next
     */
    public Acted discardAll(Choice choice, Caller who, String why, Consumer<OutboxMessage> told) {
        return each(choice, told, number -> operations.discard(choice.outbox(), number, who.name(), why));
    }

    private Acted each(Choice choice, Consumer<OutboxMessage> told, LongPredicate act) {
        List<OutboxMessage> found =
                operations.deadLetters(choice.outbox(), choice.filter(), choice.after(), choice.limit());
        List<Long> done = new ArrayList<>();
        for (OutboxMessage letter : found) {
            if (act.test(letter.number())) {
                told.accept(letter);
                done.add(letter.number());
            }
        }
        long last =
                found.isEmpty() ? choice.after() : found.get(found.size() - 1).number();
        return new Acted(done, last, found.size() == choice.limit());
    }

    /** How all outboxes were when that was looked at last; empty if it is not known. Does not block. */
    public Optional<Known> known() {
        return known;
    }

    /** Looks how all outboxes are, unless somebody is about to. */
    public void look() {
        if (looking.compareAndSet(false, true)) {
            try {
                known = Optional.of(looked(operations.outboxes("", OutboxOperations.PAGE_MAX)));
            } catch (TenonException e) {
                known = Optional.empty(); // the store is away
            } finally {
                looking.set(false);
            }
        }
    }

    private Known looked(List<OutboxSummary> outboxes) {
        List<OutboxLane> failing = new ArrayList<>();
        outboxes.stream()
                .filter(outbox -> outbox.waiting() > 0 || outbox.deadLetters() > 0)
                .forEach(outbox -> failing.addAll(lanes(outbox.outbox(), true, OutboxOperations.PAGE_MAX)));
        Duration lag = outboxes.stream()
                .map(outbox -> outbox.lag().orElse(Duration.ZERO))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        int dead = outboxes.stream().mapToInt(OutboxSummary::deadLetters).sum();
        return new Known(dead, lag, failing.size());
    }
}
