package dev.tenon.benchmarks;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.memory.MemoryBackend;
import me.ahoo.cosid.segment.IdSegment;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.segment.concurrent.PrefetchWorkerExecutorService;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Segments whose ranges come from this JVM's memory: the cost of the code, and of waiting for the thread that fetches.
 * Each sizes its reserve as it does by default (Tenon and the Leaf-style one grow their segments with the rate; CosId
 * keeps segments of 1000 and grows the chain of them); Tenon once more with segments of 1000 and no growth.
 */
@State(Scope.Benchmark)
public class SegmentBenchmark {
    private static final int STEP = 1000;

    private final MemoryBackend backend = MemoryBackend.create();
    private final SegmentGenerator tenon = SegmentGenerator.create(backend.ranges(), "tenon");
    private final SegmentGenerator tenonFixed =
            SegmentGenerator.create(backend.ranges(), "tenon-fixed", SegmentPolicy.ofStep(STEP));
    private final PrefetchWorkerExecutorService prefetch =
            new PrefetchWorkerExecutorService(PrefetchWorkerExecutorService.DEFAULT_PREFETCH_PERIOD, 1, false);
    private final SegmentChainId cosId = new SegmentChainId(
            IdSegment.TIME_TO_LIVE_FOREVER,
            SegmentChainId.DEFAULT_SAFE_DISTANCE,
            new IdSegmentDistributor.Atomic(STEP),
            prefetch);
    private final LeafStyleSegment leafStyle = new LeafStyleSegment(backend.ranges(), "leaf-style", STEP);

    /** Ends the threads that fetch. */
    @TearDown
    public void close() {
        prefetch.shutdown();
        leafStyle.close();
        tenon.close();
        tenonFixed.close();
        backend.close();
    }

    @Benchmark
    public long cosId() {
        return cosId.generate();
    }

    @Benchmark
    public long leafStyle() {
        return leafStyle.nextId();
    }

    @Benchmark
    public long tenon() {
        return tenon.nextId();
    }

    @Benchmark
    public long tenonFixed() {
        return tenonFixed.nextId();
    }
}
