package dev.tenon.id.builder;

import dev.tenon.TenonException;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.BuilderSegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A table of codes that records its calls, and that can be made to fail, to hang and to be set back. */
final class TableOfCodes implements BuilderConfigStore {
    private final Map<Integer, BuilderSegment> rows = new ConcurrentHashMap<>();
    private final Map<Integer, Supplier<TenonException>> takingFails = new ConcurrentHashMap<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger insideMax = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private volatile @Nullable Supplier<TenonException> failing;

    /** Writes a row that is meant for contiguous numbers, over the one with its code. */
    void put(int code, long threshold, int step, String bizCode) {
        put(new BuilderConfig(code, bizCode, step, true), threshold);
    }

    /** Writes a row, over the one with its code. */
    void put(BuilderConfig config, long threshold) {
        rows.put(config.code(), new BuilderSegment(config, threshold));
    }

    void failWith(@Nullable Supplier<TenonException> failure) {
        failing = failure;
    }

    /** Has no segment of a code taken. */
    void failTakingOf(int code, Supplier<TenonException> failure) {
        takingFails.put(code, failure);
    }

    int calls() {
        return calls.get();
    }

    /** Segments that were taken. */
    int taken() {
        return taken.get();
    }

    /** The most calls that ran at a time. */
    int callsAtOnce() {
        return insideMax.get();
    }

    @Override
    public List<BuilderConfig> configs() {
        return call(() -> rows.values().stream().map(BuilderSegment::config).toList());
    }

    @Override
    public BuilderConfig config(int code) {
        return call(() -> row(code).config());
    }

    @Override
    public synchronized BuilderSegment take(int code) {
        return call(() -> {
            BuilderSegment segment = row(code);
            Supplier<TenonException> failure = takingFails.get(code);
            if (failure != null) {
                throw failure.get();
            }
            rows.put(code, new BuilderSegment(segment.config(), segment.range().last() + 1));
            taken.incrementAndGet();
            return segment;
        });
    }

    @Override
    public synchronized long raiseTo(int code, long floor) {
        return call(() -> {
            BuilderSegment row = row(code);
            BuilderSegment raised = new BuilderSegment(row.config(), Math.max(row.first(), floor + 1));
            rows.put(code, raised);
            return raised.first();
        });
    }

    private <T> T call(Supplier<T> work) {
        calls.incrementAndGet();
        insideMax.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try {
            Supplier<TenonException> failure = failing;
            if (failure != null) {
                throw failure.get();
            }
            return work.get();
        } finally {
            inside.decrementAndGet();
        }
    }

    private BuilderSegment row(int code) {
        BuilderSegment row = rows.get(code);
        if (row == null) {
            throw new UnknownCodeException("no code " + code);
        }
        return row;
    }
}
