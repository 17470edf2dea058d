package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The part of {@link TransactionStoreContract} that is about who drives a transaction. */
public abstract class TransactionClaimContract extends TransactionStoreScenario {
    @Test
    void whatIsDueIsClaimedWithAGreaterEpochAndTheLeaseOfTheClaim() {
        TransactionRecord begun = begin("a");
        List<TransactionRecord> claimed = claim(otherStore(), "alice", LEASE, 10);
        assertThat(suffixes(claimed)).containsExactly("a");
        TransactionRecord tx = claimed.get(0);
        assertThat(tx.progress().owner()).contains("alice");
        assertThat(tx.progress().claims()).isGreaterThan(begun.progress().claims());
        assertThat(tx.progress().version()).isGreaterThan(begun.progress().version());
        assertThat(tx.progress().dueAt())
                .isBetween(
                        otherStore().now().plus(LEASE).minusSeconds(120),
                        otherStore().now().plus(LEASE).plusSeconds(2));
        assertThat(tx.branches()).isEqualTo(begun.branches());
        assertThat(found("a")).isEqualTo(tx);
    }

    @Test
    void whatIsClaimedIsNotClaimedByAnybodyElse() {
        begin("a");
        assertThat(claim(store(), "alice", LEASE, 10)).hasSize(1);
        assertThat(claim(otherStore(), "bob", LEASE, 10)).isEmpty();
        assertThat(claim(store(), "alice", LEASE, 10)).isEmpty();
    }

    @Test
    void afterItsLeaseSomebodyElseClaimsItAndTheFirstWritesNothingMore() {
        begin("a");
        TransactionRecord alices = claim(store(), "alice", SHORT, 10).get(0);
        TransactionRecord bobs = await().until(() -> claim(otherStore(), "bob", LEASE, 10), found -> !found.isEmpty())
                .get(0);
        assertThat(bobs.progress().claims()).isGreaterThan(alices.progress().claims());
        assertThat(bobs.progress().owner()).contains("bob");
        assertThat(store().update(alices, alices.in(TransactionState.ABORTING), List.of(event("late"))))
                .isEmpty();
        assertThat(found("a")).isEqualTo(bobs);
        assertThat(store().history(gid("a"))).isEmpty();
        assertThat(updated(bobs, bobs.in(TransactionState.COMMITTING)).state()).isEqualTo(TransactionState.COMMITTING);
    }

    @Test
    void whoBeginsATransactionMayDriveItUntilTheLeaseEnds() {
        TransactionRecord begun = created(store().begin(draft("a"), Optional.of("alice"), LEASE));
        assertThat(begun.progress().owner()).contains("alice");
        assertThat(claim(otherStore(), "bob", LEASE, 10)).isEmpty();
        TransactionRecord brief = created(store().begin(draft("b"), Optional.of("alice"), SHORT));
        TransactionRecord bobs = await().until(() -> claim(otherStore(), "bob", LEASE, 10), found -> !found.isEmpty())
                .get(0);
        assertThat(bobs.gid()).isEqualTo(brief.gid());
        assertThat(bobs.progress().claims()).isGreaterThan(brief.progress().claims());
    }

    @Test
    void whatIsDueLaterIsNotClaimedYet() {
        TransactionRecord later = beginDue("later", Duration.ofHours(-1));
        beginDue("now", Duration.ofMinutes(1));
        assertThat(suffixes(claim(store(), "alice", LEASE, 10))).containsExactly("now");
        updated(later, later.due(store().now().minusSeconds(1), Optional.empty()));
        assertThat(suffixes(claim(store(), "alice", LEASE, 10))).containsExactly("later");
    }

    @Test
    void whatIsSuspendedIsNotClaimedBeforeItIsResumed() {
        TransactionRecord tx = begin("a");
        TransactionRecord suspended = updated(tx, tx.suspendedFor(Optional.of("a bad target \u4E2D")));
        assertThat(suspended.suspended()).contains("a bad target \u4E2D");
        assertThat(claim(store(), "alice", LEASE, 10)).isEmpty();
        assertThat(found("a").suspended()).contains("a bad target \u4E2D");
        updated(suspended, suspended.suspendedFor(Optional.empty()));
        assertThat(suffixes(claim(otherStore(), "bob", LEASE, 10))).containsExactly("a");
    }

