package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link BarrierStore} must do, looked at through the {@link dev.tenon.tx.Barrier} over it: whatever the
 * order in which calls come, and how often, a branch has its effect once, or never. A backend's test extends it and
 * supplies rows and connections; transaction IDs are fresh in every test, so that one database may serve them all.
 */
public abstract class BarrierStoreContract extends BarrierStoreScenario {
    private static final int COMMITTED = Connection.TRANSACTION_READ_COMMITTED;
    private static final int REPEATABLE = Connection.TRANSACTION_REPEATABLE_READ;
    private static final Duration A_WHILE = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Reply.Refused LATE = new Reply.Refused("aborted: it was undone before it was done");

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aRepeatedCallGetsTheFirstResultBackAndDoesNothing(int isolation) throws Exception {
        String text = "ä\u4E2D\uD83D\uDE00\\'%\"\n\t{}" + "x".repeat(5000);
        for (Operation operation : List.of(Operation.ACTION, Operation.TRY, Operation.CONFIRM, Operation.DELIVER)) {
            assertThat(handle(isolation, call(operation), text)).isEqualTo(Reply.done(text));
            assertThat(handle(isolation, call(operation), "another")).isEqualTo(Reply.done(text));
            assertThat(effects(operation)).isEqualTo(1);
        }
    }

