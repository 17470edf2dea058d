package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import dev.tenon.tx.spi.Settlement;
import dev.tenon.tx.spi.StuckLane;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The part of {@link OutboxStoreContract} that is about what fails again and again. */
abstract class OutboxStuckContract extends OutboxRunContract {
    private static final Duration LONG = Duration.ofHours(1);

    private List<StuckLane> stuck(int attempts, Duration age) {
        return otherStore().stuck(outbox, attempts, age, Optional.empty(), 10);
    }

    /** Claims all that can be had, and has it fail, but for what is behind another one. */
    private OutboxEntry fail(Duration pause) {
        List<OutboxEntry> run = Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> store().claim(outbox, LEASE, 10).entries(), found -> !found.isEmpty());
        List<Settlement> settlements = new ArrayList<>();
        settlements.add(new Settlement.Again(
                run.get(0), pause, true, "down " + run.get(0).attempts()));
        run.subList(1, run.size()).forEach(entry -> settlements.add(new Settlement.Untried(entry)));
        store().settle(outbox, settlements);
        return run.get(0);
    }

    @Test
    void whatWaitsOrIsUnderWayIsNotStuck() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), message("a"));
        assertThat(stuck(1, Duration.ZERO)).isEmpty();
        claim(2);
        assertThat(stuck(1, Duration.ZERO)).isEmpty();
        assertThatThrownBy(() -> store().stuck(outbox, 1, LONG, Optional.empty(), 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().stuck(outbox, 1, LONG, Optional.empty(), OutboxStore.BATCH_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageThatFailsAgainAndAgainIsStuckWithWhatIsBehindIt() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"), keyed("k", "3"));
        OutboxEntry one = fail(MOMENT);
        assertThat(stuck(2, LONG)).isEmpty();
        fail(LONG);
        assertThat(stuck(3, LONG)).isEmpty();
        assertThat(store().stuck("another", 2, LONG, Optional.empty(), 10)).isEmpty();
        StuckLane lane = stuck(2, LONG).get(0);
        assertThat(stuck(2, LONG)).hasSize(1);
        assertThat(lane.oldest().number()).isEqualTo(one.number());
        assertThat(lane.oldest().attempts()).isEqualTo(2);
        assertThat(lane.oldest().message().key()).contains("k");
        assertThat(lane.dead()).isFalse();
        assertThat(lane.lastError()).isEqualTo("down 2");
        assertThat(lane.waiting()).isEqualTo(2);
        assertThat(lane.blockedFor()).isBetween(Duration.ZERO, LONG);
    }

    @Test
    void aMessageThatFailsForLongIsStuckHoweverOftenItWasTried() throws SQLException {
        commit(message("a"));
        assertThat(fail(LONG).attempts()).isEqualTo(1);
        assertThat(stuck(2, LONG)).isEmpty();
        assertThat(stuck(2, Duration.ZERO))
                .singleElement()
                .extracting(StuckLane::waiting)
                .isEqualTo(0);
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !stuck(2, Duration.ofMillis(20)).isEmpty());
    }

    @Test
    void aMessageOverWhichProcessesDieIsStuck() throws SQLException {
        commit(keyed("k", "1"), keyed("k", "2"));
        store().claim(outbox, MOMENT, 1);
        assertThat(stuck(2, Duration.ZERO)).as("it may still be sent").isEmpty();
        OutboxEntry again = awaitClaim(otherStore());
        assertThat(again.attempts()).isEqualTo(2);
        assertThat(stuck(2, LONG)).singleElement().satisfies(lane -> {
            assertThat(lane.oldest().number()).isEqualTo(again.number());
            assertThat(lane.lastError()).isEmpty();
            assertThat(lane.waiting()).isEqualTo(1);
        });
        store().settle(outbox, List.of(new Settlement.Sent(again, true)));
        assertThat(stuck(1, Duration.ZERO)).isEmpty();
    }

    @Test
    void aDeadLetterIsStuckWhileItHoldsBackItsKey() throws SQLException {
        commit(keyed("k", "1"), keyed("l", "1"), message("a"));
        List<OutboxEntry> all = claim(10);
        store().settle(
                        outbox,
                        all.stream()
                                .<Settlement>map(entry -> new Settlement.Dead(entry, "poison"))
                                .toList());
        assertThat(stuck(100, LONG))
                .hasSize(2)
                .allSatisfy(lane -> assertThat(lane.dead()).isTrue())
                .allSatisfy(lane -> assertThat(lane.lastError()).isEqualTo("poison"));
        store().discard(outbox, all.get(0).number(), "me");
        store().replay(outbox, all.get(1).number(), "me");
        assertThat(stuck(1, Duration.ZERO)).isEmpty();
    }

    @Test
    void whatIsStuckComesPageByPageTheOldestFirst() throws SQLException {
        List<Long> failed = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            commit(keyed("key " + i, "1"), keyed("key " + i, "2"));
            failed.add(fail(LONG).number());
        }
        List<Long> listed = new ArrayList<>();
        Optional<StuckLane> last = Optional.empty();
        List<StuckLane> page;
        do {
            page = store().stuck(outbox, 1, LONG, last, 2);
            page.forEach(lane -> listed.add(lane.oldest().number()));
            last = page.stream().reduce((a, b) -> b);
        } while (!page.isEmpty());
        assertThat(listed).isEqualTo(failed);
    }
}
