package dev.tenon.benchmarks;

import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import me.ahoo.cosid.CosId;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Snowflake IDs with 20 bits of sequence, a thousand million a second: the cost of the code, as no cap is reached. */
@State(Scope.Benchmark)
public class WideSnowflakeBenchmark {
    private final SnowflakeGenerator tenon = SnowflakeGenerator.create(
            IdLayout.builder().workerBits(2).sequenceBits(20).build(), WorkerId.fixed(1));
    private final MillisecondSnowflakeId cosId = new MillisecondSnowflakeId(CosId.COSID_EPOCH, 41, 2, 20, 1);

    @Benchmark
    public long tenon() {
        return tenon.nextId();
    }

    @Benchmark
    public long cosId() {
        return cosId.generate();
    }
}