    @Test
    void aCallWithoutAResultHasNoneTheSecondTimeEither() throws Exception {
        assertThat(handle(COMMITTED, call(Operation.TRY), "")).isEqualTo(Reply.done());
        assertThat(handle(COMMITTED, call(Operation.TRY), "another")).isEqualTo(Reply.done());
        assertThat(effects(Operation.TRY)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void whatWasNeverDoneIsNotUndoneAndThenRefusedForGood(int isolation) throws Exception {
        for (Operation undo : List.of(Operation.CANCEL, Operation.COMPENSATE)) {
            for (int i = 0; i < 2; i++) {
                assertThat(handle(isolation, call(undo), "undone")).isEqualTo(Reply.done());
                assertThat(handle(isolation, call(undo.undone()), "late")).isEqualTo(LATE);
            }
            assertThat(effects(undo)).isZero();
            assertThat(effects(undo.undone())).isZero();
        }
    }

    @Test
    void whatWasDoneIsUndoneOnce() throws Exception {
        assertThat(handle(COMMITTED, call(Operation.ACTION), "done")).isEqualTo(Reply.done("done"));
        assertThat(handle(COMMITTED, call(Operation.COMPENSATE), "undone")).isEqualTo(Reply.done("undone"));
        assertThat(handle(COMMITTED, call(Operation.COMPENSATE), "again")).isEqualTo(Reply.done("undone"));
        assertThat(handle(COMMITTED, call(Operation.ACTION), "late")).isEqualTo(Reply.done("done"));
        assertThat(effects(Operation.ACTION)).isEqualTo(1);
        assertThat(effects(Operation.COMPENSATE)).isEqualTo(1);
    }

    @Test
    void workThatThrowsOrRefusesLeavesNothingAfterTheRollback() throws Exception {
        BranchCall call = call(Operation.TRY);
        try (Connection connection = transaction(COMMITTED)) {
            assertThatThrownBy(() -> barrier().call(connection, call, within -> {
                        effect(within, call, "lost");
                        throw new IllegalStateException("no");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            connection.rollback();
            for (Reply reply : List.of(Reply.refused("sold out"), Reply.notYet("later"))) {
                assertThat(barrier().call(connection, call, within -> reply)).isEqualTo(reply);
                connection.rollback();
            }
        } // and closed with a row that was not committed
        try (Connection connection = transaction(COMMITTED)) {
            barrier().call(connection, call, within -> effect(within, call, "lost"));
        }
        assertThat(effects(Operation.TRY)).isZero();
        assertThat(handle(COMMITTED, call, "done")).isEqualTo(Reply.done("done"));
        assertThat(effects(Operation.TRY)).isEqualTo(1);
    }

    @Test
    void branchesTransactionsAndOperationsAreToldApartExactly() throws Exception {
        List<String> branches = List.of("a", "A", "a ", "á", "a%", "\u4E2D\uD83D\uDE00", "x".repeat(200));
        for (String branch : branches) {
            assertThat(handle(COMMITTED, call(branch, Operation.TRY), branch)).isEqualTo(Reply.done(branch));
            assertThat(handle(COMMITTED, call(branch, Operation.CONFIRM), "c")).isEqualTo(Reply.done("c"));
        }
        for (String branch : branches) {
            assertThat(handle(COMMITTED, call(branch, Operation.TRY), "")).isEqualTo(Reply.done(branch));
        }
        begin();
        assertThat(handle(COMMITTED, call("a", Operation.TRY), "other")).isEqualTo(Reply.done("other"));
    }

    @Test
    void aConnectionWithoutATransactionIsRefused() throws Exception {
        try (Connection connection = connect()) {
            assertThatThrownBy(() -> barrier().call(connection, call(Operation.TRY), within -> Reply.done()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(handle(COMMITTED, call(Operation.TRY), "first")).isEqualTo(Reply.done("first"));
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aCancelThatComesDuringTheTryWaitsAndThenUndoesIt(int isolation) throws Exception {
        assertThat(during(isolation, Operation.TRY, Operation.CANCEL, true)).isEqualTo(Reply.done("second"));
        assertThat(effects(Operation.TRY)).isEqualTo(1);
        assertThat(effects(Operation.CANCEL)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aCancelThatComesDuringATryThatFailsWaitsAndHasNothingToUndo(int isolation) throws Exception {
        assertThat(during(isolation, Operation.TRY, Operation.CANCEL, false)).isEqualTo(Reply.done());
        assertThat(handle(isolation, call(Operation.TRY), "late")).isEqualTo(LATE);
        assertThat(effects(Operation.TRY)).isZero();
        assertThat(effects(Operation.CANCEL)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aTryThatComesDuringTheCancelWaitsAndIsRefused(int isolation) throws Exception {
        assertThat(during(isolation, Operation.CANCEL, Operation.TRY, true)).isEqualTo(LATE);
        assertThat(effects(Operation.TRY)).isZero();
        assertThat(effects(Operation.CANCEL)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aTryThatComesDuringACancelThatFailsWaitsAndIsDone(int isolation) throws Exception {
        assertThat(during(isolation, Operation.CANCEL, Operation.TRY, false)).isEqualTo(Reply.done("second"));
        assertThat(handle(isolation, call(Operation.CANCEL), "undone")).isEqualTo(Reply.done("undone"));
        assertThat(effects(Operation.TRY)).isEqualTo(1);
        assertThat(effects(Operation.CANCEL)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void aTryThatComesDuringTheSameTryWaitsAndGetsItsResult(int isolation) throws Exception {
        assertThat(during(isolation, Operation.TRY, Operation.TRY, true)).isEqualTo(Reply.done("first"));
        assertThat(effects(Operation.TRY)).isEqualTo(1);
    }

    /** The answer to a call that comes while another one of the same branch has done its work, and not ended yet. */
    private Reply during(int isolation, Operation first, Operation second, boolean commits) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Connection connection = transaction(isolation)) {
            BranchCall call = call(first);
            barrier().call(connection, call, within -> effect(within, call, "first"));
            Future<Reply> waiting = thread.submit(() -> handle(isolation, call(second), "second"));
            assertThatThrownBy(() -> waiting.get(A_WHILE.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            thread.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void ofThoseWhoHaveWaitedForOneThatFailsEachGetsItsAnswer(int isolation) throws Exception {
        List<Operation> operations = List.of(Operation.TRY, Operation.CANCEL, Operation.TRY, Operation.CANCEL);
        ExecutorService threads = Executors.newFixedThreadPool(operations.size());
        try (Connection connection = transaction(isolation)) {
            barrier().call(connection, call(Operation.TRY), within -> Reply.done());
            List<Future<Reply>> waiting = new ArrayList<>();
            for (Operation operation : operations) {
                waiting.add(threads.submit(() -> handle(isolation, call(operation), "done", true)));
            }
            assertThatThrownBy(() -> waiting.get(0).get(A_WHILE.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            connection.rollback();
            for (Future<Reply> each : waiting) {
                // On MariaDB one of them at a time, as the others share the gap that the first has left: docs/adr/0029.
                assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isIn(Reply.done("done"), Reply.done(), LATE);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(effects(Operation.TRY)).isEqualTo(effects(Operation.CANCEL)).isBetween(0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void ofEightCallsAtOnceOneHasAnEffectAndAllTheSameResult(int isolation) throws Exception {
        List<Reply> replies = Concurrently.on(8, i -> handle(isolation, call(Operation.ACTION), "of " + i));
        assertThat(replies.stream().distinct()).hasSize(1).allMatch(Reply.Done.class::isInstance);
        assertThat(effects(Operation.ACTION)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {COMMITTED, REPEATABLE})
    void triesAndCancelsAtOnceEndWithBothEffectsOrNone(int isolation) throws Exception {
        int rounds = 5;
        List<String> branches = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            String branch = "branch " + round;
            branches.add(branch);
            Concurrently.on(4, i -> {
                Operation operation = i % 2 == 0 ? Operation.TRY : Operation.CANCEL;
                return handle(isolation, call(branch, operation), "done");
            });
        }
        for (String branch : branches) {
            assertThat(effects(branch, Operation.TRY))
                    .as(branch)
                    .isEqualTo(effects(branch, Operation.CANCEL))
                    .isBetween(0, 1);
            assertThat(handle(isolation, call(branch, Operation.TRY), "done"))
                    .isEqualTo(effects(branch, Operation.TRY) == 1 ? Reply.done("done") : LATE);
        }
    }

    @Test
    void whetherItHappenedIsSaidOnceAndForAll() throws Exception {
        handle(COMMITTED, call("done", Operation.ACTION), "");
        for (int i = 0; i < 2; i++) {
            assertThat(happened("done")).isTrue();
            assertThat(happened("never")).isFalse();
            assertThat(handle(COMMITTED, call("never", Operation.ACTION), "late"))
                    .isEqualTo(LATE);
        }
        assertThat(effects("never", Operation.ACTION)).isZero();
    }

    private boolean happened(String branch) throws SQLException {
        try (Connection connection = transaction(COMMITTED)) {
            boolean happened = barrier().happened(connection, call(branch, Operation.CHECK), Operation.ACTION);
            connection.commit();
            return happened;
        }
    }

    @Test
    void aRowTellsWhoWroteIt() throws Exception {
        BranchCall cancel = call(Operation.CANCEL);
        try (Connection connection = transaction(COMMITTED)) {
            assertThat(store().insert(connection, cancel, Operation.TRY)).isEmpty();
            assertThat(store().insert(connection, cancel, Operation.TRY))
                    .contains(new BarrierStore.Row(Operation.TRY, Operation.CANCEL, ""));
            assertThat(store().insert(connection, cancel, Operation.CANCEL)).isEmpty();
            store().result(connection, cancel, "undone");
            connection.commit();
            assertThat(store().insert(connection, call(Operation.TRY), Operation.TRY))
                    .contains(new BarrierStore.Row(Operation.TRY, Operation.CANCEL, ""));
            assertThat(store().insert(connection, cancel, Operation.CANCEL))
                    .isEqualTo(Optional.of(new BarrierStore.Row(Operation.CANCEL, Operation.CANCEL, "undone")));
            connection.rollback();
        }
    }

    @Test
    void rowsAreForgottenByTheirAgeAndSoManyAtATime() throws Exception {
        for (int i = 0; i < 3; i++) {
            handle(COMMITTED, call("branch " + i, Operation.TRY), "first");
        }
        store().purge(Duration.ofDays(1), 10_000);
        assertThat(handle(COMMITTED, call("branch 0", Operation.TRY), "again")).isEqualTo(Reply.done("first"));
        Awaitility.await().atMost(PATIENCE).until(() -> {
            assertThat(store().purge(Duration.ofMillis(1), 2)).isBetween(0, 2);
            return store().purge(Duration.ofMillis(1), 10_000) == 0;
        });
        assertThat(handle(COMMITTED, call("branch 0", Operation.TRY), "anew")).isEqualTo(Reply.done("anew"));
        for (int limit : new int[] {-1, 0, 10_001}) {
            assertThatThrownBy(() -> store().purge(Duration.ofDays(1), limit))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
