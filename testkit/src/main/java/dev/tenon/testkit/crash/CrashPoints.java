package dev.tenon.testkit.crash;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The enumerator of crash points. It tells a {@link CrashScenario} once and notes each durable step: every statement
 * that may write, every commit, every call of a participant. Then it tells it again for each point, before and after
 * each step, with a crash there, lets another process recover until everything has ended, and has the invariant
 * checked. Recovery is crashed as well, at each of its own points, and then a third process recovers. Nothing is left
 * to chance: all points, not some.
 *
 * <p>A crash here is one of a {@link CrashProcess}: quick enough for thousands. {@link #hold} is for the other kind,
 * the {@code kill -9} of a JVM ({@link dev.tenon.testkit.ForkedJvm}) in which each point has a thread that has stopped
 * there. Immutable.
 */
public final class CrashPoints {
    private static final int ATTEMPTS = 5;
    private static final int ATTEMPTS_OF_PAIR = 2;
    private static final int LAST = 20;
    private static final Duration PAUSE_MAX = Duration.ofMillis(50);

    private final CrashScenario.Factory factory;
    private final int atATime;
    private final Duration patience;
    private final AtomicInteger worlds;
    private final SqlSteps sqlSteps = new SqlSteps();

    private CrashPoints(CrashScenario.Factory factory, int atATime, Duration patience, AtomicInteger worlds) {
        this.factory = Objects.requireNonNull(factory, "factory");
        this.atATime = atATime;
        this.patience = Objects.requireNonNull(patience, "patience");
        this.worlds = worlds;
    }

    /** The points of a scenario; four runs at a time, and 60 s for each process to come to its end. */
    public static CrashPoints of(CrashScenario.Factory factory) {
        return new CrashPoints(factory, 4, Duration.ofSeconds(60), new AtomicInteger());
    }

    /**
     * This with so many runs at a time: more of them hide that each waits, for a claim to end say.
     *
     * @throws IllegalArgumentException if it is not 1 to 1000
     */
    public CrashPoints concurrently(int runs) {
        if (runs < 1 || runs > 1000) {
            throw new IllegalArgumentException("1 to 1000 runs at a time, not " + runs);
        }
        return new CrashPoints(factory, runs, patience, worlds);
    }

    /** This, but a process that has not come to its end in so long fails the test. */
    public CrashPoints withPatience(Duration time) {
        return new CrashPoints(factory, atATime, time, worlds);
    }

    /** The points that the process comes to which {@link CrashScenario#act acts}. Runs it once. */
    public List<String> list() {
        return attempt(List.of(), 1).courses().get(0).points();
    }

    /**
     * A crash at each point; and a second crash at each point of the recovery that follows, once for each that leaves
     * something else to be done. Two points with nothing in between, after one step and before the next of the same
     * thread, are one moment and one crash. What recovery did once, and does not do again in the same way (it has
     * waited for a lock, say), is tried twice.
     *
     * @throws AssertionError if an invariant does not hold, something does not end, or a point can't be reached; it
     *     says after which crashes
     */
    public CrashReport everywhere() {
        return everywhere(0, 1);
    }

    /**
     * As {@link #everywhere}, with a share of the second crashes: every {@code shares}-th pair, beginning with number
     * {@code share}. The shares of several databases, say, have all pairs together.
     */
    public CrashReport everywhere(int share, int shares) {
        return enumerate(false, index -> index % shares == share);
    }

    /**
     * As {@link #everywhere}, with every pair of crashes: recovery is crashed at each of its points after each first
     * crash.
     */
    public CrashReport everywhereTwice() {
        return enumerate(true, index -> true);
    }

    private CrashReport enumerate(boolean everyPair, IntPredicate tried) {
        int before = worlds.get();
        Course clean = attempt(List.of(), 1).courses().get(0);
        List<Trial> first = all(clean.moments().stream()
                .map(point -> (Callable<Trial>) () -> attempt(List.of(point), ATTEMPTS))
                .toList());
        Set<String> missed = new LinkedHashSet<>();
        first.stream()
                .filter(trial -> trial.reached() == 0)
                .forEach(trial -> missed.add(trial.crashes().get(0)));
        if (!missed.isEmpty()) {
            missed.retainAll(list()); // what a busy machine has done twice, once, is no point
            requireNone(missed);
        }
        List<Callable<Trial>> pairs = pairs(first, everyPair);
        List<Trial> second = all(IntStream.range(0, pairs.size())
                .filter(tried)
                .mapToObj(pairs::get)
                .toList());
        Set<String> reached = new LinkedHashSet<>();
        second.stream()
                .filter(trial -> trial.reached() == 2)
                .forEach(trial -> reached.add(trial.crashes().get(1)));
        return new CrashReport(clean.points(), List.copyOf(reached), worlds.get() - before);
    }

    private static void requireNone(Set<String> missed) {
        if (!missed.isEmpty()) {
            throw new AssertionError("In " + ATTEMPTS + " runs each, these points were not reached again: " + missed
                    + ". Steps have to come in the same way in every world");
        }
    }

    /** Second crashes. Two that leave the same to be done are one, unless every pair is wanted. */
    private List<Callable<Trial>> pairs(List<Trial> first, boolean everyPair) {
        Map<List<Object>, Callable<Trial>> pairs = new LinkedHashMap<>();
        for (Trial trial : first) {
            if (trial.reached() == 0) {
                continue;
            }
            String crash = trial.crashes().get(0);
            Course recovery = trial.courses().get(1);
            for (String again : recovery.moments()) {
                List<Object> key = everyPair ? List.of(crash, again) : List.of(bare(again), recovery.left(again));
                pairs.putIfAbsent(key, () -> attempt(List.of(crash, again), ATTEMPTS_OF_PAIR));
            }
        }
        return List.copyOf(pairs.values());
    }

    /** Without its number. */
    private static String bare(String point) {
        return point.substring(0, point.lastIndexOf(" #"));
    }

    /**
     * One run.
     *
     * @param courses where each of its processes was, one after the other
     * @param reached how many of the crashes happened
     */
    private record Trial(List<String> crashes, List<Course> courses, int reached) {}

    private record Course(List<String> points, List<String> moments) {
        static Course of(CrashProcess process) {
            return new Course(process.points(), process.moments());
        }

        /** What comes after a point, in whichever order. */
        List<String> left(String point) {
            return points.subList(points.indexOf(point) + 1, points.size()).stream()
                    .map(CrashPoints::bare)
                    .sorted()
                    .toList();
        }
    }

    private List<Trial> all(List<Callable<Trial>> runs) {
        ExecutorService threads = Executors.newFixedThreadPool(atATime);
        try {
            List<Future<Trial>> futures = new ArrayList<>();
            runs.forEach(run -> futures.add(threads.submit(run)));
            List<Trial> trials = new ArrayList<>();
            for (Future<Trial> future : futures) {
                trials.add(future.get());
            }
            return trials;
        } catch (ExecutionException e) {
            throw new AssertionError(
                    e.getCause() == null ? e.toString() : e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Runs until it was crashed as wanted: threads of one process need not come to their steps in the same order. */
    private Trial attempt(List<String> crashes, int attempts) {
        Trial trial = run(newWorld(), crashes);
        for (int i = 1; i < attempts && trial.reached() < crashes.size(); i++) {
            trial = run(newWorld(), crashes);
        }
        return trial;
    }

    private String newWorld() {
        return "w" + worlds.incrementAndGet();
    }

    private Trial run(String world, List<String> crashes) {
        List<Course> courses = new ArrayList<>();
        try (CrashScenario scenario = factory.open(world)) {
            scenario.prepare();
            CrashProcess process = end(crashes.stream().findFirst(), scenario::act);
            courses.add(Course.of(process));
            scenario.checkAtAnyMoment();
            int reached = process.isDead() ? 1 : 0;
            boolean crashed = true;
            while (crashed) {
                Optional<String> next = crashes.stream().skip(courses.size()).findFirst();
                process = end(next, recovering -> recover(scenario, recovering));
                courses.add(Course.of(process));
                scenario.checkAtAnyMoment();
                crashed = process.isDead();
                reached += crashed ? 1 : 0;
            }
            scenario.checkAtTheEnd();
            return new Trial(crashes, courses, reached);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("In world " + world + ", crashed at " + crashes + ": " + e.getMessage(), e);
        }
    }

    private interface Life {
        void of(CrashProcess process) throws Exception;
    }

    /** A process from its beginning to its end, or its crash. */
    private CrashProcess end(Optional<String> fatal, Life life) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Queue<Throwable> failure = new ConcurrentLinkedQueue<>();
        CrashProcess process = CrashProcess.crashingAt(fatal, sqlSteps, over::countDown);
        Thread thread = daemon(() -> {
            try {
                life.of(process);
                process.end();
            } catch (Throwable e) {
                failure.add(e);
            } finally {
                over.countDown();
            }
        });
        if (!over.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            AssertionError hangs = new AssertionError(
                    "A process has not come to its end within " + patience + "; it was at " + lastOf(process.points()));
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        }
        Throwable e = failure.peek();
        if (process.isDead()) {
            process.end();
        } else if (e instanceof Exception exception) {
            throw exception;
        } else if (e != null) {
            throw new AssertionError(e.getMessage(), e);
        }
        return process;
    }

    private static List<String> lastOf(List<String> points) {
        return points.subList(Math.max(0, points.size() - LAST), points.size());
    }

    private static Thread daemon(Runnable task) {
        Thread thread = DaemonThreads.of("tenon-crash-process", task);
        thread.start();
        return thread;
    }

    private void recover(CrashScenario scenario, CrashProcess process) throws Exception {
        CrashScenario.Pass pass = scenario.recovery(process);
        long end = System.nanoTime() + patience.toNanos();
        Optional<Exception> last = Optional.empty();
        Duration pause = Duration.ofMillis(1);
        while (true) {
            try {
                if (pass.run()) {
                    return;
                }
                last = Optional.empty();
            } catch (Exception e) {
                last = Optional.of(e); // tried again, as a scheduler would
            }
            process.requireAlive();
            if (System.nanoTime() > end) {
                throw new AssertionError("Not everything has ended within " + patience, last.orElse(null));
            }
            scenario.checkAtAnyMoment();
            LockSupport.parkNanos(pause.toNanos());
            pause = pause.compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : pause;
        }
    }

    /** Writes what is there at the beginning of a world, for {@link #hold}. */
    public void prepare(String world) throws Exception {
        try (CrashScenario scenario = factory.open(world)) {
            scenario.prepare();
        }
    }

    /**
     * Runs a process of this JVM up to a point, where all of its threads stop for good with everything as it is. For a
     * JVM that is to be killed: start one for each point there, and kill it when all have said that they are there.
     *
     * @param world that another JVM has {@linkplain #prepare prepared}
     * @param point one of {@link #list}
     * @param told called when the process is there
     */
    public void hold(String world, String point, Runnable told) throws Exception {
        CrashScenario scenario = factory.open(world);
        CrashProcess process = CrashProcess.heldAt(point, told);
        daemon(() -> {
            try {
                scenario.act(process);
                process.end();
            } catch (Exception e) {
                throw new IllegalStateException("world " + world + " did not come to " + point, e);
            }
        });
    }

    /**
     * Recovers what a JVM has left in a world that was killed, and checks what must be true.
     *
     * @throws AssertionError if it is not
     */
    public void recover(String world) {
        try (CrashScenario scenario = factory.open(world)) {
            scenario.checkAtAnyMoment();
            end(Optional.empty(), process -> recover(scenario, process));
            scenario.checkAtTheEnd();
        } catch (Exception | AssertionError e) {
            throw new AssertionError("In world " + world + ", whose JVM was killed: " + e.getMessage(), e);
        }
    }
}
