package dev.tenon.lock.engine;

import static dev.tenon.lock.engine.WaitState.ASKING;
import static dev.tenon.lock.engine.WaitState.CANCELLING;
import static dev.tenon.lock.engine.WaitState.CONFIRMING;
import static dev.tenon.lock.engine.WaitState.ENDED;
import static dev.tenon.lock.engine.WaitState.HELD;
import static dev.tenon.lock.engine.WaitState.IDLE;
import static dev.tenon.lock.engine.WaitState.QUEUED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The transitions of {@link WaitState}, every state by every other, and that {@link Wait} makes no others. */
class WaitStateTest {
    private static final Map<WaitState, Set<WaitState>> TABLE = Map.of(
            IDLE, Set.of(IDLE, ASKING, CONFIRMING, HELD, ENDED),
            ASKING, Set.of(ASKING, QUEUED, CONFIRMING, HELD, CANCELLING, ENDED),
            QUEUED, Set.of(QUEUED, ASKING, CONFIRMING, HELD, CANCELLING, ENDED),
            CONFIRMING, Set.of(CONFIRMING, ASKING, QUEUED, HELD, CANCELLING, ENDED),
            CANCELLING, Set.of(CANCELLING, CONFIRMING, HELD, ENDED),
            HELD, Set.of(HELD),
            ENDED, Set.of(ENDED));

    private final List<WaitState> entered = new ArrayList<>();
    private final Wait wait = new Wait(entered::add);

    private void go(WaitState next) {
        wait.decide(() -> {
            wait.enter(next);
            return Wait.nothing();
        });
    }

    @Test
    void everyTransitionIsAsTheTableSays() {
        for (WaitState from : WaitState.values()) {
            for (WaitState to : WaitState.values()) {
                assertThat(from.leadsTo(to))
                        .as(from + " to " + to)
                        .isEqualTo(TABLE.get(from).contains(to));
            }
        }
    }

    @Test
    void theStoreIsAwaitedInThreeStatesAndTwoAreTheEnd() {
        assertThat(WaitState.values()).filteredOn(WaitState::isBusy).containsExactly(ASKING, CONFIRMING, CANCELLING);
        assertThat(WaitState.values()).filteredOn(WaitState::isOver).containsExactly(HELD, ENDED);
    }

    @Test
    void aWaitRefusesATransitionThatTheTableDoesNotHave() {
        go(ASKING);
        go(HELD);
        assertThatThrownBy(() -> go(QUEUED))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("from HELD to QUEUED");
        assertThat(wait.state()).isEqualTo(HELD);
        assertThat(entered).containsExactly(ASKING, HELD);
    }

    @Test
    void aStateIsEnteredOnlyInADecision() {
        assertThatThrownBy(() -> wait.enter(ASKING)).isInstanceOf(IllegalStateException.class);
    }
}
