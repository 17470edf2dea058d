package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What every {@link TransactionStore} must do. A backend's test extends it and supplies the store; services and IDs are
 * fresh in every test, so that one store may serve them all, one test after the other.
 */
public abstract class TransactionStoreContract extends TransactionListContract {
    private static final int THREADS = 8;

    @Test
    void aTransactionBeginsAsItWasDrafted() {
        Instant before = store().now();
        TransactionDraft draft = fullDraft("a");
        TransactionRecord tx = created(store().begin(draft, Optional.of("alice"), LEASE));
        assertThat(tx.createdAt())
                .isBetween(before.minusSeconds(2), otherStore().now().plusSeconds(2));
        assertThat(tx.deadline()).isEqualTo(tx.createdAt().plus(draft.deadline()));
        assertThat(List.of(tx.gid(), tx.kind(), tx.service(), tx.name(), tx.digest(), tx.payload()))
                .containsExactly(
                        draft.gid(), draft.kind(), draft.service(), draft.name(), draft.digest(), draft.payload());
        assertThat(tx.parent()).isEqualTo(draft.parent());
        assertThat(tx.retry()).isEqualTo(draft.retry());
        assertThat(tx.branches()).isEqualTo(draft.branches());
        assertThat(tx.state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(tx.progress().owner()).contains("alice");
        assertThat(tx.progress().dueAt()).isEqualTo(tx.createdAt().plus(LEASE));
        assertThat(tx.suspended()).isEmpty();
        assertThat(tx.progress().endedAt()).isEmpty();
        assertThat(found("a")).isEqualTo(tx);
    }

    @Test
    void whatNeverBeganIsNowhere() {
        begin("a");
        for (String other : List.of("b", "A", "a1")) {
            assertThat(store().find(gid(other))).isEmpty();
        }
        assertThat(store().history(gid("b"))).isEmpty();
        TransactionRecord tx = created(store().begin(draft("gone"), Optional.empty(), LEASE));
        TransactionRecord unknown = new TransactionRecord(
                gid("b"),
                tx.kind(),
                tx.service(),
                tx.name(),
                tx.digest(),
                tx.payload(),
                tx.parent(),
                tx.retry(),
                tx.createdAt(),
                tx.deadline(),
                tx.progress(),
                tx.branches());
        assertThat(store().update(unknown, unknown.in(TransactionState.COMMITTED), List.of(event("x"))))
                .isEmpty();
        assertThat(store().find(gid("b"))).isEmpty();
        assertThat(store().history(gid("b"))).isEmpty();
    }

    @Test
    void aTransactionThatIsBegunAgainIsKnownAndStaysAsItIs() {
        TransactionRecord tx = begin("a");
        assertThat(otherStore().begin(draft("a"), Optional.of("bob"), LEASE)).isEqualTo(new Begun.Known(tx));
        TransactionRecord ended = updated(tx, tx.in(TransactionState.COMMITTED));
        assertThat(store().begin(draft("a"), Optional.of("bob"), LEASE)).isEqualTo(new Begun.Known(ended));
        assertThat(found("a")).isEqualTo(ended);
    }

    @Test
    void anotherTransactionOfTheSameIdIsAConflict() {
        TransactionRecord tx = begin("a");
        TransactionDraft other = draft("a", List.of(branch("another")));
        assertThat(otherStore().begin(other, Optional.of("bob"), LEASE)).isEqualTo(new Begun.Conflicting(tx));
        assertThat(found("a")).isEqualTo(tx);
    }

    @Test
    void ofEightThatBeginTheSameAtOnceOneDoes() {
        List<Begun> answers =
                Concurrently.on(THREADS, i -> some(i).begin(draft("a"), Optional.of("owner " + i), LEASE));
        TransactionRecord tx = found("a");
        assertThat(answers).filteredOn(Begun.Created.class::isInstance).containsExactly(new Begun.Created(tx));
        assertThat(answers).filteredOn(Begun.Known.class::isInstance).hasSize(THREADS - 1);
        assertThat(answers).extracting(Begun::transaction).containsOnly(tx);
    }

    @Test
    void ofEightThatBeginAnotherAtOnceOneDoes() {
        List<Begun> answers = Concurrently.on(
                THREADS, i -> some(i).begin(draft("a", List.of(branch("of " + i))), Optional.empty(), LEASE));
        assertThat(answers).filteredOn(Begun.Created.class::isInstance).hasSize(1);
        assertThat(answers).filteredOn(Begun.Conflicting.class::isInstance).hasSize(THREADS - 1);
        assertThat(answers).extracting(Begun::transaction).containsOnly(found("a"));
    }

    @Test
    void everyFieldOfAnUpdateIsKept() {
        TransactionRecord tx = created(store().begin(fullDraft("a"), Optional.of("alice"), LEASE));
        List<BranchRecord> branches = new ArrayList<>(tx.branches());
        branches.replaceAll(b -> b.called(BranchState.STUCK)
                .again(Instant.parse("2032-01-01T00:00:00.123456Z"), "x".repeat(BranchRecord.ERROR_LENGTH_MAX + 1))
                .withResult("result \u4E2D of " + b.name()));
        TransactionRecord after = tx.withBranches(branches)
                .due(Instant.parse("2032-01-01T00:00:00.654321Z"), Optional.of("bob \u4E2D"))
                .suspendedFor(Optional.of("\u4E2D".repeat(BranchRecord.ERROR_LENGTH_MAX)));
        TransactionRecord now = updated(tx, after);
        assertThat(now.progress().version()).isEqualTo(tx.progress().version() + 1);
        assertThat(now.branches()).isEqualTo(branches);
        assertThat(now.progress().dueAt()).isEqualTo(after.progress().dueAt());
        assertThat(now.progress().owner()).contains("bob \u4E2D");
        assertThat(now.progress().claims()).isEqualTo(tx.progress().claims());
        assertThat(now.suspended()).isEqualTo(after.suspended());
        assertThat(found("a")).isEqualTo(now);
        TransactionRecord cleared = updated(
                now,
                now.withBranches(tx.branches().stream()
                                .map(b -> b.in(BranchState.DONE))
                                .toList())
                        .due(tx.createdAt(), Optional.empty())
                        .suspendedFor(Optional.empty()));
        assertThat(cleared.progress().owner()).isEmpty();
        assertThat(cleared.suspended()).isEmpty();
        assertThat(cleared.branches())
                .allMatch(b -> b.dueAt().isEmpty() && b.lastError().isEmpty());
        assertThat(found("a")).isEqualTo(cleared);
    }

    @Test
    void branchesAreAddedAtTheEnd() {
        TransactionRecord tx = begin("a");
        List<BranchRecord> more = new ArrayList<>(tx.branches());
        IntStream.range(0, 50).forEach(i -> more.add(branch("more " + i).after(List.of("ship"))));
        TransactionRecord now = updated(tx, tx.withBranches(more));
        assertThat(now.branches()).isEqualTo(more);
        assertThat(found("a")).isEqualTo(now);
    }

    @Test
    void longTextsAndManyBranchesComeBackAsTheyWere() {
        List<BranchRecord> branches = IntStream.range(0, TransactionDraft.BRANCHES_MAX)
                .mapToObj(i ->
                        BranchRecord.planned("branch " + i, Map.of(Operation.TRY, "t", Operation.CANCEL, "c"), "p"))
                .toList();
        TransactionRecord many = created(store().begin(draft("many", branches), Optional.empty(), LEASE));
        assertThat(found("many")).isEqualTo(many);
        assertThat(found("many").branches()).isEqualTo(branches);
        BranchRecord big = BranchRecord.planned(
                "n".repeat(200),
                Map.of(Operation.ACTION, "t".repeat(TransactionDraft.TEXT_LENGTH_MAX)),
                "\u4E2D".repeat(200_000));
        TransactionRecord tx = created(store().begin(draft("big", List.of(big)), Optional.empty(), LEASE));
        assertThat(tx.branches()).containsExactly(big);
        assertThat(found("big")).isEqualTo(tx);
        TransactionRecord now = updated(tx, tx.change(big.name(), b -> b.in(BranchState.DONE)));
        assertThat(found("big")).isEqualTo(now);
    }

    @Test
    void anUpdateOfWhatHasChangedSinceIsRefusedAndWritesNothing() {
        TransactionRecord tx = begin("a");
        TransactionRecord now = updated(tx, tx.change("pay", b -> b.called(BranchState.CALLED)));
        assertThat(otherStore().update(tx, tx.in(TransactionState.ABORTING), List.of(event("late"))))
                .isEmpty();
        assertThat(found("a")).isEqualTo(now);
        assertThat(store().history(gid("a"))).isEmpty();
    }

    @Test
    void anUpdateThatIsRepeatedHasOneEffect() {
        TransactionRecord tx = begin("a");
        TransactionRecord after = tx.change("pay", b -> b.called(BranchState.CALLED));
        TransactionRecord now = updated(tx, after, event("once"));
        assertThat(store().update(tx, after, List.of(event("once")))).isEmpty();
        assertThat(found("a")).isEqualTo(now);
        assertThat(store().history(gid("a"))).containsExactly(event("once"));
    }

    @Test
    void ofCommitAbortAndOthersAtOnceOneGetsThrough() {
        for (int round = 0; round < 5; round++) {
            String suffix = "-" + round;
            TransactionRecord tx = begin(suffix);
            List<Optional<TransactionRecord>> answers = Concurrently.on(
                    THREADS,
                    i -> some(i).update(
                                    tx,
                                    tx.in(i % 2 == 0 ? TransactionState.COMMITTING : TransactionState.ABORTING),
                                    List.of(event("by " + i))));
            TransactionRecord now = found(suffix);
            assertThat(answers).filteredOn(Optional::isPresent).containsExactly(Optional.of(now));
            assertThat(store().history(gid(suffix))).hasSize(1);
        }
    }

    @Test
    void noUpdateOfManyWritersIsLost() {
        int each = 10;
        begin("a");
        Concurrently.on(THREADS, i -> {
            for (int done = 0; done < each; ) {
                TransactionRecord tx = some(i).find(gid("a")).orElseThrow();
                TransactionRecord after = tx.change("pay", b -> b.called(BranchState.CALLED));
                done += some(i).update(tx, after, List.of(event(i + "/" + done)))
                                .isPresent()
                        ? 1
                        : 0;
            }
            return each;
        });
        assertThat(found("a").branch("pay").orElseThrow().attempts()).isEqualTo(THREADS * each);
        assertThat(found("a").progress().version()).isEqualTo(1 + THREADS * each);
        assertThat(store().history(gid("a")).stream()
                        .map(TransactionEvent::what)
                        .distinct())
                .hasSize(THREADS * each);
    }

    @Test
    void noStateGoesBackAndNoDecisionFlips() {
        for (TransactionState from : TransactionState.values()) {
            TransactionRecord begun = begin("-" + from);
            TransactionRecord tx = from == TransactionState.ACTIVE ? begun : brought(begun, from);
            List<TransactionEvent> before = store().history(gid("-" + from));
            for (TransactionState to : TransactionState.values()) {
                if (!from.mayBecome(to)) {
                    assertThatThrownBy(() -> otherStore().update(tx, tx.in(to), List.of(event("flip"))))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining(from.name());
                }
            }
            assertThat(found("-" + from)).isEqualTo(tx);
            assertThat(store().history(gid("-" + from))).isEqualTo(before);
        }
    }

    @Test
    void theEndIsWrittenDownOnceAndReleasesTheTransaction() {
        TransactionRecord tx = created(store().begin(draft("a"), Optional.of("alice"), LEASE));
        TransactionRecord ended = updated(tx, tx.in(TransactionState.ABORTED).suspendedFor(Optional.of("no more")));
        assertThat(ended.progress().endedAt().orElseThrow())
                .isBetween(tx.createdAt(), otherStore().now().plusSeconds(2));
        assertThat(ended.progress().owner()).isEmpty();
        assertThat(ended.suspended()).isEmpty();
        assertThat(ended.progress().trouble()).isEmpty();
        TransactionRecord again = updated(ended, ended, event("looked at"));
        assertThat(again.progress().endedAt()).isEqualTo(ended.progress().endedAt());
        assertThat(found("a")).isEqualTo(again);
    }

    @Test
    void whatIsClosedSaysWhoClosedItAndIsDrivenNoMore() {
        TransactionRecord tx = begin("a");
        TransactionRecord decided = updated(tx, tx.in(TransactionState.ABORTING));
        String why = "closed by eve: put back by hand \u4E2D";
        TransactionRecord closed =
                updated(decided, decided.in(TransactionState.CLOSED).suspendedFor(Optional.of(why)), event("closed"));
        assertThat(found("a")).isEqualTo(closed);
        assertThat(closed.suspended()).contains(why);
        assertThat(closed.progress().endedAt()).isPresent();
        assertThat(claim(store(), "alice", LEASE, 10)).isEmpty();
        assertThat(listed(own().thatAreStuck(), 10)).isEmpty();
        assertThat(listed(own().in(TransactionState.CLOSED), 10)).containsExactly("a");
        await().until(() -> store().purge(service, SHORT, 10) == 1);
    }

    @Test
    void troubleIsKeptUntilItIsOver() {
        TransactionRecord tx = begin("a");
        Instant since = Instant.parse("2031-02-03T04:05:06.789012Z");
        Trouble failing = new Trouble(since, Optional.empty());
        Trouble stuck = new Trouble(since, Optional.of(since.plusSeconds(300)));
        TransactionRecord troubled = updated(tx, tx.with(tx.progress().troubled(Optional.of(failing))));
        assertThat(found("a").progress().trouble()).contains(failing);
        TransactionRecord told =
                updated(troubled, troubled.with(troubled.progress().troubled(Optional.of(stuck))));
        assertThat(found("a")).isEqualTo(told);
        assertThat(found("a").progress().trouble()).contains(stuck);
        assertThat(claim(otherStore(), "bob", LEASE, 10).get(0).progress().trouble())
                .contains(stuck);
        TransactionRecord now = found("a");
        updated(now, now.with(now.progress().troubled(Optional.empty())));
        assertThat(found("a").progress().trouble()).isEmpty();
    }

    @Test
    void theHistoryIsKeptInItsOrder() {
        TransactionRecord tx = begin("a");
        assertThat(store().history(gid("a"))).isEmpty();
        TransactionRecord next = updated(tx, tx.suspendedFor(Optional.of("x")), event("one"), event("two"));
        updated(next, next.suspendedFor(Optional.empty()), event("a third"), event("a third"));
        assertThat(otherStore().history(gid("a")))
                .containsExactly(event("one"), event("two"), event("a third"), event("a third"));
        assertThat(otherStore().history(gid("b"))).isEmpty();
    }

    @Test
    void whatEndedLongAgoIsForgottenAndNothingElse() {
        TransactionRecord open = begin("-open");
        updated(open, open.in(TransactionState.COMMITTING), event("open"));
        for (String suffix : List.of("-a", "-b", "-c")) {
            TransactionRecord tx = begin(suffix);
            updated(tx, tx.in(TransactionState.COMMITTED), event("ended"));
        }
        store().purge(Duration.ofDays(1), 10_000);
        assertThat(listed(own(), 10)).hasSize(4);
        await().until(() -> {
            assertThat(otherStore().purge(SHORT, 1)).isBetween(0, 1);
            return listed(own(), 10).equals(List.of("-open"));
        });
        assertThat(store().history(gid("-a"))).isEmpty();
        assertThat(store().history(gid("-open"))).hasSize(1);
        assertThat(store().purge(SHORT, 10_000)).isZero();
        assertThat(store().begin(draft("-a"), Optional.empty(), LEASE)).isInstanceOf(Begun.Created.class);
    }

    @Test
    void whatAServiceForgetsIsItsOwnAlone() {
        TransactionRecord tx = begin("-a");
        updated(tx, tx.in(TransactionState.COMMITTED));
        await().until(() -> {
            assertThat(store().purge(service + "-other", SHORT, 10_000)).isZero();
            assertThat(store().find(gid("-a"))).isPresent();
            return otherStore().purge(service, SHORT, 10_000) == 1;
        });
        assertThat(store().find(gid("-a"))).isEmpty();
    }

    @Test
    void badArgumentsAreRefused() {
        for (int limit : new int[] {Integer.MIN_VALUE, -1, 0, 10_001, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> store().purge(Duration.ofDays(1), limit))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> store().begin(draft("a"), Optional.empty(), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        TransactionRecord tx = begin("a");
        List<BranchRecord> twice = List.of(branch("pay"), branch("pay"));
        assertThatThrownBy(() -> store().update(tx, tx.withBranches(twice), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(found("a")).isEqualTo(tx);
    }

    private TransactionStore some(int i) {
        return i % 2 == 0 ? store() : otherStore();
    }
}
