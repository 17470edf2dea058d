package dev.tenon.server.ids;

import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.spi.RangeStore;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Segments of one sequence, for two generators: one gives its segments in order, the other shuffled. No segment goes to
 * both, so that no number does.
 */
final class SegmentIssuer implements Issuer {
    /** Other callers may take numbers between the question and the call. */
    private static final int SLACK = 200;

    private final RangeStore ranges;
    private final String name;
    private final SegmentPolicy policy;
    private final boolean bounded;
    private final SegmentGenerator ascending;
    private final ReentrantLock guard = new ReentrantLock();
    private volatile @Nullable ShuffledSegmentGenerator shuffled;

    /**
     * @param ranges in which {@code name} has the range of the definition
     */
    SegmentIssuer(RangeStore ranges, String name, IdDefinition.Segment definition) {
        this.ranges = ranges;
        this.name = name;
        this.policy = SegmentPolicy.ofStep(definition.step());
        this.bounded = definition.range().max() != Long.MAX_VALUE;
        this.ascending = SegmentGenerator.create(ranges, name, policy);
    }

    @Override
    public boolean admit(int count, Order order) {
        ShuffledSegmentGenerator unordered = shuffled;
        long left = order == Order.ASCENDING ? ascending.left() : unordered == null ? 0 : unordered.left();
        return left >= count + SLACK;
    }

    @Override
    public long[] take(int count, Order order) {
        if (order == Order.SHUFFLED) {
            return new long[] {unordered().nextId()};
        }
        if (bounded) {
            return takeUpToTheMax(count);
        }
        long[] taken = new long[count];
        ascending.fill(taken);
        return taken;
    }

    @Override
    public Map<String, Object> state() {
        return Map.of(
                "atHand",
                ascending.left()
                        + unorderedNow().map(ShuffledSegmentGenerator::left).orElse(0L));
    }

    @Override
    public void close() {
        ascending.close();
        unorderedNow().ifPresent(ShuffledSegmentGenerator::close);
    }

    /** One by one: a batch that the max cuts short must not be lost with what it had already. */
    private long[] takeUpToTheMax(int count) {
        long[] taken = new long[count];
        int filled = 0;
        try {
            while (filled < count) {
                taken[filled] = ascending.nextId();
                filled++;
            }
        } catch (RangeExhaustedException e) {
            if (filled == 0) {
                throw e;
            }
        }
        return Arrays.copyOf(taken, filled);
    }

    private Optional<ShuffledSegmentGenerator> unorderedNow() {
        return Optional.ofNullable(shuffled);
    }

    private ShuffledSegmentGenerator unordered() {
        ShuffledSegmentGenerator known = shuffled;
        if (known != null) {
            return known;
        }
        guard.lock();
        try {
            known = shuffled;
            if (known == null) {
                known = ShuffledSegmentGenerator.create(ranges, name, policy);
                shuffled = known;
            }
            return known;
        } finally {
            guard.unlock();
        }
    }
}
