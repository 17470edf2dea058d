package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tenon.tx.Message;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxMessage.State;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxSummary;
import dev.tenon.tx.spi.Settlement;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What every {@link OutboxOperations} must do: extend it, and hand out two stores over one database as two processes
 * would have them, and connections to it as a business would. The operations are the other process's: whoever asks need
 * not be who sends.
 */
public abstract class OutboxOperationsContract extends OutboxStoreScenario {
    private static final Message NOWHERE =
            Message.of("/paynowhere", "t/1", "pay").withKey("k");

    private OutboxOperations operations() {
        return otherStore().operations();
    }

    private OutboxMessage find(long number) {
        return operations().find(number).orElseThrow();
    }

    /** Claims the first message of each lane that is due, and has it be a dead letter. */
    private List<Long> die(String why) {
        List<Settlement> dead = new ArrayList<>();
        List<Long> numbers = new ArrayList<>();
        for (OutboxEntry entry : claim(100)) {
            dead.add(new Settlement.Dead(entry, why));
            numbers.add(entry.number());
        }
        store().settle(outbox, dead);
        return numbers;
    }

    @Test
    void anOutboxIsListedWithWhatIsLateAndWhatIsDead() throws SQLException {
        commit(message("a"), message("b"));
        List<Long> dead = die("no way");
        commit(message("c"));
        OutboxSummary summary = operations().outboxes(outbox.substring(0, outbox.length() - 1), 1).stream()
                .findFirst()
                .orElseThrow();
        assertThat(summary.outbox()).isEqualTo(outbox);
        assertThat(summary.waiting()).isEqualTo(1);
        assertThat(summary.deadLetters()).isEqualTo(2);
        assertThat(summary.lag()).hasValueSatisfying(lag -> assertThat(lag).isPositive());
        assertThat(summary.oldestDeath()).isEqualTo(find(dead.get(0)).endedAt());
        assertThat(operations().summary(outbox).deadLetters()).isEqualTo(2);
        assertThat(operations().summary("another " + outbox))
                .isEqualTo(new OutboxSummary("another " + outbox, Optional.empty(), 0, 0, Optional.empty()));
        assertThat(operations().outboxes(outbox, 100))
                .extracting(OutboxSummary::outbox)
                .doesNotContain(outbox);
    }

    @Test
    void anOutboxWithNothingThatIsDueHasNoLag() throws SQLException {
        commit(message("a"));
        claim(10);
        assertThat(operations().outboxes(outbox.substring(0, outbox.length() - 1), 1))
                .extracting(OutboxSummary::lag)
                .containsExactly(Optional.empty());
    }

    @Test
    void tellsWhatKeepsAKeyBackAndHowManyWaitBehindIt() throws SQLException {
        commit(NOWHERE, NOWHERE.withId("second"), NOWHERE.withId("third"), message("fine"));
        List<OutboxEntry> claimed = claim(10);
        OutboxEntry first = claimed.get(0);
        store().settle(
                        outbox,
                        List.of(
                                new Settlement.Again(first, Duration.ofMinutes(5), true, "no handler"),
                                new Settlement.Untried(claimed.get(1)),
                                new Settlement.Untried(claimed.get(2)),
                                new Settlement.Sent(claimed.get(3), true)));
        OutboxLane lane = operations().lane(outbox, "/paynowhere", "k").orElseThrow();
        assertThat(lane.isFailing()).isTrue();
        assertThat(lane.waiting()).isEqualTo(2);
        assertThat(lane.first().number()).isEqualTo(first.number());
        assertThat(lane.first().id()).isEqualTo(NOWHERE.id());
        assertThat(lane.first().attempts()).isEqualTo(1);
        assertThat(lane.first().state()).isEqualTo(State.WAITING);
        assertThat(lane.first().lastError()).contains("no handler");
        assertThat(lane.first().age()).isPositive();
        assertThat(lane.first().dueAt())
                .hasValueSatisfying(
                        at -> assertThat(at).isAfter(lane.first().enqueuedAt().plus(Duration.ofMinutes(4))));
        assertThat(operations().lanes(outbox, 10))
                .extracting(found -> found.first().number(), OutboxLane::waiting, OutboxLane::isFailing)
                .containsExactly(tuple(first.number(), 2, true));

        OutboxOperations.Lane name = new OutboxOperations.Lane(outbox, "/paynowhere", "k");
        List<OutboxMessage> messages = operations().messages(name, 0, 100);
        assertThat(messages).extracting(OutboxMessage::id).containsExactly(NOWHERE.id(), "second", "third");
        assertThat(messages.get(2).state()).isEqualTo(State.BEHIND);
        assertThat(operations().messages(name, first.number(), 1))
                .extracting(OutboxMessage::id)
                .containsExactly("second");
        assertThat(operations().lane(outbox, "/paynowhere", "another")).isEmpty();
        assertThat(operations().lane("another", "/paynowhere", "k")).isEmpty();
    }

