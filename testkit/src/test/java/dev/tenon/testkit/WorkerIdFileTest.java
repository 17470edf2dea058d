package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.TimeSource;
import dev.tenon.id.ClockMovedBackwardsException;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.WorkerIdTakenException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker ID kept in a file, as processes have it that are killed: here, as {@code tenon-id} can't start any. */
class WorkerIdFileTest {
    private static final IdLayout LAYOUT = IdLayout.twitter();
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int IDS = 2000;

    @TempDir
    private Path folder;

    /**
     * Prints IDs and waits to be killed, or says why there are none. Arguments: file, the clock's error in
     * milliseconds.
     */
    static final class Process {
        private Process() {}

        public static void main(String[] args) throws IOException {
            TimeSource clock = wrongBy(Duration.ofMillis(Long.parseLong(args[1])));
            try {
                WorkerId worker = WorkerId.inFile(Path.of(args[0]), LAYOUT, 7, clock);
                SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
                for (int i = 0; i < IDS; i++) {
                    System.out.println(ids.nextId());
                }
                System.out.println("end");
                int read = System.in.read();
                System.out.println(read);
                worker.close();
            } catch (WorkerIdTakenException | ClockMovedBackwardsException e) {
                System.out.println(e);
            }
        }

        private static TimeSource wrongBy(Duration error) {
            TimeSource system = TimeSource.system();
            return new TimeSource() {
                @Override
                public Instant now() {
                    return system.now().plus(error);
                }

                @Override
                public long epochMillis() {
                    return now().toEpochMilli();
                }

                @Override
                public long nanoTime() {
                    return system.nanoTime();
                }

                @Override
                public void park(Duration atMost) {
                    system.park(atMost);
                }
            };
        }
    }

    private ForkedJvm start(Duration clockError) {
        return ForkedJvm.start(
                Process.class, folder.resolve("worker-id").toString(), String.valueOf(clockError.toMillis()));
    }

    private static List<Long> ids(ForkedJvm process) {
        process.nextLine("end"::equals, LIMIT);
        return process.lines().stream()
                .filter(line -> line.matches("\\d+"))
                .map(Long::valueOf)
                .toList();
    }

    @Test
    void isOneProcessesAtATimeAndNoKillOrWrongClockRepeatsAnId() {
        Set<Long> issued = new HashSet<>();
        try (ForkedJvm first = start(Duration.ZERO)) {
            assertThat(issued.addAll(ids(first))).isTrue();
            try (ForkedJvm second = start(Duration.ZERO)) {
                assertThat(second.nextLine(LIMIT))
                        .contains("WorkerIdTakenException", "another process (", ":" + first.pid() + " since ");
            }
            first.kill();
        }
        try (ForkedJvm back = start(Duration.ofMinutes(-1))) {
            assertThat(back.nextLine(LIMIT)).contains("ClockMovedBackwardsException", "mend the clock");
        }
        for (Duration error : List.of(Duration.ZERO, Duration.ofMillis(500))) {
            try (ForkedJvm next = start(error)) {
                issued.addAll(ids(next));
                next.kill();
            }
        }
        assertThat(issued).hasSize(3 * IDS);
    }
}
