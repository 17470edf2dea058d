package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PreVotesBendTest extends FollowerBends {
    /** After which its timeout is as good as untouched. */
    private static final long PAUSE_MILLIS = 1000;

    @Test
    void ratisBeginsItsTimeoutAnewForEachPreliminaryVote() throws Exception {
        open(Engine.STOCK);
        long before = afterThreeVotes();

        assertThat(granted()).isTrue();

        Engine.soon().until(() -> earliest() > before);
    }

    @Test
    void oursLeavesItFromTheFourthOn() throws Exception {
        open(Engine.BENT);
        long before = afterThreeVotes();

        assertThat(granted()).isFalse();

        assertThat(earliest()).isLessThanOrEqualTo(before);
    }

    /** When its timeout has begun, or later. */
    private long afterThreeVotes() throws Exception {
        get(leader.heartbeat(-1, -1));
        for (int i = 0; i < 3; i++) {
            assertThat(granted()).isTrue();
        }
        Engine.soon().until(() -> elapsed() >= PAUSE_MILLIS);
        long latest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            latest = Math.min(latest, -elapsed() + now()); // in this order
        }
        return latest;
    }

    /** When its timeout has begun, or earlier. */
    private long earliest() throws IOException {
        long now = now();
        return now - elapsed();
    }

    private boolean granted() throws Exception {
        return get(leader.preVote()).getServerReply().getSuccess();
    }

    private long elapsed() throws IOException {
        return engine.division()
                .getInfo()
                .getRoleInfoProto()
                .getFollowerInfo()
                .getLeaderInfo()
                .getLastRpcElapsedTimeMs();
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
