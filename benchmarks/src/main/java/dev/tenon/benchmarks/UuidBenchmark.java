package dev.tenon.benchmarks;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import com.github.f4b6a3.uuid.factory.standard.TimeOrderedEpochFactory;
import dev.tenon.id.standard.EpochUuidGenerator;
import java.util.UUID;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * UUIDs of version 7 by generators that keep them in order, each as its library makes it by default, uuid-creator also
 * with its fast random numbers; and the version 4 of the JDK, which has no order.
 */
@State(Scope.Benchmark)
public class UuidBenchmark {
    private final EpochUuidGenerator tenon = EpochUuidGenerator.create();
    private final TimeBasedEpochGenerator jug = Generators.timeBasedEpochGenerator();
    private final TimeOrderedEpochFactory uuidCreator =
            TimeOrderedEpochFactory.builder().withIncrementPlus1().build();
    private final TimeOrderedEpochFactory uuidCreatorFast = TimeOrderedEpochFactory.builder()
            .withFastRandom()
            .withIncrementPlus1()
            .build();

    @Benchmark
    public UUID tenon() {
        return tenon.nextUuid();
    }

    @Benchmark
    public UUID jug() {
        return jug.generate();
    }

    @Benchmark
    public UUID uuidCreator() {
        return uuidCreator.create();
    }

    @Benchmark
    public UUID uuidCreatorFast() {
        return uuidCreatorFast.create();
    }

    @Benchmark
    public UUID jdkVersion4() {
        return UUID.randomUUID();
    }
}
