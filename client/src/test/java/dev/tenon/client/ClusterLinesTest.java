package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three server processes under load, of which one stands still, is cut off, or has a clock that is wrong. Whatever was
 * answered stays true ({@link ClusterLoad}), and every call is answered in the end.
 */
@Tag("soak")
class ClusterLinesTest extends FaultyCluster {
    /** Has a wall clock of its own. */
    private static final String CLOCKED = "n2";

    @Override
    ServerCluster start(Path folder) {
        return ServerCluster.startWithClock(folder, CLOCKED);
    }

    @Test
    void theClockOfOneIsAnHourAheadAndAnHourBehind() {
        try {
            cluster.lead(CLOCKED);
            setClock(Duration.ofHours(1));
            String id = cluster.client(CLOCKED)
                    .post("/v1/ids/default/next", "")
                    .json()
                    .path("ids")
                    .path(0)
                    .asString();
            Instant made = Instant.parse(cluster.client(CLOCKED)
                    .fetch("/v1/ids/default/decode/" + id)
                    .json()
                    .path("time")
                    .asString());
            assertThat(made)
                    .as("the server has that clock")
                    .isAfter(Instant.now().plus(Duration.ofMinutes(50)));
            load.awaitAnswers(ANSWERS_LEAST);
            setClock(Duration.ofHours(-1));
            load.awaitAnswers(ANSWERS_LEAST);
            cluster.lead(ServerCluster.others(CLOCKED).get(0)); // its time goes on from that of the one before
            load.awaitAnswers(ANSWERS_LEAST);
            setClock(Duration.ofHours(1));
            load.awaitAnswers(ANSWERS_LEAST);
            load.check();
        } finally {
            setClock(Duration.ZERO);
        }
    }

    private void setClock(Duration ahead) {
        cluster.process(CLOCKED).setClock(ahead);
    }

    @Test
    void theLeaderIsStopped() {
        String leader = cluster.leader();
        cluster.process(leader).pause();
        load.awaitAnswers(ANSWERS_LEAST);
        cluster.process(leader).resume();
        cluster.awaitReady(leader);
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }

    @Test
    void theLeaderIsCutOff() {
        String leader = cluster.leader();
        cluster.isolate(leader);
        cluster.awaitUnready(leader);
        load.awaitAnswers(ANSWERS_LEAST);
        assertThat(cluster.client(ServerCluster.others(leader).get(0))
                        .fetch("/v1/cluster")
                        .json()
                        .path("leader")
                        .asString())
                .isNotEqualTo(leader);
        cluster.heal();
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }

    @Test
    void aFollowerIsCutOff() {
        String follower = cluster.follower();
        cluster.isolate(follower);
        cluster.awaitUnready(follower);
        load.awaitAnswers(ANSWERS_LEAST);
        cluster.heal();
        cluster.awaitReady(follower);
        load.check();
    }

    @Test
    void theLeaderHearsAndIsNotHeard() {
        String leader = cluster.leader();
        cluster.silence(leader);
        load.awaitAnswers(ANSWERS_LEAST);
        cluster.heal();
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }

    @Test
    void theNetworkFlaps() {
        Random random = new Random(11);
        for (int i = 0; i < 6; i++) {
            String name = ServerCluster.NAMES.get(random.nextInt(3));
            String other = ServerCluster.others(name).get(random.nextInt(2));
            switch (random.nextInt(3)) {
                case 0 -> cluster.isolate(name);
                case 1 -> cluster.line(name, other).blackhole();
                default -> cluster.line(name, other).cut();
            }
            load.awaitAnswers(random.nextInt(ANSWERS_LEAST));
            cluster.heal();
        }
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }
}
