package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.Message;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.Settlement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The part of {@link OutboxStoreContract} that is about several messages of one key in one claim. */
abstract class OutboxRunContract extends OutboxCommitContract {
    @Test
    void aClaimTakesARunOfAKeyWithWhatWasBehindIt() throws SQLException {
        commit(keyed("k", "1"));
        OutboxEntry one = claim(1).get(0);
        commit(keyed("k", "2"), keyed("k", "3"));
        assertThat(drain(otherStore())).isEmpty();
        commit(keyed("k", "4"), keyed("l", "a"));
        assertThat(texts(drain(otherStore()))).containsExactly("a");
        assertThat(store().settle(outbox, List.of(new Settlement.Sent(one, false))))
                .isTrue();
        assertThat(texts(otherStore().claim(outbox, LEASE, 2).entries())).containsExactly("2", "3");
        assertThat(drain(store())).isEmpty();
    }

    @Test
    void aClaimGivesNoMoreThanItWasAskedForWhateverIsBehind() throws SQLException {
        for (String key : List.of("k", "l", "m")) {
            commit(IntStream.range(0, 40).mapToObj(i -> keyed(key, key + i)).toArray(Message[]::new));
        }
        for (int limit : new int[] {1, 7, 50}) {
            List<OutboxEntry> claimed = store().claim(outbox, LEASE, limit).entries();
            assertThat(claimed).hasSizeBetween(1, limit);
            store().settle(
                            outbox,
                            claimed.stream()
                                    .<Settlement>map(Settlement.Untried::new)
                                    .toList());
        }
    }

    @Test
    void aRunWhoseMiddleFailsGoesOnFromThere() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"), keyed("k", "4"), keyed("l", "a"));
        List<OutboxEntry> run = claim(10);
        assertThat(texts(run)).containsExactly("1", "2", "3", "4", "a");
        store().settle(
                        outbox,
                        List.of(
                                new Settlement.Sent(run.get(0), false),
                                new Settlement.Again(run.get(1), Duration.ofHours(1), true, "down"),
                                new Settlement.Untried(run.get(2)),
                                new Settlement.Untried(run.get(3)),
                                new Settlement.Sent(run.get(4), false)));
        commit(keyed("k", "5"), keyed("l", "b"));
        assertThat(texts(drain(otherStore()))).containsExactly("b");

        commit(keyed("m", "1"), keyed("m", "2"), keyed("m", "3"));
        List<OutboxEntry> again = claim(10);
        assertThat(store().settle(
                                outbox,
                                List.of(
                                        new Settlement.Sent(again.get(0), false),
                                        new Settlement.Again(again.get(1), Duration.ofSeconds(3), true, "down"),
                                        new Settlement.Untried(again.get(2)))))
                .as("those behind it wait")
                .isFalse();
        List<OutboxEntry> rest = Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> otherStore().claim(outbox, LEASE, 10).entries(), found -> !found.isEmpty());
        assertThat(texts(rest)).containsExactly("2", "3");
        assertThat(rest).extracting(OutboxEntry::attempts).containsExactly(2, 1);
    }

    @Test
    void aRunThatIsGivenBackIsDueAtOnce() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
        List<OutboxEntry> run = claim(10);
        assertThat(store().settle(
                                outbox,
                                List.of(
                                        new Settlement.Sent(run.get(0), false),
                                        new Settlement.Untried(run.get(1)),
                                        new Settlement.Untried(run.get(2)))))
                .isTrue();
        List<OutboxEntry> rest = drain(otherStore());
        assertThat(texts(rest)).containsExactly("2", "3");
        assertThat(rest).extracting(OutboxEntry::attempts).containsOnly(1);
    }

    @Test
    void aRunWhoseLeaseIsLostInItsMiddleIsTheNextOnesFromThere() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
        List<OutboxEntry> lost = store().claim(outbox, MOMENT, 10).entries();
        store().settle(outbox, List.of(new Settlement.Sent(lost.get(0), false)));
        List<OutboxEntry> taken = Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> otherStore().claim(outbox, LEASE, 10).entries(), found -> !found.isEmpty());
        assertThat(texts(taken)).containsExactly("2", "3");
        store().settle(outbox, List.of(new Settlement.Sent(lost.get(1), false), new Settlement.Untried(lost.get(2))));
        assertThat(drain(store())).isEmpty();
        for (OutboxEntry each : taken) {
            assertThat(store().find(outbox, each.number()))
                    .map(OutboxEntry::attempts)
                    .contains(2);
        }
        otherStore()
                .settle(outbox, List.of(new Settlement.Sent(taken.get(0), true), new Settlement.Untried(taken.get(1))));
        assertThat(texts(drain(store()))).containsExactly("3");
    }
}
