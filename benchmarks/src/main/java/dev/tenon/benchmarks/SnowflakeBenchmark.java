package dev.tenon.benchmarks;

import cn.hutool.core.lang.Snowflake;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import me.ahoo.cosid.CosId;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Snowflake IDs of Twitter's layout: its 12 bits of sequence allow 4 096 000 a second and node, and no more. */
@State(Scope.Benchmark)
public class SnowflakeBenchmark {
    private final SnowflakeGenerator tenon = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(1));
    private final Snowflake hutool = new Snowflake(1, 1);
    private final MillisecondSnowflakeId cosId = new MillisecondSnowflakeId(CosId.COSID_EPOCH, 41, 10, 12, 1);

    @Benchmark
    public long tenon() {
        return tenon.nextId();
    }

    @Benchmark
    public long hutool() {
        return hutool.nextId();
    }

    @Benchmark
    public long cosId() {
        return cosId.generate();
    }
}
