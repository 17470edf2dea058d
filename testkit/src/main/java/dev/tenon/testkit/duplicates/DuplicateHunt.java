package dev.tenon.testkit.duplicates;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Hunts for IDs that a generator issues twice: runs it in several simulated processes over one simulated store, while
 * clocks jump, processes die and start again, and the store fails, all by a seeded random script, and compares every ID
 * with every other. Any generator can be hunted in that takes a clock, or its store, from outside; a simulated hour
 * takes a fraction of a second.
 *
 * <p>The same seed gives the same script; a generator with threads of its own may still run differently. A hunt that
 * finds nothing proves nothing, but the scripts are those that find the known faults. Immutable; each run stands alone.
 */
public final class DuplicateHunt {
    private static final int PROCESSES_MAX = 1_000;
    private static final int DUPLICATES_MAX = 100;

    /** Starts a generator in a process. */
    @FunctionalInterface
    public interface Generator {
        /**
         * Called at each start of a process, on the thread of the hunt.
         *
         * @return gives the next ID: a {@code Long}, {@code String}, {@code UUID} or whatever else has {@code equals};
         *     what it throws at run time counts as refused
         */
        Supplier<?> start(SimulatedProcess process);
    }

    private final Generator generator;
    private final Plan plan;

    private record Plan(int processes, int steps, int runs, long seed, Set<Fault> faults) {
        private Plan {
            within("Processes", processes, PROCESSES_MAX);
            within("Steps", steps, Integer.MAX_VALUE);
            within("Runs", runs, Integer.MAX_VALUE);
            faults = Set.copyOf(faults);
        }

        private static void within(String name, int value, int max) {
            if (value < 1 || value > max) {
                throw new IllegalArgumentException(name + " must be between 1 and " + max + ": " + value);
            }
        }
    }

    private DuplicateHunt(Generator generator, Plan plan) {
        this.generator = Objects.requireNonNull(generator, "generator");
        this.plan = plan;
    }

    /** A hunt in 3 processes, 20 runs of 500 steps, with the {@linkplain Fault#usual() usual} faults. */
    public static DuplicateHunt in(Generator generator) {
        return new DuplicateHunt(generator, new Plan(3, 500, 20, 1, Fault.usual()));
    }

    /** The same with another number of processes, 1 to 1000. */
    public DuplicateHunt processes(int count) {
        return with(new Plan(count, plan.steps, plan.runs, plan.seed, plan.faults));
    }

    /** The same with another number of steps in a run, each a burst of IDs, a while of time or a fault. */
    public DuplicateHunt steps(int count) {
        return with(new Plan(plan.processes, count, plan.runs, plan.seed, plan.faults));
    }

    /** The same with another number of runs, each with the seed that follows the one before. */
    public DuplicateHunt runs(int count) {
        return with(new Plan(plan.processes, plan.steps, count, plan.seed, plan.faults));
    }

    /** The same with another first seed: the one that a report names, to see it again. */
    public DuplicateHunt seed(long value) {
        return with(new Plan(plan.processes, plan.steps, plan.runs, value, plan.faults));
    }

    /** The same with these faults only. */
    public DuplicateHunt faults(Fault... only) {
        Set<Fault> chosen = EnumSet.noneOf(Fault.class);
        chosen.addAll(List.of(only));
        return with(new Plan(plan.processes, plan.steps, plan.runs, plan.seed, chosen));
    }

    private DuplicateHunt with(Plan changed) {
        return new DuplicateHunt(generator, changed);
    }

    /** Hunts, and tells what was found. */
    public DuplicateReport run() {
        long issued = 0;
        Map<String, Long> refused = new TreeMap<>();
        Map<Fault, Long> done = new EnumMap<>(Fault.class);
        List<DuplicateReport.Duplicate> duplicates = new ArrayList<>();
        for (int run = 0; run < plan.runs && duplicates.size() < DUPLICATES_MAX; run++) {
            DuplicateReport report =
                    new HuntRun(generator, plan.processes, plan.faults, plan.seed + run).run(plan.steps);
            issued += report.issued();
            report.refused().forEach((name, count) -> refused.merge(name, count, Long::sum));
            report.faults().forEach((fault, count) -> done.merge(fault, count, Long::sum));
            duplicates.addAll(report.duplicates());
        }
        return new DuplicateReport(issued, refused, done, duplicates);
    }

    /**
     * Hunts, and fails if an ID was issued twice, or if none was issued at all.
     *
     * @return what was found, for further questions
     */
    public DuplicateReport assertNoDuplicates() {
        DuplicateReport report = run();
        if (!report.duplicates().isEmpty() || report.issued() == 0) {
            throw new AssertionError(report.toString());
        }
        return report;
    }
}
