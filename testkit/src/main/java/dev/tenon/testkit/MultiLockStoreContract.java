package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every {@link MultiLockStore} must do, beside what {@link LockStoreContract} says. */
public abstract class MultiLockStoreContract extends LockStoreScenario {
    @Override
    protected abstract MultiLockStore store();

    @Test
    void takesAllOrNone() {
        List<Acquire> three = List.of(of("a"), of("b"), of("c"));
        long held = granted(store().acquire(of("b"))).token();
        assertThat(join(store().acquireAll(three))).singleElement().isInstanceOf(Outcome.Busy.class);
        for (Acquire one : List.of(three.get(0), three.get(2))) {
            assertThat(join(store().inspect(one.name()))).isEmpty();
        }

        join(store().release(List.of(new Release(name + "b", held))));
        List<Outcome> outcomes = join(store().acquireAll(three));
        assertThat(outcomes).hasSize(3).allMatch(Outcome.Granted.class::isInstance);
        assertThat(join(store().acquireAll(three)).stream().map(MultiLockStoreContract::token))
                .as("asked again")
                .containsExactlyElementsOf(
                        outcomes.stream().map(MultiLockStoreContract::token).toList());
        for (int i = 0; i < 3; i++) {
            assertThat(join(store().release(List.of(new Release(three.get(i).name(), token(outcomes.get(i)))))))
                    .containsExactly(Released.FREED);
        }
    }

    @Test
    void nobodyIsQueuedForAll() {
        granted(store().acquire(of("a")));
        Acquire patient = new Acquire(name + "a", alice, nextRequest(), "bob", Optional.of(LEASE), WAIT);
        assertThat(join(store().acquireAll(List.of(patient)))).singleElement().isInstanceOf(Outcome.Busy.class);
        assertThat(join(store().inspect(name + "a")).orElseThrow().queue()).isEmpty();
    }

    @Test
    void whatCannotBeAskedTogetherIsRefused() {
        assertThatThrownBy(() -> store().acquireAll(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().acquireAll(List.of(of("a"), of("a"))))
                .isInstanceOf(IllegalArgumentException.class);
        List<Acquire> many = new ArrayList<>();
        for (int i = 0; i <= MultiLockStore.NAMES_MAX; i++) {
            many.add(of("n" + i));
        }
        assertThatThrownBy(() -> store().acquireAll(many)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSessionThatIsNotOpenGetsNothing() {
        Acquire stranger = new Acquire(name, "nobody", nextRequest(), "nobody", Optional.of(LEASE), Duration.ZERO);
        assertThat(join(store().acquireAll(List.of(stranger)))).containsExactly(new Outcome.NoSession());
    }

    private Acquire of(String suffix) {
        return request(name + suffix, alice, LEASE, Duration.ZERO);
    }

    private static long token(Outcome outcome) {
        return ((Outcome.Granted) outcome).token();
    }
}
