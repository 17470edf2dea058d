package dev.tenon.server.ids;

import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Segments of one sequence, for two generators, each made when it is first asked: one gives its segments in order, the
 * other shuffled. No segment goes to both, so that no number does.
 */
final class SegmentIssuer implements NumberIssuer {
    /** Other callers may take numbers between the question and the call. */
    private static final int SLACK = 200;

    private final IdRequest.Order own;
    private final Lazy<SegmentGenerator> ascending;
    private final Lazy<ShuffledSegmentGenerator> shuffled;

    /**
     * @param ranges in which {@code name} has the range of the definition
     * @param own the order of the definition
     */
    SegmentIssuer(RangeStore ranges, String name, int step, IdRequest.Order own) {
        SegmentPolicy policy = SegmentPolicy.ofStep(step);
        this.own = own;
        this.ascending = new Lazy<>(() -> SegmentGenerator.create(ranges, name, policy));
        this.shuffled = new Lazy<>(() -> ShuffledSegmentGenerator.create(ranges, name, policy));
    }

    /** Something that is made once, by the first who needs it. */
    private static final class Lazy<T> {
        private final ReentrantLock guard = new ReentrantLock();
        private final Supplier<T> factory;
        private volatile @Nullable T made;

        private Lazy(Supplier<T> factory) {
            this.factory = factory;
        }

        private T value() {
            T known = made;
            if (known != null) {
                return known;
            }
            guard.lock();
            try {
                known = made;
                if (known == null) {
                    known = factory.get();
                    made = known;
                }
                return known;
            } finally {
                guard.unlock();
            }
        }

        private Optional<T> now() {
            return Optional.ofNullable(made);
        }
    }

    private boolean isShuffled(IdRequest request) {
        return (request.order() == IdRequest.Order.OWN ? own : request.order()) == IdRequest.Order.SHUFFLED;
    }

    @Override
    public boolean admit(IdRequest request) {
        Optional<Long> left = isShuffled(request)
                ? shuffled.now().map(ShuffledSegmentGenerator::left)
                : ascending.now().map(SegmentGenerator::left);
        return left.isPresent() && left.get() >= request.count() + SLACK;
    }

    @Override
    public long[] take(IdRequest request) {
        long[] taken = new long[request.count()];
        int filled = 0;
        try {
            while (filled < taken.length) {
                filled += isShuffled(request) ? shuffledInto(taken, filled) : ascendingInto(taken, filled);
            }
        } catch (RangeExhaustedException e) {
            if (filled == 0) {
                throw e;
            }
        }
        // What the max cuts short must not be lost with what it had already.
        return filled == taken.length ? taken : Arrays.copyOf(taken, filled);
    }

    private int ascendingInto(long[] taken, int filled) {
        IdRange range = ascending.value().nextRange(taken.length - filled);
        for (int i = 0; i < range.count(); i++) {
            taken[filled + i] = range.first() + i * range.step();
        }
        return (int) range.count();
    }

    private int shuffledInto(long[] taken, int filled) {
        taken[filled] = shuffled.value().nextId();
        return 1;
    }

    @Override
    public void fetchAhead() {
        if (own == IdRequest.Order.SHUFFLED) {
            shuffled.value().prefetch(Duration.ZERO);
        } else {
            ascending.value().prefetch(Duration.ZERO);
        }
    }

    @Override
    public Map<String, Object> state() {
        return Map.of(
                "atHand",
                ascending.now().map(SegmentGenerator::left).orElse(0L)
                        + shuffled.now().map(ShuffledSegmentGenerator::left).orElse(0L));
    }

    @Override
    public Optional<SequenceRegressedException> regression() {
        return ascending
                .now()
                .flatMap(SegmentGenerator::regression)
                .or(() -> shuffled.now().flatMap(ShuffledSegmentGenerator::regression));
    }

    @Override
    public OptionalLong highestSeen() {
        long highest = Math.max(
                ascending.now().map(g -> g.highestSeen().orElse(-1)).orElse(-1L),
                shuffled.now().map(g -> g.highestSeen().orElse(-1)).orElse(-1L));
        return highest < 0 ? OptionalLong.empty() : OptionalLong.of(highest);
    }

    @Override
    public void close() {
        ascending.now().ifPresent(SegmentGenerator::close);
        shuffled.now().ifPresent(ShuffledSegmentGenerator::close);
    }
}
