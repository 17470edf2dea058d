package dev.tenon.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * How thoroughly to measure.
 *
 * @param forks 1: each benchmark of IDs in a JVM of its own; 0: all in this one, which is quick and says nothing
 * @param idThreads with how many threads IDs are measured
 * @param idRun the length of one iteration; of six, two do not count
 * @param idRounds how often each benchmark of IDs is run
 * @param lockThreads with how many threads one lock is measured
 * @param clusterClients with how many clients clusters are measured
 * @param clusterWarmUp how long each contender in a cluster works before anything counts: JVMs that have just started are
 *     interpreted and compiled
 * @param lockRun how long a contender's turn is
 * @param lockRounds how many turns each has
 */
record Plan(
        int forks,
        List<Integer> idThreads,
        Duration idRun,
        int idRounds,
        List<Integer> lockThreads,
        List<Integer> clusterClients,
        Duration clusterWarmUp,
        Duration lockRun,
        int lockRounds) {
    /** Some twenty-five minutes. */
    static final Plan FULL = new Plan(
            1,
            List.of(1, 2, 8),
            Duration.ofMillis(500),
            3,
            List.of(1, 16),
            List.of(1, 64),
            Duration.ofSeconds(40),
            Duration.ofMillis(1500),
            5);

    /** Half of that, and as much less to be trusted. */
    static final Plan SHORT = new Plan(
            1,
            List.of(1, 2, 8),
            Duration.ofMillis(300),
            2,
            List.of(1, 16),
            List.of(1, 64),
            Duration.ofSeconds(20),
            Duration.ofMillis(1000),
            3);

    @Override
    public String toString() {
        return idRounds + " rounds of " + idRun.toMillis() + " ms for IDs, " + lockRounds + " of " + lockRun.toMillis()
                + " ms for locks";
    }
}
