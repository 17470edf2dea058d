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
 * @param warmUp how long each contender works before anything counts: code is interpreted first, and then compiled
 * @param longWarmUp the same where several JVMs have just started, or there is a lot to compile: in clusters, and for
 *     transactions
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
        Duration warmUp,
        Duration longWarmUp,
        Duration lockRun,
        int lockRounds) {
    /** Some forty-five minutes. */
    static final Plan FULL = new Plan(
            1,
            List.of(1, 2, 8),
            Duration.ofMillis(500),
            3,
            List.of(1, 16),
            List.of(1, 64),
            Duration.ofSeconds(8),
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
            Duration.ofSeconds(5),
            Duration.ofSeconds(20),
            Duration.ofMillis(1000),
            3);

    @Override
    public String toString() {
        return idRounds + " rounds of " + idRun.toMillis() + " ms for IDs, " + lockRounds + " of " + lockRun.toMillis()
                + " ms for locks";
    }
}
