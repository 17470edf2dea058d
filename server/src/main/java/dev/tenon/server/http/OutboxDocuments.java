package dev.tenon.server.http;

import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxOperations.Content;
import dev.tenon.tx.spi.OutboxSummary;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Outboxes as JSON shows them. */
final class OutboxDocuments {
    /** A character of UTF-8 that is cut off has so many bytes left at most. */
    private static final int CUT_BYTES_MAX = 3;

    private OutboxDocuments() {}

    /** An outbox. */
    record OutboxDocument(
            String outbox,
            @Nullable String lag,
            int waiting,
            int deadLetters,
            @Nullable String oldestDeath) {}

    /** A page of outboxes. */
    record OutboxPage(
            List<OutboxDocument> outboxes, @Nullable String next) {}

    /** A lane. */
    record LaneDocument(
            String outbox, String target, @Nullable String key, int waiting, boolean failing, MessageDocument first) {}

    /** Some lanes. */
    record Lanes(List<LaneDocument> lanes) {}

    /** A message, and what is in it where that was asked for. */
    record MessageDocument(
            long number,
            String outbox,
            String id,
            String target,
            @Nullable String key,
            String type,
            String state,
            int attempts,
            String enqueuedAt,
            String age,
            @Nullable String dueAt,
            @Nullable String endedAt,
            @Nullable String lastError,
            int size,
            @Nullable List<TransactionDocuments.EventDocument> history,
            @Nullable ContentDocument content) {}

    /** What is in a message: the beginning of its body, as text, or in Base64 if it is none. */
    record ContentDocument(
            @Nullable String text, @Nullable String base64, boolean complete, Map<String, String> headers) {}

    /** A page of messages. */
    record MessagePage(
            List<MessageDocument> messages, @Nullable Long next) {}

    /** What was done to several. */
    record ActedDocument(List<Long> numbers, @Nullable Long next) {}

    static OutboxPage of(List<OutboxSummary> outboxes, Optional<String> next) {
        return new OutboxPage(
                outboxes.stream()
                        .map(outbox -> new OutboxDocument(
                                outbox.outbox(),
                                outbox.lag().map(OutboxDocuments::rounded).orElse(null),
                                outbox.waiting(),
                                outbox.deadLetters(),
                                outbox.oldestDeath().map(Instant::toString).orElse(null)))
                        .toList(),
                next.orElse(null));
    }

    static Lanes of(List<OutboxLane> lanes) {
        return new Lanes(lanes.stream()
                .map(lane -> new LaneDocument(
                        lane.outbox(),
                        lane.target(),
                        lane.key().orElse(null),
                        lane.waiting(),
                        lane.isFailing(),
                        line(lane.first())))
                .toList());
    }

    /** A page of messages, of which there may be more if it is as long as it may be. */
    static MessagePage page(List<OutboxMessage> messages, int limit) {
        Long next = messages.size() < limit ? null : messages.get(limit - 1).number();
        return new MessagePage(messages.stream().map(OutboxDocuments::line).toList(), next);
    }

    static ActedDocument of(OutboxOperations.Acted acted) {
        return new ActedDocument(acted.numbers(), acted.more() ? acted.last() : null);
    }

    /** A message among others: without its history. */
    private static MessageDocument line(OutboxMessage message) {
        return document(message, null, null);
    }

    /** A message with its history, and with what is in it if the caller may see that. */
    static MessageDocument whole(OutboxMessage message, Optional<Content> content) {
        List<TransactionDocuments.EventDocument> history = message.history().stream()
                .map(e -> new TransactionDocuments.EventDocument(e.at().toString(), e.what(), e.by(), e.detail()))
                .toList();
        return document(message, history, content.map(OutboxDocuments::content).orElse(null));
    }

    private static MessageDocument document(
            OutboxMessage message,
            @Nullable List<TransactionDocuments.EventDocument> history,
            @Nullable ContentDocument content) {
        return new MessageDocument(
                message.number(),
                message.outbox(),
                message.id(),
                message.target(),
                message.key().orElse(null),
                message.type(),
                message.state().name(),
                message.attempts(),
                message.enqueuedAt().toString(),
                rounded(message.age()),
                message.dueAt().map(Instant::toString).orElse(null),
                message.endedAt().map(Instant::toString).orElse(null),
                message.lastError().orElse(null),
                message.size(),
                history,
                content);
    }

    private static ContentDocument content(Content content) {
        Optional<String> text = text(content);
        return new ContentDocument(
                text.orElse(null),
                text.isPresent() ? null : Base64.getEncoder().encodeToString(content.head()),
                content.complete(),
                new TreeMap<>(content.headers()));
    }

    /** The head as text; what was cut within a character is left out. */
    private static Optional<String> text(Content content) {
        byte[] head = content.head();
        for (int cut = 0; cut <= (content.complete() ? 0 : Math.min(CUT_BYTES_MAX, head.length)); cut++) {
            try {
                byte[] whole = Arrays.copyOf(head, head.length - cut);
                return Optional.of(StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(whole))
                        .toString());
            } catch (CharacterCodingException e) {
                // not text, or not with these last bytes
            }
        }
        return Optional.empty();
    }

    /** To a millisecond: nobody needs more, and it is read by people. */
    private static String rounded(Duration duration) {
        return Duration.ofMillis(duration.toMillis()).toString();
    }
}
