package dev.tenon.testkit.duplicates;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One script of a hunt, from its seed. */
final class HuntRun {
    private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
    private static final int BURST_MAX = 200;
    private static final List<Duration> STEPS = List.of(
            Duration.ofMillis(1),
            Duration.ofMillis(50),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofMinutes(10),
            Duration.ofHours(1));
    private static final Duration BACK_MAX = Duration.ofHours(1);
    private static final int OUTAGE_CALLS_MAX = 5;
    private static final double PASS_EXPONENT_MAX = 5.5;

    private final DuplicateHunt.Generator generator;
    private final long seed;
    private final Random random;
    private final List<Fault> faults;
    private final SimulatedTime time = new SimulatedTime(START);
    private final SimulatedStore store = new SimulatedStore(time);
    private final List<Place> places = new ArrayList<>();
    private final List<SimulatedProcess> killed = new ArrayList<>();

    private final Map<Object, Issue> issues = new HashMap<>();
    private final List<Event> events = new ArrayList<>();
    private final Map<String, Long> refused = new TreeMap<>();
    private final Map<Fault, Long> done = new EnumMap<>(Fault.class);
    private final List<DuplicateReport.Duplicate> duplicates = new ArrayList<>();
    private int step;

    private record Issue(Place place, int start, int step) {
        @Override
        public String toString() {
            return "process " + place.index + " (start " + start + ", step " + step + ")";
        }
    }

    private record Event(int step, String text) {}

    /** Where a process runs, whichever start of it. */
    private final class Place {
        private final int index;
        private final SimulatedTime.Clocks clocks = time.new Clocks();
        private @Nullable SimulatedProcess process;
        private @Nullable Supplier<?> ids;
        private int starts;
        private Instant burst = START;

        private Place(int index) {
            this.index = index;
        }

        private Supplier<?> running() {
            Supplier<?> running = ids;
            if (running == null) {
                SimulatedProcess started = new SimulatedProcess(index, starts++, clocks, store);
                process = started;
                running = generator.start(started);
                ids = running;
            }
            return running;
        }

        private void kill() {
            if (process != null) {
                killed.add(process);
            }
            process = null;
            ids = null;
        }

        private void end() {
            if (process != null) {
                close(process);
            }
            process = null;
            ids = null;
        }
    }

    HuntRun(DuplicateHunt.Generator generator, int processes, Set<Fault> faults, long seed) {
        this.generator = generator;
        this.seed = seed;
        this.random = new Random(seed);
        this.faults = faults.stream().sorted().toList();
        for (int i = 0; i < processes; i++) {
            places.add(new Place(i));
        }
    }

    DuplicateReport run(int steps) {
        for (step = 1; step <= steps; step++) {
            int dice = random.nextInt(10);
            if (dice < 6 || faults.isEmpty() && dice < 7) {
                issue(any(), 1 + random.nextInt(random.nextInt(1, BURST_MAX)));
            } else if (dice < 8 || faults.isEmpty()) {
                pass();
            } else {
                inflict(faults.get(random.nextInt(faults.size())), any());
            }
        }
        places.forEach(Place::end);
        killed.forEach(this::close);
        time.end();
        return new DuplicateReport(issues.size() + duplicates.size(), refused, done, duplicates);
    }

    /** From a millisecond to minutes; every other time the store's backup runs as well. */
    private void pass() {
        time.pass(Duration.ofMillis((long) Math.pow(10, random.nextDouble() * PASS_EXPONENT_MAX)));
        if (random.nextBoolean()) {
            store.save();
        }
    }

    private Place any() {
        return places.get(random.nextInt(places.size()));
    }

    private void issue(Place place, int count) {
        place.burst = place.clocks.now();
        for (int i = 0; i < count; i++) {
            Object id;
            try {
                id = place.running().get();
            } catch (RuntimeException e) {
                refused.merge(e.getClass().getSimpleName(), 1L, Long::sum);
                return;
            }
            time.progress();
            Issue now = new Issue(place, place.starts, step);
            Issue before = issues.putIfAbsent(id, now);
            if (before != null) {
                duplicates.add(new DuplicateReport.Duplicate(
                        id, seed, before.toString(), now.toString(), between(before.step)));
            }
        }
    }

    private List<String> between(int earlier) {
        return events.stream()
                .filter(event -> event.step > earlier)
                .map(event -> "step " + event.step + ": " + event.text)
                .toList();
    }

    private void inflict(Fault fault, Place place) {
        Duration by = STEPS.get(random.nextInt(STEPS.size()));
        Duration back = back(place, by);
        String who = "process " + place.index;
        switch (fault) {
            case CLOCK_BACK -> {
                place.clocks.step(back.negated());
                happened(fault, "clock of " + who + " set back by " + back);
            }
            case CLOCK_FORWARD -> {
                place.clocks.step(by);
                happened(fault, "clock of " + who + " set forward by " + by);
            }
            case KILL -> {
                place.kill();
                happened(fault, who + " killed");
            }
            case KILL_AND_CLOCK_BACK -> {
                place.kill();
                place.clocks.step(back.negated());
                happened(fault, who + " killed, and its clock set back by " + back);
            }
            case RESTART -> {
                place.end();
                happened(fault, who + " restarted");
            }
            case STORE_DOWN -> {
                store.failNext(1 + random.nextInt(OUTAGE_CALLS_MAX));
                happened(fault, "store down");
            }
            case REPLY_LOST -> {
                store.loseNextReply();
                happened(fault, "a reply of the store lost");
            }
            case LEASE_STOLEN -> {
                store.stealLeases();
                happened(fault, "worker IDs taken away");
            }
            case STORE_ROLLED_BACK -> {
                store.rollBack();
                happened(fault, "store rolled back");
            }
        }
    }

    /** Some time, or, as often, to the very moment of the last burst, where most is to be repeated. */
    private Duration back(Place place, Duration some) {
        Duration sinceBurst = Duration.between(place.burst, place.clocks.now());
        return random.nextBoolean() && !sinceBurst.isNegative() && sinceBurst.compareTo(BACK_MAX) < 0
                ? sinceBurst
                : some;
    }

    private void happened(Fault fault, String text) {
        events.add(new Event(step, text));
        done.merge(fault, 1L, Long::sum);
    }

    private void close(SimulatedProcess process) {
        process.resource().ifPresent(resource -> {
            try {
                resource.close();
            } catch (Exception e) {
                refused.merge(e.getClass().getSimpleName() + " at close", 1L, Long::sum);
            }
        });
    }
}