    @Test
    void lanesComeWithTheOldestFirst() throws SQLException {
        commit(keyed("dead", "1"));
        long dead = die("no way").get(0);
        commit(keyed("dead", "2"));
        commit(keyed("a", "1"), message("x"), keyed("b", "1"), message("y"), keyed("a", "2"));
        List<OutboxLane> lanes = operations().lanes(outbox, 100);
        assertThat(lanes)
                .extracting(OutboxLane::key, OutboxLane::waiting, OutboxLane::isFailing)
                .containsExactly(
                        tuple(Optional.of("dead"), 1, true),
                        tuple(Optional.of("a"), 1, false),
                        tuple(Optional.empty(), 1, false),
                        tuple(Optional.of("b"), 0, false));
        assertThat(lanes.get(0).first().number()).isEqualTo(dead);
        assertThat(lanes.get(0).first().state()).isEqualTo(State.DEAD);
        assertThat(operations().lanes(outbox, 2)).hasSize(2);
        assertThat(operations().lanes("another " + outbox, 2)).isEmpty();
    }

    @Test
    void aLaneThatIsFailingIsFoundBehindManyMessages() throws SQLException {
        commit(NOWHERE);
        store().settle(outbox, List.of(new Settlement.Again(claim(1).get(0), Duration.ofHours(1), true, "no handler")));
        try (Connection connection = begin()) {
            for (int i = 0; i < 12; i++) {
                List<Message> batch = new ArrayList<>();
                for (int j = 0; j < 100; j++) {
                    batch.add(message("m"));
                }
                store().insert(connection, outbox, batch);
            }
            connection.commit();
        }
        List<OutboxLane> lanes = operations().lanes(outbox, 10);
        assertThat(lanes.get(0).target()).isEqualTo("/paynowhere");
        assertThat(lanes.get(0).isFailing()).isTrue();
        assertThat(lanes.get(1).waiting()).isBetween(900, OutboxOperations.COUNT_MAX);
    }

    @Test
    void manyLanesComeEachWithItsFirstMessage() throws SQLException {
        int lanes = 45;
        for (int i = 0; i < lanes; i++) {
            commit(keyed("k" + i, "first of " + i).withId("first-" + i), keyed("k" + i, "second"));
        }
        List<OutboxLane> found = operations().lanes(outbox, 100);
        assertThat(found).hasSize(lanes);
        for (int i = 0; i < lanes; i++) {
            assertThat(found.get(i).key()).contains("k" + i);
            assertThat(found.get(i).first().id()).isEqualTo("first-" + i);
            assertThat(found.get(i).waiting()).isEqualTo(1);
        }
    }

    @Test
    void aReplayAndADiscardAreInTheHistoryWithWhoAndWhy() throws SQLException {
        commit(NOWHERE, NOWHERE.withId("second"));
        OutboxEntry first = claim(1).get(0);
        store().settle(outbox, List.of(new Settlement.Dead(first, "no handler")));
        assertThat(operations().replay("another", first.number(), "ann", "a handler is there"))
                .isFalse();
        assertThat(operations().replay(outbox, first.number(), "ann", "a handler\tis there"))
                .isTrue();
        assertThat(operations().replay(outbox, first.number(), "ann", "again")).isFalse();
        assertThat(find(first.number()).state()).isEqualTo(State.WAITING);
        assertThat(find(first.number()).isFailing()).as("it has another chance").isFalse();
        assertThat(find(first.number()).lastError()).contains("no handler");
        assertThat(find(first.number()).history())
                .extracting(TransactionEvent::what, TransactionEvent::by, TransactionEvent::detail)
                .containsExactly(
                        tuple("dead", "attempt 1", "no handler"), tuple("replayed", "ann", "a handler is there"));

        List<OutboxEntry> again = drain(store());
        assertThat(again.get(0).number()).isEqualTo(first.number());
        store().settle(
                        outbox,
                        List.of(new Settlement.Dead(again.get(0), "still none"), new Settlement.Untried(again.get(1))));
        assertThat(operations().discard("another", first.number(), "bob", "not needed"))
                .isFalse();
        assertThat(operations().discard(outbox, first.number(), "bob", "not needed"))
                .isTrue();
        assertThat(operations().discard(outbox, first.number(), "bob", "not needed"))
                .isFalse();
        assertThat(find(first.number()).state()).isEqualTo(State.DISCARDED);
        assertThat(find(first.number()).history())
                .extracting(TransactionEvent::what, TransactionEvent::by, TransactionEvent::detail)
                .endsWith(tuple("discarded", "bob", "not needed"));
        assertThat(drain(store())).extracting(entry -> entry.message().id()).containsExactly("second");
    }

