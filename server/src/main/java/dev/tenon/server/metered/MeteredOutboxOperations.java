package dev.tenon.server.metered;

import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxSummary;
import java.util.List;
import java.util.Optional;

/** The outboxes of a database, their calls timed. Thread-safe. */
final class MeteredOutboxOperations implements OutboxOperations {
    private final OutboxOperations outbox;
    private final CallTimer timer;

    MeteredOutboxOperations(OutboxOperations outbox, CallTimer timer) {
        this.outbox = outbox;
        this.timer = timer;
    }

    @Override
    public List<OutboxSummary> outboxes(String after, int limit) {
        return timer.time("outboxes", () -> outbox.outboxes(after, limit));
    }

    @Override
    public OutboxSummary summary(String name) {
        return timer.time("summary", () -> outbox.summary(name));
    }

    @Override
    public List<OutboxLane> lanes(String name, int limit) {
        return timer.time("lanes", () -> outbox.lanes(name, limit));
    }

    @Override
    public Optional<OutboxLane> lane(String name, String target, String key) {
        return timer.time("lane", () -> outbox.lane(name, target, key));
    }

    @Override
    public List<OutboxMessage> messages(Lane lane, long after, int limit) {
        return timer.time("messages", () -> outbox.messages(lane, after, limit));
    }

    @Override
    public List<OutboxMessage> deadLetters(String name, DeadLetterFilter filter, long after, int limit) {
        return timer.time("deadLetters", () -> outbox.deadLetters(name, filter, after, limit));
    }

    @Override
    public Optional<OutboxMessage> find(long number) {
        return timer.time("find", () -> outbox.find(number));
    }

    @Override
    public Optional<Content> content(long number) {
        return timer.time("content", () -> outbox.content(number));
    }

    @Override
    public boolean replay(String name, long number, String by, String why) {
        return timer.time("replay", () -> outbox.replay(name, number, by, why));
    }

    @Override
    public boolean discard(String name, long number, String by, String why) {
        return timer.time("discard", () -> outbox.discard(name, number, by, why));
    }

    @Override
    public Acted replayAll(Choice choice, String by, String why) {
        return timer.time("replayAll", () -> outbox.replayAll(choice, by, why));
    }

    @Override
    public Acted discardAll(Choice choice, String by, String why) {
        return timer.time("discardAll", () -> outbox.discardAll(choice, by, why));
    }
}
