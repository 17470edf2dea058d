package dev.tenon.server.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TimeSource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import org.junit.jupiter.api.Test;

/** How much memory requests have, on one event loop. */
class SlowPeersTest {
    private static final int LOOPS = 64; // so that the share is a number that an int can be
    private final int share = (int) Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 16 / LOOPS);
    private final SlowPeers peers =
            new SlowPeers(Limits.DEFAULT, new ConnectionLimit(Limits.DEFAULT), LOOPS, TimeSource.system());

    @Test
    void whatIsWorkedOnHasASixteenthOfTheHeap() {
        Runnable most = peers.works(share - 1_000);
        Runnable rest = peers.works(1_000);
        assertThatThrownBy(() -> peers.works(share))
                .isInstanceOfSatisfying(
                        ProblemException.class, full -> assertThat(full.type()).isEqualTo(ProblemType.OVERLOADED));
        most.run();
        Runnable again = peers.works(share - 1_000);
        rest.run();
        again.run();
    }

    @Test
    void oneThatIsAloneIsAlwaysWorkedOn() {
        Runnable alone = peers.works(Integer.MAX_VALUE);
        assertThatThrownBy(() -> peers.works(1)).isInstanceOf(ProblemException.class);
        alone.run();
        peers.works(1).run();
    }

    @Test
    void theOldestIsCutWhenWhatIsNotWholeIsMoreThanItsShare() {
        boolean[] cut = new boolean[2];
        SlowPeers.Hold first = peers.hold(() -> cut[0] = true);
        SlowPeers.Hold second = peers.hold(() -> cut[1] = true);
        first.add(share / 2);
        second.add(share / 2);
        assertThat(cut).containsExactly(false, false);
        second.add(share / 2);
        assertThat(cut).containsExactly(true, false);
        second.done();
    }
}
