package dev.tenon.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** How much processor time the whole process takes for one operation: what spinning costs and parking does not. */
public class CpuPerId implements InternalProfiler {
    static final String LABEL = "cpu.per.op";

    /** Systems count processor time in such ticks: less than one is not seen. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long before;

    @Override
    public String getDescription() {
        return "Processor time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = process.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double nanos = Math.max(TICK_NANOS, process.getProcessCpuTime() - before);
        return List.of(
                new ScalarResult(LABEL, nanos / result.getMetadata().getAllOps(), "ns/op", AggregationPolicy.AVG));
    }
}
