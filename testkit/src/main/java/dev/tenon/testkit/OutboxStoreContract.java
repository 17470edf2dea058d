package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tenon.tx.Message;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import dev.tenon.tx.spi.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * What every {@link OutboxStore} must do: extend it, and hand out two stores over one database as two processes would
 * have them, and connections to it as a business would.
 */
public abstract class OutboxStoreContract extends OutboxStuckContract {
    @Test
    void whatIsCommittedIsClaimedAndWhatIsRolledBackIsNot() throws SQLException {
        try (Connection connection = begin()) {
            store().insert(connection, outbox, List.of(message("a"), message("b")));
            store().insert(connection, outbox, List.of(message("c")));
            assertThat(claim(10)).isEmpty();
            connection.commit();
            store().insert(connection, outbox, List.of(message("d")));
            connection.rollback();
        }
        assertThat(texts(claim(10))).containsExactly("a", "b", "c");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void refusesAConnectionInAutocommitMode() throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> store().insert(connection, outbox, List.of(message("a"))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void badArgumentsAreRefused() throws SQLException {
        List<Message> many = IntStream.rangeClosed(0, OutboxStore.BATCH_MAX)
                .mapToObj(i -> message("m" + i))
                .toList();
        try (Connection connection = begin()) {
            assertThatThrownBy(() -> store().insert(connection, outbox, List.of()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().insert(connection, outbox, many))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().insert(connection, "a\nb", List.of(message("a"))))
                    .isInstanceOf(IllegalArgumentException.class);
            connection.commit();
        }
        assertThatThrownBy(() -> store().claim(outbox, LEASE, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().claim(outbox, LEASE, OutboxStore.BATCH_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void aMessageComesOutAsItWentIn() throws SQLException {
        byte[] bytes = new byte[100_000];
        new Random(7).nextBytes(bytes);
        Message odd = new Message(
                "id-1:2.3_4",
                "tópico/π",
                Optional.of("k \uD83D\uDE00'\"\\"),
                "t/1",
                bytes,
                Map.of("a=b&c", "ü\n%", "e", ""));
        Message empty = Message.of("t", "", "").withId("x");
        commit(odd, empty);
        List<OutboxEntry> claimed = claim(10);
        assertThat(claimed).extracting(OutboxEntry::message).containsExactly(odd, empty);
        assertThat(claimed).extracting(OutboxEntry::attempts).containsOnly(1);
        assertThat(store().find(outbox, claimed.get(0).number()))
                .map(OutboxEntry::message)
                .contains(odd);
        assertThat(store().find("another", claimed.get(0).number())).isEmpty();
    }

    @Test
    void outboxesLeaveEachOtherAlone() throws SQLException {
        commit(message("a"));
        assertThat(store().claim("another " + outbox, LEASE, 10).entries()).isEmpty();
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void aClaimIsOneProcessesUntilItsLeaseIsOver() throws SQLException {
        commit(message("a"));
        OutboxEntry first = store().claim(outbox, MOMENT, 10).entries().get(0);
        OutboxEntry second = awaitClaim(otherStore());
        assertThat(second.number()).isEqualTo(first.number());
        assertThat(second.claim()).isGreaterThan(first.claim());
        assertThat(second.attempts()).isEqualTo(2);
        assertThat(store().claim(outbox, LEASE, 10).entries()).isEmpty();
        // The one that was paused beyond its lease changes nothing any more.
        for (Settlement late : List.of(
                new Settlement.Sent(first, false),
                new Settlement.Sent(first, true),
                new Settlement.Again(first, Duration.ZERO, true, "late"),
                new Settlement.Dead(first, "late"),
                new Settlement.Untried(first))) {
            store().settle(outbox, List.of(late));
        }
        assertThat(claim(10)).isEmpty();
        assertThat(store().dead(outbox, 0, 10)).isEmpty();
        assertThat(store().find(outbox, first.number()))
                .map(OutboxEntry::attempts)
                .contains(2);
        otherStore().settle(outbox, List.of(new Settlement.Sent(second, false)));
        assertThat(store().find(outbox, first.number())).isEmpty();
    }

    @Test
    void messagesOfOneKeyAreClaimedTogetherInTheirOrderOrNotAtAll() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"), message("a"));
        assertThat(texts(claim(1))).containsExactly("1");
        assertThat(texts(drain(otherStore()))).containsExactly("a");
        commit(
                keyed("k", "4"),
                keyed("l", "b"),
                Message.of("other target", "t", "c").withKey("k"));
        assertThat(texts(drain(otherStore()))).containsExactly("b", "c");
    }

    @Test
    void theNextOfAKeyIsDueWhenTheOneBeforeItIsSent() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
        OutboxEntry one = claim(1).get(0);
        assertThat(drain(otherStore())).isEmpty();
        assertThat(store().settle(outbox, List.of(new Settlement.Sent(one, false))))
                .isTrue();
        List<OutboxEntry> next = drain(otherStore());
        assertThat(texts(next)).containsExactly("2", "3");
        // The second was sent, the third not tried.
        otherStore()
                .settle(outbox, List.of(new Settlement.Untried(next.get(1)), new Settlement.Sent(next.get(0), true)));
        List<OutboxEntry> last = drain(store());
        assertThat(texts(last)).containsExactly("3");
        assertThat(last.get(0).attempts()).isEqualTo(1);
    }

    @Test
    void aLowerNumberThatIsCommittedLaterIsNotPassedOver() throws SQLException {
        try (Connection early = begin();
                Connection late = begin()) {
            store().insert(early, outbox, List.of(keyed("k", "early")));
            store().insert(late, outbox, List.of(keyed("k", "late"), message("a")));
            late.commit();
            OutboxEntry first = claim(1).get(0);
            assertThat(first.message().text()).isEqualTo("late");
            early.commit();
            List<OutboxEntry> second = drain(otherStore());
            assertThat(texts(second)).containsExactlyInAnyOrder("early", "a");
            store().settle(outbox, List.of(new Settlement.Sent(first, false)));
            commit(keyed("k", "last"));
            assertThat(drain(store())).as("the early one is under way").isEmpty();
            otherStore()
                    .settle(
                            outbox,
                            second.stream()
                                    .map(entry -> (Settlement) new Settlement.Sent(entry, false))
                                    .toList());
            assertThat(texts(drain(store()))).containsExactly("last");
        }
    }

    @Test
    void aTransactionThatIsOpenHoldsNobodyUp() throws SQLException {
        commit(keyed("k", "1"));
        try (Connection open = begin()) {
            store().insert(open, outbox, List.of(keyed("k", "2")));
            OutboxEntry one = claim(10).get(0);
            store().settle(outbox, List.of(new Settlement.Sent(one, false)));
            commit(keyed("k", "3"));
            assertThat(texts(drain(otherStore()))).containsExactly("3");
            open.commit();
        }
        assertThat(texts(drain(store()))).containsExactly("2");
    }

    @Test
    void aMessageThatFailsHoldsBackItsKeyAlone() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("l", "a"), message("b"));
        List<OutboxEntry> claimed = claim(10);
        OutboxEntry one = claimed.get(0);
        store().settle(
                        outbox,
                        List.of(
                                new Settlement.Again(one, Duration.ofHours(1), true, "down\tfor\na while"),
                                new Settlement.Untried(claimed.get(1)),
                                new Settlement.Sent(claimed.get(2), false),
                                new Settlement.Sent(claimed.get(3), false)));
        commit(keyed("k", "3"), keyed("l", "c"));
        assertThat(texts(drain(otherStore()))).containsExactly("c");
        OutboxEntry waiting = store().find(outbox, one.number()).orElseThrow();
        assertThat(waiting.history()).extracting(TransactionEvent::detail).containsExactly("down for a while");
        assertThat(waiting.attempts()).isEqualTo(1);
    }

    @Test
    void aMessageComesAgainAfterItsPauseWithThoseBehindIt() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"));
        List<OutboxEntry> claimed = claim(10);
        store().settle(
                        outbox,
                        List.of(
                                new Settlement.Again(claimed.get(0), MOMENT, false, "not yet"),
                                new Settlement.Untried(claimed.get(1))));
        List<OutboxEntry> again = Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> otherStore().claim(outbox, LEASE, 10).entries(), found -> !found.isEmpty());
        assertThat(texts(again)).as("with what is behind it").containsExactly("1", "2");
        assertThat(again)
                .extracting(OutboxEntry::attempts)
                .as("what does not count")
                .containsOnly(1);
    }

    @Test
    void aDeadLetterIsListedAndCanBeReplayed() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"));
        List<OutboxEntry> claimed = claim(10);
        long number = claimed.get(0).number();
        store().settle(
                        outbox,
                        List.of(new Settlement.Dead(claimed.get(0), "poison"), new Settlement.Untried(claimed.get(1))));
        assertThat(drain(store())).isEmpty();
        assertThat(store().dead(outbox, 0, 10)).extracting(OutboxEntry::number).containsExactly(number);
        assertThat(store().dead(outbox, number, 10)).isEmpty();
        assertThat(store().replay(outbox, claimed.get(1).number(), "me")).isFalse();
        assertThat(store().replay("another", number, "me")).isFalse();

        assertThat(otherStore().replay(outbox, number, "me")).isTrue();
        assertThat(store().replay(outbox, number, "me")).isFalse();
        OutboxEntry replayed = claim(1).get(0);
        assertThat(replayed.number()).isEqualTo(number);
        assertThat(replayed.attempts()).isEqualTo(1);
        assertThat(replayed.history())
                .extracting(TransactionEvent::what, TransactionEvent::by, TransactionEvent::detail)
                .containsExactly(tuple("dead", "attempt 1", "poison"), tuple("replayed", "me", ""));
        store().settle(outbox, List.of(new Settlement.Sent(replayed, false)));
        assertThat(texts(drain(store()))).containsExactly("2");
    }

