package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Seen;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UntoldHoldsTest {
    private static final Operation SEEN = Operation.answered("reader", new Seen(Set.of(64L)), 50, 60);

    private final History history = new History();

    private static Operation granted(long token, long invoked) {
        return Operation.answered("user", new Granted(token, LockMode.EXCLUSIVE), invoked, invoked + 100);
    }

    private void judge(List<Long> inVain, Operation... operations) {
        UntoldHolds.addTo(history, "lock", List.of(operations), inVain);
    }

    @Test
    void aHoldThatSomebodyWasToldOfIsNoRiddle() {
        judge(List.of(), granted(64, 10), SEEN);
        assertThat(history.byLock()).isEmpty();
    }

    @Test
    void whoAskedInVainMayHaveHadIt() {
        judge(List.of(55L, 40L), SEEN);
        assertThat(history.byLock().get("lock"))
                .extracting(Operation::invoked, Operation::certain)
                .containsOnly(tuple(40L, false));
    }

    @Test
    void whoGotALaterOneByTheSameCallMayHaveHeardOfItTooLate() {
        judge(List.of(), granted(96, 30), SEEN);
        assertThat(history.byLock().get("lock"))
                .extracting(Operation::invoked, Operation::certain)
                .containsOnly(tuple(30L, false));
    }

    @Test
    void nobodyElseHasHadIt() {
        assertThatThrownBy(() -> judge(List.of(61L), granted(32, 10), granted(96, 70), SEEN))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("under 64, for which nobody had asked");
    }
}
