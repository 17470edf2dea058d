package dev.tenon.benchmarks;

import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import me.ahoo.cosid.CosId;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The same IDs as {@link WideSnowflakeBenchmark}, an array of 1024 at a time. */
@State(Scope.Benchmark)
public class WideSnowflakeBatchBenchmark {
    private static final int BATCH = 1024;

    private final SnowflakeGenerator tenon = SnowflakeGenerator.create(
            IdLayout.builder().workerBits(2).sequenceBits(20).build(), WorkerId.fixed(1));
    private final MillisecondSnowflakeId cosId = new MillisecondSnowflakeId(CosId.COSID_EPOCH, 41, 2, 20, 1);

    /** An array a thread. */
    @State(Scope.Thread)
    public static class Batch {
        private final long[] ids = new long[BATCH];
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long[] tenonFill(Batch batch) {
        tenon.fill(batch.ids);
        return batch.ids;
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long[] cosIdLoop(Batch batch) {
        for (int i = 0; i < BATCH; i++) {
            batch.ids[i] = cosId.generate();
        }
        return batch.ids;
    }
}
