package dev.tenon.benchmarks;

import com.github.f4b6a3.tsid.TsidFactory;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.core.SnowWorkerM1;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.duplicates.DuplicateHunt;
import dev.tenon.testkit.duplicates.DuplicateReport;
import dev.tenon.testkit.duplicates.Fault;
import dev.tenon.testkit.duplicates.SimulatedProcess;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import me.ahoo.cosid.CosId;
import me.ahoo.cosid.segment.IdSegment;
import me.ahoo.cosid.segment.IdSegmentDistributor;
import me.ahoo.cosid.segment.SegmentChainId;
import me.ahoo.cosid.segment.concurrent.PrefetchWorkerExecutorService;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;

/**
 * Hunts for duplicates in every generator whose clock or store can be given from outside, ours and others', with the
 * worker IDs that each recommends: a number for each process that is the same after a restart. Hutool is not there: it
 * reads the system's clock in a private method.
 */
final class PeerDuplicates {
    private static final int STEP = 100;
    private static final String LEASED = "Tenon, leased worker ID";
    private static final int RUNS = 40;
    private static final int RUNS_OF_SEGMENTS = 5;

    private PeerDuplicates() {}

    /** What is done to them, by what the report calls it. */
    private enum Trial {
        CLOCK("clock set back while running", Fault.CLOCK_BACK),
        RESTART("clock set back while down", Fault.KILL_AND_CLOCK_BACK),
        ROLL_BACK("store rolled back", Fault.STORE_ROLLED_BACK),
        FORGOTTEN("store rolled back, processes killed", Fault.STORE_ROLLED_BACK, Fault.KILL);

        private final String title;
        private final List<Fault> faults;

        Trial(String title, Fault... faults) {
            this.title = title;
            this.faults = List.of(faults);
        }
    }

    /**
     * What was found in one generator by one trial.
     *
     * @param title of the library
     * @param trial what was done
     * @param issued how many IDs were compared
     * @param duplicates how many of them were duplicates; the hunt ends after some
     * @param refused how often the generator refused
     */
    record Finding(String title, String trial, long issued, int duplicates, long refused) {}

    static List<Finding> hunt() {
        List<Finding> findings = new ArrayList<>();
        byClock().forEach((title, generator) -> {
            for (Trial trial : List.of(Trial.CLOCK, Trial.RESTART)) {
                findings.add(finding(title, trial, DuplicateHunt.in(generator).runs(RUNS)));
            }
        });
        findings.add(finding(
                LEASED,
                Trial.FORGOTTEN,
                DuplicateHunt.in(PeerDuplicates::leased).runs(RUNS)));
        byStore()
                .forEach((title, generator) -> findings.add(finding(
                        title,
                        Trial.ROLL_BACK,
                        DuplicateHunt.in(generator).processes(1).runs(RUNS_OF_SEGMENTS))));
        return findings;
    }

    private static Finding finding(String title, Trial trial, DuplicateHunt hunt) {
        DuplicateReport report = hunt.faults(trial.faults.toArray(Fault[]::new)).run();
        long refused =
                report.refused().values().stream().mapToLong(Long::longValue).sum();
        return new Finding(
                title, trial.title, report.issued(), report.duplicates().size(), refused);
    }

    private static Map<String, DuplicateHunt.Generator> byClock() {
        Map<String, DuplicateHunt.Generator> generators = new LinkedHashMap<>();
        generators.put(LEASED, PeerDuplicates::leased);
        generators.put(
                "Tenon, fixed worker ID",
                process -> SnowflakeGenerator.create(
                        IdLayout.twitter(), WorkerId.fixed(process.index(), process.time()))::nextId);
        generators.put("CosId `MillisecondSnowflakeId`", process -> new ClockedCosId(process)::generate);
        generators.put("yitter `SnowWorkerM1`", process -> new ClockedYitter(process)::nextId);
        generators.put(
                "tsid-creator",
                process -> TsidFactory.builder()
                        .withNode(process.index())
                        .withNodeBits(10)
                        .withClock(process.clock())
                        .build()::create);
        return generators;
    }

    private static Map<String, DuplicateHunt.Generator> byStore() {
        Map<String, DuplicateHunt.Generator> generators = new LinkedHashMap<>();
        generators.put("Tenon segment", process -> {
            SegmentGenerator ids = SegmentGenerator.create(process.ranges(), "ids", SegmentPolicy.ofStep(STEP));
            process.onClose(ids);
            return ids::nextId;
        });
        generators.put("CosId `SegmentChainId`", process -> {
            var prefetch =
                    new PrefetchWorkerExecutorService(PrefetchWorkerExecutorService.DEFAULT_PREFETCH_PERIOD, 1, false);
            process.onClose(prefetch::shutdown);
            return new SegmentChainId(
                    IdSegment.TIME_TO_LIVE_FOREVER,
                    SegmentChainId.DEFAULT_SAFE_DISTANCE,
                    new Distributor(process.ranges()),
                    prefetch)::generate;
        });
        generators.put("Leaf-style", process -> {
            LeafStyleSegment ids = new LeafStyleSegment(process.ranges(), "ids", STEP);
            process.onClose(ids);
            return ids::nextId;
        });
        return generators;
    }

    private static Supplier<?> leased(SimulatedProcess process) {
        IdLayout layout = IdLayout.twitter();
        WorkerId worker = WorkerId.builder(process.workerIds("ids"), layout)
                .time(process.time())
                .lease();
        process.onClose(worker);
        return SnowflakeGenerator.create(layout, worker)::nextId;
    }

    private static final class ClockedCosId extends MillisecondSnowflakeId {
        private final Clock clock;

        private ClockedCosId(SimulatedProcess process) {
            super(CosId.COSID_EPOCH, 41, 10, 12, process.index());
            this.clock = process.clock();
        }

        @Override
        protected long getCurrentTime() {
            return clock.millis();
        }
    }

    private static final class ClockedYitter extends SnowWorkerM1 {
        private final Clock clock;

        private ClockedYitter(SimulatedProcess process) {
            super(new IdGeneratorOptions((short) process.index()));
            this.clock = process.clock();
        }

        @Override
        protected long GetCurrentTimeTick() {
            return clock.millis() - BaseTime;
        }
    }

    private record Distributor(RangeStore ranges) implements IdSegmentDistributor {
        @Override
        public String getNamespace() {
            return "ids";
        }

        @Override
        public String getName() {
            return "ids";
        }

        @Override
        public long getStep() {
            return STEP;
        }

        @Override
        public long nextMaxId(long step) {
            return ranges.next(getName(), step).last();
        }
    }
}
