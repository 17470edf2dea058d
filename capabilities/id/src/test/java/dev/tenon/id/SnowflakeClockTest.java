package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Whatever clocks, stores and processes do, in any order: no ID twice, and none beyond its fence. */
class SnowflakeClockTest {
    private static final IdLayout LAYOUT =
            IdLayout.builder().workerBits(2).sequenceBits(4).build();
    private static final int PROCESSES = 2;

    enum Act {
        ISSUE,
        FILL,
        PASS,
        ADVANCE,
        STEP_BACK,
        STEP_FORWARD,
        KILL_AND_RESTART,
        CLOSE_AND_RESTART,
        STORE_AWAY,
        STORE_BACK,
        STEAL
    }

    record Step(Act act, int process, int amount) {}

    /** A process: its own clock, which may be wrong, over the time that passes for all. */
    private static final class Process {
        private final JumpyClock clock;
        private final TableWorkerIds store;
        private LeasedWorkerId worker;
        private SnowflakeGenerator ids;
        private long last = -1;

        Process(TableWorkerIds store, JumpyClock clock) {
            this.store = store;
            this.clock = clock;
            start();
        }

        void start() {
            last = -1;
            worker = WorkerId.builder(store, LAYOUT)
                    .owner("p")
                    .leaseTime(Duration.ofSeconds(2))
                    .time(clock)
                    .unscheduled()
                    .leased();
            ids = SnowflakeGenerator.builder(LAYOUT, worker)
                    .borrow(Duration.ofMillis(5))
                    .tolerance(Duration.ofMillis(20))
                    .build();
        }
    }

    @Provide
    Arbitrary<List<Step>> scripts() {
        Arbitrary<Act> acts = Arbitraries.frequencyOf(
                Tuple.of(12, Arbitraries.of(Act.ISSUE, Act.FILL)),
                Tuple.of(8, Arbitraries.of(Act.ADVANCE, Act.PASS)),
                Tuple.of(10, Arbitraries.of(Act.class)));
        return Combinators.combine(
                        acts,
                        Arbitraries.integers().between(0, PROCESSES - 1),
                        Arbitraries.integers().between(0, 60_000))
                .as(Step::new)
                .list()
                .ofMinSize(20)
                .ofMaxSize(120);
    }

    @Property(tries = 500)
    void noIdTwiceAndNoneBeyondItsFence(@ForAll("scripts") List<Step> script) {
        World world = new World();
        script.forEach(world::run);
        assertThat(world.issued).as("the script does something").isNotEmpty();
    }

    /** Two processes that share the store's true time, each with a wall clock of its own. */
    private static final class World {
        private final JumpyClock trueTime = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
        private final TableWorkerIds store = new TableWorkerIds(trueTime);
        private final List<Process> processes = new ArrayList<>();
        private final Set<Long> issued = new HashSet<>();
        private final Map<Integer, Instant> fences = new HashMap<>();

        World() {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(new Process(store, new JumpyClock(trueTime.now())));
            }
            issue(processes.get(0), 1);
        }

        void run(Step step) {
            Process process = processes.get(step.process());
            switch (step.act()) {
                case ISSUE -> issue(process, step.amount() % 40);
                case FILL -> fill(process, step.amount() % 100);
                case PASS -> process.worker.runOnce();
                case ADVANCE ->
                    advance(Duration.ofMillis(step.amount() % 3 == 0 ? step.amount() % 1500 : step.amount() % 7));
                case STEP_BACK -> process.clock.step(Duration.ofMillis(-step.amount()));
                case STEP_FORWARD -> process.clock.step(Duration.ofMillis(step.amount() / 20));
                case KILL_AND_RESTART -> restart(process, step.amount(), false);
                case CLOSE_AND_RESTART -> restart(process, step.amount(), true);
                case STORE_AWAY -> setAway(true);
                case STORE_BACK -> setAway(false);
                case STEAL -> store.steal(step.amount() % LAYOUT.workers());
            }
        }

        private void setAway(boolean value) {
            store.failWith(value ? () -> new BackendUnavailableException("away") : null);
        }

        private void advance(Duration by) {
            trueTime.advance(by);
            processes.forEach(process -> process.clock.advance(by));
        }

        private void restart(Process process, int millisBack, boolean close) {
            setAway(false);
            if (close) {
                process.worker.close();
            }
            process.clock.step(Duration.ofMillis(-millisBack));
            while (true) {
                try {
                    process.start();
                    return;
                } catch (WorkerIdsExhaustedException e) {
                    advance(Duration.ofSeconds(1)); // killed ones keep their slots until their leases end
                }
            }
        }

        private void issue(Process process, int count) {
            for (int i = 0; i < count; i++) {
                attempt(process, () -> new long[] {process.ids.nextId()});
            }
        }

        private void fill(Process process, int count) {
            attempt(process, () -> {
                long[] ids = new long[count];
                process.ids.fill(ids);
                return ids;
            });
        }

        private void attempt(Process process, Supplier<long[]> call) {
            Duration parked = process.clock.parked();
            try {
                for (long id : call.get()) {
                    record(process, id);
                }
            } catch (LeaseLostException | ClockMovedBackwardsException | BackendUnavailableException e) {
                // Refusing is always allowed; what is issued must be right.
            }
            Duration waited = process.clock.parked().minus(parked);
            trueTime.advance(waited);
            processes.stream().filter(other -> other != process).forEach(other -> other.clock.advance(waited));
        }

        private void record(Process process, long id) {
            IdParts parts = LAYOUT.decode(id);
            assertThat(issued.add(id)).as("issued twice: %s", parts).isTrue();
            if (process.last >= 0
                    && parts.workerId() == LAYOUT.decode(process.last).workerId()) {
                assertThat(id).as("order").isGreaterThan(process.last);
            }
            process.last = id;
            fences.merge(parts.workerId(), store.fence(parts.workerId()), (a, b) -> a.isAfter(b) ? a : b);
            assertThat(parts.time()).isBeforeOrEqualTo(fences.get(parts.workerId()));
        }
    }
}
