package dev.tenon.benchmarks;

import dev.tenon.id.IdLayout;
import dev.tenon.id.Lane;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
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
 * The striped lane, with 20 bits of sequence so that no cap is reached, beside the peers' ways of being fast: segments
 * from this JVM's memory, which carry no time.
 */
@State(Scope.Benchmark)
public class StripedBenchmark {
    private static final int STEP = 1000;

    private final MemoryBackend backend = MemoryBackend.create();
    private final SnowflakeGenerator tenon = SnowflakeGenerator.builder(
                    IdLayout.builder().workerBits(2).sequenceBits(20).build(), WorkerId.fixed(1))
            .lane(Lane.STRIPED)
            .build();
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
}