    @Test
    void thoseBehindADeadLetterGoOnWhenItIsDiscarded() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
        List<OutboxEntry> claimed = claim(10);
        OutboxEntry dead = claimed.get(0);
        store().settle(
                        outbox,
                        List.of(
                                new Settlement.Dead(dead, "poison"),
                                new Settlement.Untried(claimed.get(1)),
                                new Settlement.Untried(claimed.get(2))));
        assertThat(drain(store())).isEmpty();
        assertThat(store().discard(outbox, claimed.get(1).number(), "me")).isFalse();
        assertThat(otherStore().discard(outbox, dead.number(), "me")).isTrue();
        assertThat(store().dead(outbox, 0, 10)).isEmpty();
        assertThat(texts(drain(store()))).containsExactly("2", "3");
        assertThat(store().find(outbox, dead.number()).orElseThrow().history())
                .extracting(TransactionEvent::what)
                .containsExactly("dead", "discarded");
    }

    @Test
    void whatIsKeptIsPurgedAndNothingElse() throws SQLException {
        commit(message("a"), message("b"), message("c"), message("d"));
        List<OutboxEntry> claimed = claim(10);
        store().settle(
                        outbox,
                        List.of(
                                new Settlement.Sent(claimed.get(0), true),
                                new Settlement.Sent(claimed.get(1), true),
                                new Settlement.Dead(claimed.get(2), "poison")));
        commit(message("e"));
        assertThat(store().purge(outbox, Duration.ofHours(1), 10)).isZero();
        assertThat(store().purge("another", Duration.ZERO, 10)).isZero();
        assertThat(store().purge(outbox, Duration.ZERO, 1)).isEqualTo(1);
        assertThat(store().purge(outbox, Duration.ZERO, 10)).isEqualTo(1);
        assertThat(store().purge(outbox, Duration.ZERO, 10)).isZero();
        for (int i : new int[] {2, 3}) {
            assertThat(store().find(outbox, claimed.get(i).number())).isPresent();
        }
        assertThat(texts(claim(10))).containsExactly("e");
    }

    @Test
    void tellsForHowLongMessagesHaveBeenDue() throws SQLException {
        assertThat(store().lag(outbox)).isEmpty();
        commit(message("a"));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> store().lag(outbox)
                        .filter(lag -> lag.compareTo(Duration.ofMillis(5)) > 0)
                        .isPresent());
        claim(10);
        assertThat(store().lag(outbox)).isEmpty();
    }

    /** Writers of few keys, each key's one after the other; claimants who fail, give back and send at random. */
    @Test
    void nothingIsLostAndEachKeyKeepsItsOrderWithManyClaimants() {
        int keys = 3;
        int each = 15;
        Map<String, List<Integer>> sent = new ConcurrentHashMap<>();
        AtomicInteger left = new AtomicInteger(keys * each);
        Concurrently.on(keys + 4, thread -> {
            try {
                if (thread < keys) {
                    for (int i = 0; i < each; i++) {
                        commit(keyed("key " + thread, String.valueOf(i)));
                    }
                } else {
                    sendAtRandom(thread % 2 == 0 ? store() : otherStore(), new Random(thread), sent, left);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return true;
        });
        List<Integer> all = IntStream.range(0, each).boxed().toList();
        assertThat(sent)
                .hasSize(keys)
                .allSatisfy((key, order) -> assertThat(order).as(key).isEqualTo(all));
    }

    private void sendAtRandom(OutboxStore from, Random random, Map<String, List<Integer>> sent, AtomicInteger left) {
        long end = System.nanoTime() + PATIENCE.toNanos() * 2;
        while (left.get() > 0 && System.nanoTime() < end) {
            List<Settlement> settlements = new ArrayList<>();
            Map<String, Boolean> stopped = new ConcurrentHashMap<>();
            for (OutboxEntry entry :
                    from.claim(outbox, LEASE, 1 + random.nextInt(10)).entries()) {
                String key = entry.message().key().orElseThrow();
                if (stopped.containsKey(key)) {
                    settlements.add(new Settlement.Untried(entry));
                } else if (random.nextInt(4) == 0) {
                    stopped.put(key, true);
                    settlements.add(new Settlement.Again(entry, Duration.ZERO, true, "by chance"));
                } else {
                    sent.computeIfAbsent(key, k -> new CopyOnWriteArrayList<>())
                            .add(Integer.parseInt(entry.message().text()));
                    left.decrementAndGet();
                    settlements.add(new Settlement.Sent(entry, random.nextBoolean()));
                }
            }
            if (!settlements.isEmpty()) {
                from.settle(outbox, settlements);
            }
        }
    }
}
