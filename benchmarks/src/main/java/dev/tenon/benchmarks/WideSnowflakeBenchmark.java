package dev.tenon.benchmarks;

import com.github.f4b6a3.tsid.TsidFactory;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.core.SnowWorkerM1;
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

    private final TsidFactory tsidCreator =
            TsidFactory.builder().withNodeBits(2).withNode(1).build();
    private final SnowWorkerM1 yitter = new SnowWorkerM1(yitterOptions());

    private static IdGeneratorOptions yitterOptions() {
        IdGeneratorOptions options = new IdGeneratorOptions((short) 1);
        options.WorkerIdBitLength = 2;
        options.SeqBitLength = 15; // the most that it counts without going negative, and no cap at its speed
        return options;
    }

    @Benchmark
    public long tenon() {
        return tenon.nextId();
    }

    @Benchmark
    public long cosId() {
        return cosId.generate();
    }

    @Benchmark
    public long tsidCreator() {
        return tsidCreator.create().toLong();
    }

    @Benchmark
    public long yitter() {
        return yitter.nextId();
    }
}
