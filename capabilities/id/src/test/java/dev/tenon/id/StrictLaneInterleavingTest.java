package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.IdRange;
import java.time.Instant;
import java.util.Arrays;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * The strict lane is linearizable, its closing included: whatever threads do between each other's reads and writes, the
 * IDs are those that some order of the same calls gives. Lincheck goes through the interleavings.
 */
class StrictLaneInterleavingTest {
    static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    /** IDs that are positions, so that the next is one more. */
    static final IdLayout PLAIN =
            IdLayout.builder().workerBits(0).sequenceBits(12).workerLast().build();

    static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .iterations(6)
                .invocationsPerIteration(200)
                .minimizeFailedScenario(false);
    }

    /** IDs are counted from the first, which begins at a random place in the sequence. */
    public static final class Calls {
        private final WorkerId worker = WorkerId.fixed(0, new StillTime(NOW));
        private final SnowflakeGenerator ids = SnowflakeGenerator.create(PLAIN, worker);
        private final long first = ids.nextId();

        @Operation
        public long nextId() {
            return ids.nextId() - first;
        }

        @Operation
        public String fill() {
            long[] filled = new long[2];
            ids.fill(filled);
            return Arrays.toString(Arrays.stream(filled).map(id -> id - first).toArray());
        }

        @Operation
        public String nextRange() {
            IdRange range = ids.nextRange(3);
            return range.first() - first + " and " + range.count();
        }

        @Operation
        public void close() {
            worker.close();
        }
    }

    /** What {@link HeldSlot} would be without its atomic operation. */
    public static final class TornCalls {
        private final Positions positions = new Positions(PLAIN, 0);
        private volatile long last;

        @Operation
        public long nextId() {
            last = positions.after(last, 0);
            return positions.id(last, 0);
        }
    }

    @Test
    void isLinearizable() {
        options().check(Calls.class);
    }

    @Test
    void theCheckerFindsALaneThatIsNot() {
        assertThatThrownBy(() -> options().check(TornCalls.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
