package dev.tenon.id.builder;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One code of an instance: a generator a style, made when it is first needed. No segment goes to both. Thread-safe. */
final class BuilderCode implements AutoCloseable {
    private final CodeRanges ranges;
    private final String name;
    private final SegmentPolicy policy;
    private final ReentrantLock guard = new ReentrantLock();
    private volatile @Nullable SegmentGenerator contiguous;
    private volatile @Nullable ShuffledSegmentGenerator shuffled;
    private boolean closed;

    BuilderCode(BuilderConfigStore store, BuilderConfig config, SegmentPolicy policy) {
        this.ranges = new CodeRanges(store, config);
        this.name = "code-" + config.code();
        this.policy = policy;
    }

    String bizCode() {
        return ranges.config().bizCode();
    }

    Optional<SequenceRegressedException> regression() {
        return ranges.regression();
    }

    long nextInOrder() {
        SegmentGenerator known = contiguous;
        return (known == null ? openContiguous() : known).nextId();
    }

    long nextShuffled() {
        ShuffledSegmentGenerator known = shuffled;
        return (known == null ? openShuffled() : known).nextId();
    }

    /** Has the first segment of the style that the row is meant for fetched; false: it is not there yet. */
    boolean prefetch(Duration atMost) {
        return ranges.config().contiguous()
                ? openContiguous().prefetch(atMost)
                : openShuffled().prefetch(atMost);
    }

    long left() {
        SegmentGenerator inOrder = contiguous;
        ShuffledSegmentGenerator unordered = shuffled;
        return (inOrder == null ? 0 : inOrder.left()) + (unordered == null ? 0 : unordered.left());
    }

    @Override
    public void close() {
        guard.lock();
        try {
            closed = true;
            SegmentGenerator inOrder = contiguous;
            if (inOrder != null) {
                inOrder.close();
            }
            ShuffledSegmentGenerator unordered = shuffled;
            if (unordered != null) {
                unordered.close();
            }
        } finally {
            guard.unlock();
        }
    }

    private SegmentGenerator openContiguous() {
        guard.lock();
        try {
            SegmentGenerator known = contiguous;
            if (known == null) {
                requireOpen();
                known = SegmentGenerator.create(ranges, name, policy);
                contiguous = known;
            }
            return known;
        } finally {
            guard.unlock();
        }
    }

    private ShuffledSegmentGenerator openShuffled() {
        guard.lock();
        try {
            ShuffledSegmentGenerator known = shuffled;
            if (known == null) {
                requireOpen();
                known = ShuffledSegmentGenerator.create(ranges, name, policy);
                shuffled = known;
            }
            return known;
        } finally {
            guard.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The ID builder is closed");
        }
    }
}
