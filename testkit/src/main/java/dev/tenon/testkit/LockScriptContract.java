package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Twenty-five thousand random steps on a store, from two processes, in all modes, with the answers of {@link
 * dev.tenon.lock.spi.LockMachine}. Scripts are independent of each other and go on beside each other: many calls are
 * under way at any time, and what is released or renewed goes to the store in lists. The whole state is compared after
 * every few steps. A store needs no disk for this: give it one without fsync.
 *
 * <p>{@code -Dtenon.steps} sets how many steps there are, on every store, and {@code -Dtenon.seed} the first seed:
 * {@code scripts/soak-locks --steps} takes a hundred thousand on each.
 */
public abstract class LockScriptContract {
    private static final long SEED = Long.getLong("tenon.seed", 1);
    private static final int ROUNDS = 80;
    private static final int SCRIPTS = 63;

    /** The store under test, as one process has it. */
    protected abstract LockStore store();

    /** The same locks, as another process has them; the same store where there can be no other process. */
    protected LockStore otherStore() {
        return store();
    }

    /** How many steps to take unless {@code -Dtenon.steps} is set: fewer where each is dear. */
    protected int steps() {
        return ROUNDS * SCRIPTS;
    }

    @Test
    void randomStepsHaveTheAnswersOfTheMachine() {
        int wanted = Integer.getInteger("tenon.steps", steps());
        LockScripts scripts = new LockScripts(List.of(store(), otherStore()));
        int steps = 0;
        for (long seed = SEED * 1_000_000; steps < wanted; seed += SCRIPTS) {
            steps += scripts.run(seed, SCRIPTS, Math.min(ROUNDS, (wanted - steps) / SCRIPTS + 1));
        }
        assertThat(steps).isGreaterThanOrEqualTo(wanted);
    }
}
