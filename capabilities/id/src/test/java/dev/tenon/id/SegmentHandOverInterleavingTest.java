package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * From segment to segment no number is issued twice, none out of order in a thread, and none is lost: each is issued,
 * at hand or counted as wasted. Callers, fetchers and a close come between each other's reads and writes as they like.
 */
@Tag("soak")
class SegmentHandOverInterleavingTest {
    private static final int SIZE = 2;

    /** What was bought, issued and missed. */
    abstract static class Books implements RangeSupply {
        private final AtomicLong bought = new AtomicLong();
        private final AtomicLong issued = new AtomicLong();
        private final StripedLaneInterleavingTest.Issued order = new StripedLaneInterleavingTest.Issued();

        @Override
        public String name() {
            return "n";
        }

        @Override
        public IdRange next(long count) {
            return new IdRange(1 + bought.getAndAdd(count), count, 1);
        }

        @Override
        public long refused() {
            return 0;
        }

        boolean issued(long first, long count) {
            issued.addAndGet(count);
            boolean right = order.add(first);
            return count == 1 ? right : right & order.add(first + count - 1);
        }

        void balance(long left, long wasted) {
            if (bought.get() != issued.get() + left + wasted) {
                throw new IllegalStateException(
                        "Bought " + bought + ", issued " + issued + ", left " + left + ", wasted " + wasted);
            }
        }
    }

    public static final class Calls extends Books {
        private final SegmentBuffer buffer = new SegmentBuffer(
                this,
                SegmentPolicy.ofStep(SIZE).withWaitMax(Duration.ZERO),
                new StillTime(StrictLaneInterleavingTest.NOW),
                null,
                new SegmentSignal());

        @Operation
        public boolean nextId() {
            try {
                return issued(buffer.next(), 1);
            } catch (BackendUnavailableException | IllegalStateException e) {
                return true; // nothing at hand, or closed
            }
        }

        @Operation
        public boolean nextRange() {
            try {
                IdRange range = buffer.nextRange(SIZE);
                return issued(range.first(), range.count());
            } catch (BackendUnavailableException | IllegalStateException e) {
                return true;
            }
        }

        @Operation
        public void fetch() {
            buffer.runOnce();
        }

        @Operation
        public void close() {
            buffer.close();
        }

        @Validate
        public void nothingIsLost() {
            balance(buffer.left(), buffer.wasted());
        }
    }

    /** Without the guard that lets one thread fetch at a time. */
    public static final class UnguardedCalls extends Books {
        private final Segment empty = Segment.empty();

        @Operation
        public void fetch() {
            if (empty.next() == null) {
                empty.append(Segment.of(next(SIZE), 1, null));
            }
        }

        @Validate
        public void nothingIsLost() {
            Segment fetched = empty.next();
            balance(fetched == null ? 0 : fetched.left(), 0);
        }
    }

    @Test
    void noNumberIsIssuedTwiceOrLost() {
        options().check(Calls.class);
    }

    @Test
    void theCheckerFindsTwoFetchersAtOnce() {
        assertThatThrownBy(() -> options().actorsBefore(0).check(UnguardedCalls.class))
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions options() {
        return StrictLaneInterleavingTest.options();
    }
}
