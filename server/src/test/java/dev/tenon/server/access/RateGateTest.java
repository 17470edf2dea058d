package dev.tenon.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RateGateTest {
    private static final int RATE = 10;

    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final Gate byKey = (visitor, need, name) -> {
        String key =
                visitor.authorization().orElseThrow(() -> new ProblemException(ProblemType.UNAUTHENTICATED, "no key"));
        return new Caller(key, key, List.of(""));
    };
    private final RateGate gate = new RateGate(byKey, RATE, clock);

    private ProblemType outcome(Gate asked, String key, String address) {
        try {
            asked.admit(
                    new Visitor(Optional.of(key).filter(k -> !k.isEmpty()), Optional.empty(), address),
                    Need.use(Scope.LOCKS),
                    "");
            return ProblemType.INTERNAL; // let in
        } catch (ProblemException e) {
            return e.type();
        }
    }

    private int admitted(Gate asked, String key, String address, int attempts) {
        int admitted = 0;
        for (int i = 0; i < attempts; i++) {
            admitted += outcome(asked, key, address) == ProblemType.INTERNAL ? 1 : 0;
        }
        return admitted;
    }

    @Test
    void aSecondsWorthMayComeAtOnceAndThenAsManyASecond() {
        assertThat(admitted(gate, "k", "a", 50)).isEqualTo(RATE);
        clock.advance(Duration.ofMillis(100));
        assertThat(admitted(gate, "k", "a", 50)).isEqualTo(1);
        clock.advance(Duration.ofMillis(500));
        assertThat(admitted(gate, "k", "a", 50)).isEqualTo(RATE / 2);
        clock.advance(Duration.ofHours(1));
        assertThat(admitted(gate, "k", "a", 50)).as("what was not used is lost").isEqualTo(RATE);
    }

    @Test
    void eachKeyHasItsOwnAndWhoHasNoneSpoilsNobodysBusiness() {
        for (int i = 0; i < 3 * RATE; i++) {
            assertThat(outcome(gate, "", "a"))
                    .isEqualTo(i < RATE ? ProblemType.UNAUTHENTICATED : ProblemType.RATE_LIMITED);
        }
        assertThat(admitted(gate, "one", "a", 50)).isEqualTo(RATE);
        assertThat(admitted(gate, "other", "a", 50)).isEqualTo(RATE);
        assertThat(outcome(gate, "", "b")).isEqualTo(ProblemType.UNAUTHENTICATED);
    }

    @Test
    void whereNoKeyIsAskedForEachAddressHasItsOwn() {
        RateGate open = new RateGate(Gate.OPEN, RATE, clock);
        assertThat(admitted(open, "", "a", 50)).isEqualTo(RATE);
        assertThat(admitted(open, "", "b", 50)).isEqualTo(RATE);
    }

    @Test
    void healthIsNotCounted() {
        RateGate open = new RateGate(Gate.OPEN, RATE, clock);
        Visitor visitor = new Visitor(Optional.empty(), Optional.empty(), "a");
        for (int i = 0; i < 5 * RATE; i++) {
            open.admit(visitor, Need.NOTHING, "");
        }
        assertThat(admitted(open, "", "a", 50)).isEqualTo(RATE);
    }

    @Test
    void manyAddressesDoNotFillTheMemory() {
        RateGate open = new RateGate(Gate.OPEN, RATE, clock);
        for (int i = 0; i < 150_000; i++) {
            outcome(open, "", "10." + i);
        }
        assertThat(open.counted()).isLessThanOrEqualTo(100_001);
        clock.advance(Duration.ofSeconds(2));
        assertThat(admitted(open, "", "new", 50)).isEqualTo(RATE);
        assertThat(open.counted()).as("those that are quiet are forgotten").isLessThan(10);
    }

    @Test
    void aRefusalSaysHowMany() {
        admitted(gate, "k", "a", RATE);
        assertThatThrownBy(() ->
                        gate.admit(new Visitor(Optional.of("k"), Optional.empty(), "a"), Need.use(Scope.IDS), "x"))
                .hasMessageContaining("10 requests per second");
    }
}
