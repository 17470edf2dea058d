package dev.tenon.spring;

import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/tenonoutbox}: the outbox of this application. Asks the database. Read only, unless its access is
 * widened.
 */
@Endpoint(id = "tenonoutbox", defaultAccess = Access.READ_ONLY)
final class OutboxEndpoint {
    private static final int LIMIT = 100;

    private final Outbox outbox;

    OutboxEndpoint(Outbox outbox) {
        this.outbox = outbox;
    }

    /**
     * How the outbox is.
     *
     * @param lag for how long the message that has waited longest has been due; null if none is
     * @param lanes what waits, by target and key, the oldest first
     * @param more whether there are other dead letters after the last
     */
    record Overview(String outbox, @Nullable Duration lag, List<Lane> lanes, List<Line> deadLetters, boolean more) {}

    /**
     * Messages that go one after the other, or, without a key, those to one target.
     *
     * @param failing whether the first has failed
     * @param waiting how many there are beside the first
     */
    record Lane(String target, @Nullable String key, boolean failing, int waiting, Line first) {
        static Lane of(OutboxLane lane) {
            return new Lane(
                    lane.target(), lane.key().orElse(null), lane.isFailing(), lane.waiting(), Line.of(lane.first()));
        }
    }

    /**
     * A message, without what is in it, which may be secret.
     *
     * @param error what went wrong last; null if nothing has
     */
    record Line(
            long number,
            String id,
            String target,
            @Nullable String key,
            String type,
            String state,
            int attempts,
            Instant enqueuedAt,
            Duration age,
            @Nullable String error) {
        static Line of(OutboxMessage message) {
            return new Line(
                    message.number(),
                    message.id(),
                    message.target(),
                    message.key().orElse(null),
                    message.type(),
                    message.state().name().toLowerCase(Locale.ROOT),
                    message.attempts(),
                    message.enqueuedAt(),
                    message.age(),
                    message.lastError().orElse(null));
        }
    }

    /** A message with what became of it. */
    record Detail(Line message, List<TransactionEvent> history) {
        static Detail of(OutboxMessage message) {
            return new Detail(Line.of(message), message.history());
        }
    }

    /**
     * What was done to several.
     *
     * @param last the number from which to go on
     * @param more whether there may be others after it
     */
    record Done(List<Long> numbers, long last, boolean more) {}

    /**
     * How far it is behind, what waits, and up to 100 dead letters.
     *
     * @param target dead letters to this one only
     * @param key dead letters with this one only
     * @param after the last number of the page before
     */
    // Spring's own annotation, too, since Spring Boot 3 knows by it alone what may be left out.
    @SuppressWarnings("deprecation")
    @ReadOperation
    public Overview show(
            @org.springframework.lang.Nullable @Nullable String target,
            @org.springframework.lang.Nullable @Nullable String key,
            @org.springframework.lang.Nullable @Nullable Long after) {
        List<OutboxMessage> dead = outbox.operations()
                .deadLetters(outbox.name(), filter(target, key), Objects.requireNonNullElse(after, 0L), LIMIT);
        return new Overview(
                outbox.name(),
                outbox.lag().orElse(null),
                outbox.lanes(LIMIT).stream().map(Lane::of).toList(),
                dead.stream().map(Line::of).toList(),
                dead.size() == LIMIT);
    }

    /** One message; null, which is a 404, if there is none. */
    @ReadOperation
    public @Nullable Detail find(@Selector long number) {
        return found(number).map(Detail::of).orElse(null);
    }

    private Optional<OutboxMessage> found(long number) {
        return outbox.operations()
                .find(number)
                .filter(message -> message.outbox().equals(outbox.name()));
    }

    /**
     * Does to one dead letter what an operator decides.
     *
     * @param action {@code replay} or {@code discard}
     * @param by who it is, for the history
     * @param reason why, for the history
     */
    @SuppressWarnings("deprecation")
    @WriteOperation
    public Detail act(
            @Selector long number,
            String action,
            String by,
            @org.springframework.lang.Nullable @Nullable String reason) {
        OutboxMessage before = found(number).orElseThrow(() -> invalid("The outbox has no message " + number));
        String why = Objects.requireNonNullElse(reason, "");
        boolean done = switch (action) {
            case "replay" -> outbox.replay(number, by, why);
            case "discard" -> outbox.discard(number, by, why);
            default -> throw unknown(action);
        };
        if (!done) {
            throw invalid("Message " + number + " is no dead letter");
        }
        return Detail.of(found(number).orElse(before)); // it may be sent, and gone, already
    }

    /**
     * Does it to the first 100 dead letters that are meant.
     *
     * @param action {@code replay} or {@code discard}
     * @param by who it is, for the histories
     * @param reason why, for the histories
     * @param target those to this one only
     * @param after only those with greater numbers
     */
    @SuppressWarnings("deprecation")
    @WriteOperation
    public Done actOnMany(
            String action,
            String by,
            @org.springframework.lang.Nullable @Nullable String reason,
            @org.springframework.lang.Nullable @Nullable String target,
            @org.springframework.lang.Nullable @Nullable Long after) {
        String why = Objects.requireNonNullElse(reason, "");
        long from = Objects.requireNonNullElse(after, 0L);
        OutboxOperations.Acted acted = switch (action) {
            case "replay" -> outbox.replayAll(filter(target, null), from, by, why);
            case "discard" -> outbox.discardAll(filter(target, null), from, by, why);
            default -> throw unknown(action);
        };
        return new Done(acted.numbers(), acted.last(), acted.more());
    }

    private static DeadLetterFilter filter(@Nullable String target, @Nullable String key) {
        return new DeadLetterFilter(Optional.ofNullable(target), Optional.ofNullable(key), Optional.empty());
    }

    private static InvalidEndpointRequestException unknown(String action) {
        return invalid("The action is replay or discard, not \"" + action + "\"");
    }

    private static InvalidEndpointRequestException invalid(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }
}
