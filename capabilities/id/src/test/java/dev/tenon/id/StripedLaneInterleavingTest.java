package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The striped lane gives no ID twice, IDs that increase in each thread, and nothing after its worker ID was closed,
 * whatever its threads, the watch and the clock do between each other's reads and writes. There is one place for two
 * threads, so that they take it from each other. Lincheck goes through the interleavings.
 */
@Tag("soak")
class StripedLaneInterleavingTest {
    /**
     * Each call answers whether its IDs were new and greater than the thread's earlier ones: some order says yes to
     * all.
     */
    abstract static class Lanes {
        final StillTime time = new StillTime(StrictLaneInterleavingTest.NOW);
        final WorkerId worker = WorkerId.fixed(0, time);
        final SnowflakeGenerator ids = SnowflakeGenerator.builder(StrictLaneInterleavingTest.PLAIN, worker)
                .lane(Lane.STRIPED)
                .places(1)
                .build();
        final Issued issued = new Issued();

        Lanes() {
            ids.nextId(); // waits until its predecessor's borrowed time is over
            ids.watch().begin();
        }

        @Operation
        public boolean nextId() {
            return issued.add(ids.nextId());
        }

        @Operation
        public void beat() {
            ids.watch().runOnce();
        }
    }

    public static final class Calls extends Lanes {
        @Operation
        public boolean fill() {
            long[] filled = new long[2];
            ids.fill(filled);
            return issued.add(filled[0]) & issued.add(filled[1]);
        }

        @Operation
        public boolean nextRange() {
            IdRange range = ids.nextRange(3);
            return issued.add(range.first()) & (range.count() == 1 || issued.add(range.last()));
        }

        @Operation
        public void pass() {
            time.pass(Duration.ofMillis(11)); // a block is too old after 10
            for (int i = 0; i < 11; i++) {
                ids.watch().runOnce();
            }
        }

        @Operation
        public void endWatch() {
            ids.watch().end();
        }
    }

    public static final class ClosingCalls extends Lanes {
        @Operation
        public void close() {
            worker.close();
        }
    }

    /** A block that two threads share: what the owner of a stripe is for. */
    public static final class SharedBlock {
        private final Positions positions = new Positions(StrictLaneInterleavingTest.PLAIN, 0);
        private final HeldSlot held = HeldSlot.fixed(0, 0, 1000, 0);
        private final Stripe stripe = new Stripe(Thread.currentThread(), held.pulse());
        private final Issued issued = new Issued();

        public SharedBlock() {
            stripe.begin(positions, held, 0, 1, 100);
        }

        @Operation
        public boolean nextId() {
            return !stripe.ready(positions) || issued.add(stripe.take());
        }
    }

    /** What was issued, to all and to each thread. */
    static final class Issued {
        private final Set<Long> all = ConcurrentHashMap.newKeySet();
        private final ThreadLocal<Long> last = ThreadLocal.withInitial(() -> -1L);

        boolean add(long id) {
            boolean greater = id > last.get();
            last.set(id);
            return all.add(id) & greater;
        }
    }

    @Test
    void isUniqueAndInOrderInEachThread() {
        options().check(Calls.class);
    }

    @Test
    void issuesNothingOnceItIsClosed() {
        options().check(ClosingCalls.class);
    }

    @Test
    void theCheckerFindsABlockThatIsShared() {
        assertThatThrownBy(() -> options().check(SharedBlock.class)).isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions options() {
        return StrictLaneInterleavingTest.options();
    }
}
