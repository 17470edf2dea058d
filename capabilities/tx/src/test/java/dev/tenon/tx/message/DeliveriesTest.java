package dev.tenon.tx.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a consumer does with messages, without a broker. */
class DeliveriesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<String> handled = new ArrayList<>();
    private final List<Integer> acknowledged = new ArrayList<>();
    private final Map<Integer, Map<String, String>> buried = new HashMap<>();
    private final Map<String, Reply> replies = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private boolean graveyardClosed;
    private boolean lineCut;

    private final ConsumerOptions options = ConsumerOptions.of("points")
            .withTime(clock)
            .withRetry(new RetryPolicy(SECOND, 1, SECOND, OptionalInt.of(3)));
    private final Deliveries<Integer> deliveries = new Deliveries<>(this::handle, options, new Exits());

    private final class Exits implements Deliveries.Exits<Integer> {
        @Override
        public void acknowledge(Integer handle) {
            if (lineCut) {
                throw new IllegalStateException("cut");
            }
            acknowledged.add(handle);
        }

        @Override
        public void bury(Integer handle, Map<String, String> headers) {
            if (graveyardClosed) {
                throw new IllegalStateException("no topic");
            }
            buried.put(handle, headers);
        }
    }

    private Reply handle(Message message) {
        if (failures.merge(message.id(), -1, Integer::sum) >= 0) {
            throw new IllegalStateException("no account");
        }
        handled.add(message.id());
        return replies.getOrDefault(message.id(), Reply.done());
    }

    private void add(int handle, String id, String key) {
        Message message = Message.of("orders", "paid/1", "x").withId(id);
        Message one = key.isEmpty() ? message : message.withKey(key);
        deliveries.add(handle, one, Envelope.headers(one));
    }

    private void run() throws InterruptedException {
        while (deliveries.runOnce()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aFailureHoldsBackItsKeyAloneUntilItIsTriedAgain() throws InterruptedException {
        failures.put("a1", 1);
        add(1, "a1", "a");
        add(2, "a2", "a");
        add(3, "b1", "b");
        add(4, "n1", "");
        run();
        assertThat(handled).containsExactly("b1", "n1");
        assertThat(acknowledged).containsExactly(3, 4);
        assertThat(deliveries.trouble()).isEmpty();
        assertThat(deliveries.idle().orElseThrow()).isBetween(Duration.ofMillis(750), SECOND);
        clock.advance(SECOND);
        run();
        assertThat(handled).containsExactly("b1", "n1", "a1", "a2");
        assertThat(deliveries.held()).isZero();
        assertThat(deliveries.idle()).isEmpty();
    }

    @Test
    void afterItsAttemptsItIsADeadLetterAndThoseBehindItGoOn() throws InterruptedException {
        failures.put("a1", 9);
        add(1, "a1", "a");
        add(2, "a2", "a");
        for (int i = 0; i < 3; i++) {
            run();
            clock.advance(SECOND);
        }
        assertThat(handled).containsExactly("a2");
        assertThat(acknowledged).containsExactly(1, 2);
        assertThat(buried.get(1))
                .containsEntry("tenon-dead-from", "orders")
                .containsEntry("tenon-dead-group", "points")
                .containsEntry("tenon-dead-attempts", "3")
                .containsEntry("tenon-dead-reason", "no account")
                .containsEntry("tenon-id", "a1");
        DeadLetter dead = Envelope.deadLetter(buried.get(1), new byte[0]);
        assertThat(dead.history()).first().isEqualTo("2026-01-01T00:00:00Z attempt 1 of points: no account");
        assertThat(dead.history()).hasSize(3);
        Map<String, String> replayed = Envelope.replayed(buried.get(1), "eve\nand others", clock.now());
        assertThat(replayed).doesNotContainKeys("tenon-dead-from", "tenon-dead-reason");
        assertThat(replayed.get("tenon-history")).endsWith(" replayed by eve and others");
        assertThatThrownBy(() -> Envelope.deadLetter(replayed, new byte[0])).hasMessageContaining("tenon-dead-from");
    }

    @Test
    void aDeadLetterThatCanNotBePutAwayIsKeptAndInNobodysWay() throws InterruptedException {
        replies.put("a1", Reply.refused("unwanted"));
        graveyardClosed = true;
        add(1, "a1", "a");
        add(2, "b1", "b");
        run();
        assertThat(acknowledged).containsExactly(2);
        clock.advance(SECOND);
        run();
        assertThat(deliveries.trouble().orElseThrow()).contains("orders-dead").contains("no topic");
        graveyardClosed = false;
        clock.advance(SECOND);
        run();
        assertThat(acknowledged).containsExactly(2, 1);
        assertThat(buried.get(1)).containsEntry("tenon-dead-reason", "refused: unwanted");
        assertThat(handled).containsExactly("a1", "b1");
    }

    @Test
    void notYetIsNoFailureAndWhatIsNoMessageIsBuriedUnhandled() throws InterruptedException {
        replies.put("a1", Reply.notYet("closed until eight"));
        add(1, "a1", "");
        deliveries.addBroken(2, "orders", Map.of("source", "shop"), "It has no ID");
        for (int i = 0; i < 10; i++) {
            run();
            clock.advance(SECOND);
        }
        assertThat(handled).hasSize(10);
        assertThat(buried).containsOnlyKeys(2);
        assertThat(buried.get(2)).containsEntry("source", "shop").containsEntry("tenon-dead-attempts", "0");
        assertThat(deliveries.trouble()).contains("not yet: closed until eight");
    }

    @Test
    void whatIsForgottenIsNeitherHandledNorInTheWay() throws InterruptedException {
        failures.put("a1", 1);
        add(1, "a1", "a");
        add(2, "a2", "a");
        add(3, "a3", "a");
        run();
        deliveries.forget(handle -> handle == 1 || handle == 3);
        assertThat(deliveries.held()).isEqualTo(1);
        run();
        assertThat(handled).containsExactly("a2");
        add(1, "a1", "a");
        run();
        assertThat(handled).containsExactly("a2", "a1");
        assertThat(acknowledged).containsExactly(2, 1);
    }

    @Test
    void anAcknowledgementThatFailsIsToldAndHoldsNothingUp() throws InterruptedException {
        lineCut = true;
        add(1, "a1", "a");
        add(2, "a2", "a");
        run();
        assertThat(handled).containsExactly("a1", "a2");
        assertThat(deliveries.trouble().orElseThrow()).contains("acknowledged").contains("cut");
    }

    /**
     * Random messages, failures, losses of partitions and passing time: the order of each key holds, and all are
     * settled once.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void keepsEveryKeyInOrderWhateverFails(long seed) throws InterruptedException {
        Random random = new Random(seed);
        int messages = 300;
        for (int i = 0; i < messages; i++) {
            String id = "m" + i;
            if (random.nextInt(4) == 0) {
                failures.put(id, random.nextInt(5));
            }
            add(i, id, "k" + i % 7);
            if (random.nextBoolean()) {
                deliveries.runOnce();
            }
            if (random.nextInt(10) == 0) {
                clock.advance(SECOND);
            }
        }
        for (int i = 0; i < messages * 3; i++) {
            run();
            clock.advance(SECOND);
        }
        assertThat(deliveries.held()).isZero();
        assertThat(acknowledged).hasSize(messages).doesNotHaveDuplicates();
        for (int key = 0; key < 7; key++) {
            int its = key;
            assertThat(acknowledged.stream().filter(handle -> handle % 7 == its))
                    .isSorted();
        }
    }

    @Test
    void namesOfTenonsOwnAndStrangersWithoutAnIdAreTold() {
        Message message = Message.of("orders", "paid/1", "x").withHeader("tenon-dead-from", "y");
        assertThatThrownBy(() -> Envelope.headers(message)).hasMessageContaining("tenon-dead-from");
        assertThatThrownBy(() -> Envelope.open("orders", Map.of(), new byte[0], Optional.empty()))
                .hasMessageContaining("tenon-id");
        Message whole = Message.of("orders", "paid/1", "x").withKey("ann").withHeader("source", "shop");
        assertThat(Envelope.open("orders", Envelope.headers(whole), whole.body(), Optional.empty()))
                .isEqualTo(whole);
        assertThatThrownBy(() -> options.withInFlight(0)).hasMessageContaining("1 to 1000");
        assertThatThrownBy(() -> ConsumerOptions.of("")).hasMessageContaining("consumer group");
    }
}
