package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.TenonException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.testkit.RedisServer;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterProperty;

/** The scripts are {@link RangeTable}, over the whole of 63 bits and not only where Lua's numbers are exact. */
class RedisRangeTableTest {
    private final RedisBackend redis = PatientRedis.connect(RedisServer.shared().uri());

    @AfterProperty
    void close() {
        redis.close();
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void theScriptsAreTheTable(
            @ForAll("definitions") RangeDefinition definition,
            @ForAll("calls") List<Tuple.Tuple3<Boolean, Long, Double>> calls) {
        String name = UUID.randomUUID().toString();
        RangeTable table = new RangeTable();
        table.define(name, definition);
        redis.ranges().define(name, definition);
        for (Tuple.Tuple3<Boolean, Long, Double> call : calls) {
            if (call.get1()) {
                long count = call.get2();
                assertThat(answer(() -> redis.ranges().next(name, count)))
                        .isEqualTo(answer(() -> table.next(name, count)));
            } else {
                double span = (double) definition.max() - definition.start();
                long floor = definition.start() + (long) (span * call.get3());
                assertThat(answer(() -> redis.ranges().raiseTo(name, floor)))
                        .isEqualTo(answer(() -> table.raiseTo(name, floor)));
            }
        }
    }

    @Provide
    Arbitrary<RangeDefinition> definitions() {
        Arbitrary<Long> numbers = Arbitraries.oneOf(
                Arbitraries.longs().between(0, 1000),
                Arbitraries.longs().between(0, Long.MAX_VALUE),
                Arbitraries.longs().between(Long.MAX_VALUE - 1000, Long.MAX_VALUE));
        Arbitrary<Long> steps = Arbitraries.oneOf(
                Arbitraries.longs().between(1, 10), Arbitraries.longs().between(1, RangeDefinition.STEP_MAX));
        return Combinators.combine(numbers, numbers, steps)
                .as((a, b, step) -> new RangeDefinition(Math.min(a, b), step, Math.max(a, b)));
    }

    @Provide
    Arbitrary<List<Tuple.Tuple3<Boolean, Long, Double>>> calls() {
        Arbitrary<Long> counts = Arbitraries.oneOf(
                Arbitraries.longs().between(1, 100), Arbitraries.longs().between(1, IdRange.COUNT_MAX));
        return Combinators.combine(
                        Arbitraries.of(true, true, true, false),
                        counts,
                        Arbitraries.doubles().between(-0.1, 1.0))
                .as(Tuple::of)
                .list()
                .ofMinSize(1)
                .ofMaxSize(10);
    }

    /** The answer, or the kind of exception. */
    private static Object answer(Supplier<Object> call) {
        try {
            return call.get();
        } catch (TenonException e) {
            return e.getClass();
        }
    }
}
