package dev.tenon.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.testkit.duplicates.DuplicateDetector;
import dev.tenon.testkit.duplicates.DuplicateHunt;
import dev.tenon.testkit.duplicates.DuplicateReport;
import dev.tenon.testkit.duplicates.Fault;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NoDuplicatesTest {
    // tag::detector[]
    @RegisterExtension
    final DuplicateDetector ids = new DuplicateDetector();

    @Test
    void eightThreadsOfOurServiceNeverGetTheSameId() {
        var generator = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(7));
        IntStream.range(0, 100_000).parallel().forEach(i -> ids.record(generator.nextId()));
    }
    // end::detector[]

    // tag::hunt[]
    @Test
    void ourIdsSurviveKillsAndJumpingClocks() {
        DuplicateHunt.in(process -> {
                    // one start of one process of yours; its clock jumps, its store fails
                    var layout = IdLayout.twitter();
                    var worker = WorkerId.builder(process.workerIds("orders"), layout)
                            .time(process.time())
                            .lease();
                    process.onClose(worker);
                    return SnowflakeGenerator.create(layout, worker)::nextId;
                })
                .processes(4)
                .assertNoDuplicates();
    }
    // end::hunt[]

    // tag::found[]
    @Test
    void aGeneratorThatTrustsItsClockIsFound() {
        DuplicateReport report = DuplicateHunt.in(process -> new CurrentMillisIds(process.clock())::nextId)
                .faults(Fault.CLOCK_BACK)
                .run();

        assertThat(report.duplicates()).isNotEmpty(); // each with its seed and what happened in between
    }
    // end::found[]

    /** Milliseconds, one ID in each: what many a team has in production. */
    private static final class CurrentMillisIds {
        private final java.time.Clock clock;
        private long last;

        private CurrentMillisIds(java.time.Clock clock) {
            this.clock = clock;
        }

        private Object nextId() {
            long now = clock.millis();
            while (now == last) {
                now = clock.millis();
            }
            last = now;
            return now;
        }
    }
}
