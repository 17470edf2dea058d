package dev.tenon.examples;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.lock.SegmentedStock;
import dev.tenon.lock.SegmentedStock.Taken;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * 2000 pieces in 100 segments: buyers spread over 100 locks by their ID, and go on to the next segment when one is
 * empty.
 */
public final class SegmentedStockExample {
    private SegmentedStockExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            // tag::striped[]
            try (Lease lease = locks.stripedLock("users", 64).of("user:42").acquire(Duration.ofSeconds(5))) {
                System.out.println("user:42 is alone with " + lease.name());
            }
            // end::striped[]

            // tag::stock[]
            SegmentedStock stock = locks.segmentedStock("sku:42", 100, new Rows(2000));
            Optional<Taken> taken = stock.take("user:42", 1, Duration.ofSeconds(5)); // empty: sold out
            // end::stock[]
            taken.ifPresent(t -> System.out.println("Sold from segment " + t.segment()));
            int sold = taken.isPresent() ? 1 : 0;
            for (int user = 0;
                    stock.take("user:" + user, 1, Duration.ofSeconds(5)).isPresent();
                    user++) {
                sold++;
            }
            System.out.println("Sold: " + sold);
        }
    }

    // tag::rows[]
    /** Stands for a table with a row for each segment: {@code UPDATE … WHERE left >= ? AND token <= ?}. */
    private static final class Rows implements SegmentedStock.Segments {
        private final AtomicIntegerArray left;
        private final long[] tokens = new long[100];

        Rows(int pieces) {
            int[] each = new int[100];
            Arrays.fill(each, pieces / each.length);
            left = new AtomicIntegerArray(each);
        }

        @Override
        public int left(int segment) {
            return left.get(segment);
        }

        @Override
        public boolean take(int segment, int quantity, long token) {
            if (token < tokens[segment]) {
                throw new IllegalStateException("Token " + token + " is stale");
            }
            tokens[segment] = token;
            return left.get(segment) >= quantity && left.addAndGet(segment, -quantity) >= 0;
        }
    }
    // end::rows[]
}
