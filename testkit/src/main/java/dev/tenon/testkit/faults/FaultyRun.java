package dev.tenon.testkit.faults;

import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Everything that can go wrong, one after the other, at random times. */
final class FaultyRun {
    private final TestServer server;
    private final List<FaultProxy> lines;
    private final Random random;

    FaultyRun(TestServer server, List<FaultProxy> lines, long seed) {
        this.server = server;
        this.lines = lines;
        this.random = new Random(seed);
    }

    /**
     * Goes on for the time; the server is killed once, one process is stopped for a while, and the other one is killed.
     */
    void run(Duration time, ForkedJvm stopped, ForkedJvm killed) {
        long begin = System.nanoTime();
        disturbUntil(begin, time.dividedBy(3));
        server.kill();
        pause(random.nextInt(100));
        server.restart();
        disturbUntil(begin, time.dividedBy(2));
        stopped.pause();
        disturbUntil(begin, time.multipliedBy(3).dividedBy(4));
        stopped.resume();
        killed.kill();
        disturbUntil(begin, time);
    }

    private void disturbUntil(long begin, Duration end) {
        while (System.nanoTime() - begin < end.toNanos()) {
            FaultProxy line = lines.get(random.nextInt(lines.size()));
            switch (random.nextInt(6)) {
                case 0 -> line.cut();
                case 1 -> line.delay(Duration.ofMillis(random.nextInt(20)));
                case 2 -> {
                    line.blackhole();
                    pause(random.nextInt(1000));
                }
                case 3 -> {
                    line.dropReplies();
                    pause(random.nextInt(200));
                }
                case 4 -> {
                    line.refuseNew();
                    line.cut();
                    pause(random.nextInt(200));
                }
                default -> pause(random.nextInt(300));
            }
            line.heal();
        }
        lines.forEach(line -> line.delay(Duration.ZERO));
    }

    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