    @Test
    void thoseThatAFilterMeansAreReplayedOrDiscardedPageByPage() throws SQLException {
        for (int i = 0; i < 5; i++) {
            commit(Message.of("/paynowhere", "t/1", "pay").withId("pay" + i));
        }
        commit(keyed("k", "other").withId("other"));
        die("no handler");
        DeadLetterFilter nowhere = DeadLetterFilter.to("/paynowhere");
        assertThat(operations().deadLetters(outbox, DeadLetterFilter.ALL, 0, 100))
                .hasSize(6);
        assertThat(operations()
                        .deadLetters(outbox, DeadLetterFilter.to("target").withKey("k"), 0, 100))
                .extracting(OutboxMessage::id)
                .containsExactly("other");
        assertThat(operations().deadLetters(outbox, nowhere.withKey("k"), 0, 100))
                .isEmpty();
        List<OutboxMessage> two = operations().deadLetters(outbox, nowhere, 0, 2);
        assertThat(two).extracting(OutboxMessage::id).containsExactly("pay0", "pay1");

        OutboxOperations.Acted first =
                operations().replayAll(new OutboxOperations.Choice(outbox, nowhere, 0, 2), "ann", "mended");
        assertThat(first.numbers())
                .containsExactly(two.get(0).number(), two.get(1).number());
        assertThat(first.more()).isTrue();
        OutboxOperations.Acted rest = operations()
                .discardAll(new OutboxOperations.Choice(outbox, nowhere, first.last(), 100), "ann", "of no use");
        assertThat(rest.numbers()).hasSize(3);
        assertThat(rest.more()).isFalse();
        assertThat(operations().deadLetters(outbox, DeadLetterFilter.ALL, 0, 100))
                .extracting(OutboxMessage::id)
                .containsExactly("other");
        assertThat(texts(claim(10))).containsExactly("pay", "pay");
    }

    @Test
    void showsTheBeginningOfABody() throws SQLException {
        String text = "x".repeat(OutboxOperations.HEAD_BYTES + 1);
        commit(message(text).withHeader("h", "v"), message("short"));
        List<OutboxEntry> claimed = claim(10);
        OutboxOperations.Content large =
                operations().content(claimed.get(0).number()).orElseThrow();
        assertThat(new String(large.head(), StandardCharsets.UTF_8)).isEqualTo(text.substring(1));
        assertThat(large.complete()).isFalse();
        assertThat(large.headers()).isEqualTo(Map.of("h", "v"));
        OutboxOperations.Content small =
                operations().content(claimed.get(1).number()).orElseThrow();
        assertThat(small.head()).isEqualTo("short".getBytes(StandardCharsets.UTF_8));
        assertThat(small.complete()).isTrue();
        assertThat(find(claimed.get(0).number()).size()).isEqualTo(text.length());
        assertThat(operations().content(Long.MAX_VALUE)).isEmpty();
        assertThat(operations().find(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void aMessageThatWasSentAndIsKeptIsShown() throws SQLException {
        commit(keyed("k", "1"));
        OutboxEntry entry = claim(1).get(0);
        store().settle(outbox, List.of(new Settlement.Sent(entry, true)));
        assertThat(find(entry.number()).state()).isEqualTo(State.SENT);
        assertThat(find(entry.number()).endedAt()).isPresent();
        assertThat(find(entry.number()).dueAt()).isEmpty();
        assertThat(operations().lanes(outbox, 10)).isEmpty();
    }

    @Test
    void limitsAreChecked() {
        for (int limit : new int[] {0, OutboxOperations.PAGE_MAX + 1}) {
            assertThatThrownBy(() -> operations().lanes(outbox, limit)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> operations().outboxes("", limit)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> operations().deadLetters(outbox, DeadLetterFilter.ALL, 0, limit))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