    @Test
    void whatHasEndedIsNotClaimed() {
        for (TransactionState end : List.of(TransactionState.COMMITTED, TransactionState.ABORTED)) {
            TransactionRecord tx = beginDue("-" + end, Duration.ofMinutes(1));
            updated(tx, tx.in(end));
        }
        assertThat(claim(store(), "alice", LEASE, 10)).isEmpty();
    }

    @Test
    void thoseThatHaveWaitedLongestComeFirstAndNoMoreThanTheLimit() {
        for (int minutes : new int[] {3, 1, 5, 2, 4}) {
            beginDue("-" + minutes, Duration.ofMinutes(minutes));
        }
        assertThat(suffixes(claim(store(), "alice", LEASE, 2))).containsExactlyInAnyOrder("-5", "-4");
        assertThat(suffixes(claim(otherStore(), "bob", LEASE, 2))).containsExactlyInAnyOrder("-3", "-2");
        assertThat(suffixes(claim(store(), "alice", LEASE, 2))).containsExactly("-1");
        assertThat(claim(store(), "alice", LEASE, 2)).isEmpty();
    }

    @Test
    void eachServiceClaimsItsOwn() {
        begin("a");
        for (String other : List.of("", service + "x", service.toUpperCase(java.util.Locale.ROOT), "%")) {
            assertThat(store().claim(new Claim(other, "eve", LEASE, 1000)))
                    .noneMatch(tx -> tx.gid().equals(gid("a")));
        }
        assertThat(suffixes(claim(store(), "alice", LEASE, 10))).containsExactly("a");
    }

    @Test
    void ofEightClaimantsAtOnceEachGetsOthers() {
        int count = 40;
        IntStream.range(0, count).forEach(i -> begin("-" + i));
        List<TransactionRecord> all = new ArrayList<>();
        // A store that skips what others look at may give out less than there is, so they come again.
        while (all.size() < count) {
            List<List<TransactionRecord>> claimed =
                    Concurrently.on(8, i -> claim(i % 2 == 0 ? store() : otherStore(), "claimant " + i, LEASE, 7));
            assertThat(claimed).allMatch(some -> some.size() <= 7);
            long before = all.size();
            claimed.forEach(all::addAll);
            assertThat(all.size() == count || all.size() > before).isTrue();
        }
        assertThat(all.stream().map(TransactionRecord::gid).distinct()).hasSize(count);
        assertThat(all)
                .allMatch(
                        tx -> found(tx.gid().text().substring(service.length())).equals(tx));
        assertThat(claim(store(), "late", LEASE, 7)).isEmpty();
    }

    @Test
    void aClaimAndADecisionAtOnceLoseNeither() {
        for (int round = 0; round < 10; round++) {
            String suffix = "-" + round;
            TransactionRecord tx = begin(suffix);
            TransactionStore[] stores = {store(), otherStore()};
            Concurrently.on(
                    2,
                    i -> i == 0
                            ? claim(stores[0], "alice", LEASE, 10).size()
                            : stores[1]
                                    .update(tx, tx.in(TransactionState.COMMITTING), List.of())
                                    .map(done -> 1)
                                    .orElse(0));
            TransactionRecord now = found(suffix);
            boolean decided = now.state() == TransactionState.COMMITTING;
            boolean claimed = now.progress().owner().isPresent();
            assertThat(decided || claimed).isTrue();
            assertThat(now.progress().version()).isEqualTo(tx.progress().version() + (decided && claimed ? 2 : 1));
            claim(store(), "sweeper", LEASE, 10);
        }
    }

    @Test
    void badClaimsAreRefused() {
        assertThatThrownBy(() -> claim(store(), "alice", LEASE, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> claim(store(), "alice", LEASE, 1001)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> claim(store(), "alice", Duration.ZERO, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
