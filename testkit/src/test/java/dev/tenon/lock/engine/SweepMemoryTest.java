package dev.tenon.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a walk remembers, and that it does not remember more and more. */
class SweepMemoryTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Instant LATER = NOON.plusSeconds(60);

    private final SweepMemory walk = new SweepMemory(2);

    @Test
    void aRegisterHasBeenAsItIsSinceItWasFirstSeenSo() {
        assertThat(walk.since(register("a", 1), NOON)).isEqualTo(NOON);
        assertThat(walk.since(register("a", 1), LATER)).isEqualTo(NOON);
        assertThat(walk.since(register("a", 2), LATER)).isEqualTo(LATER);
        assertThat(walk.since(register("a", 1), NOON))
                .as("forgotten by the change")
                .isEqualTo(NOON);
    }

    @Test
    void whatChangesGivesItsRoomToWhatDoesNot() {
        walk.since(register("a", 1), NOON);
        walk.since(register("b", 2), NOON);
        walk.since(register("c", 3), NOON);
        assertThat(walk.since(register("c", 3), LATER)).as("no room").isEqualTo(LATER);
        walk.since(register("a", 4), LATER);
        walk.since(register("c", 3), LATER);
        assertThat(walk.since(register("c", 3), LATER.plusSeconds(1))).isEqualTo(LATER);
        assertThat(walk.since(register("b", 2), LATER)).isEqualTo(NOON);
    }

    @Test
    void whatIsGoneIsForgottenOnTheWay() {
        walk.since(register("a", 1), NOON);
        walk.since(register("c", 2), NOON);
        walk.passed("", List.of(register("b", 3)), false);
        assertThat(walk.size()).as("c comes later").isEqualTo(1);
        walk.passed("b", List.of(), true);
        assertThat(walk.size()).isZero();
    }

    private static Register register(String name, long version) {
        return new Register(name, Optional.of("text"), version, 1, version);
    }
}
