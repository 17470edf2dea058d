package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class OlderIdsTest {
    private static final IdLayout LAYOUT = IdLayout.twitter();

    private final Instant now = Instant.parse("2026-11-21T10:00:00Z");
    private final JumpyClock clock = new JumpyClock(now);

    private long idAt(Instant moment) {
        return LAYOUT.firstIdAt(moment) | 7;
    }

    @Test
    void whatIsBehindTheClockIsBelow() {
        new OlderIds(LAYOUT, idAt(now.minusMillis(1))).requireBelow(clock);
        new OlderIds(LAYOUT, 0).requireBelow(clock);
        assertThat(clock.now()).isEqualTo(now);
    }

    @Test
    void whatIsOfThisMomentOrALittleAheadIsWaitedFor() {
        long greatest = idAt(now.plusMillis(400));
        new OlderIds(LAYOUT, greatest).requireBelow(clock);
        assertThat(LAYOUT.firstIdAt(clock.now())).isGreaterThan(greatest);
        assertThat(clock.now()).isEqualTo(now.plusMillis(401));
    }

    @Test
    void whatIsFurtherAheadIsRefusedAtOnce() {
        OlderIds ahead = new OlderIds(LAYOUT, idAt(now.plus(Duration.ofHours(1))));
        assertThatThrownBy(() -> ahead.requireBelow(clock))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("2026-11-21T11:00:00Z")
                .hasMessageContaining("another layout or epoch");
        assertThat(clock.now()).isEqualTo(now);
    }

    @Test
    void whatIsNoIdOfTheLayoutIsRefused() {
        assertThatThrownBy(() -> new OlderIds(LAYOUT, -1).requireBelow(clock))
                .hasMessageContaining("no ID of the layout");
        assertThatThrownBy(() -> new OlderIds(IdLayout.jsSafe(), Long.MAX_VALUE).requireBelow(clock))
                .hasMessageContaining("no ID of the layout");
    }
}
