package dev.tenon.testkit.crash;

import dev.tenon.tx.Participants;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.jspecify.annotations.Nullable;

/**
 * A process, as far as its effects go: its durable steps are counted, and it can be made to crash before or after one
 * of them. Then its connections are cut, which rolls back what it has not committed, and whichever of its threads comes
 * to a step gets a {@link Crash} and no further. Only what is done through {@code over} and {@link #during} is part of
 * it. Thread-safe.
 */
public final class CrashProcess {
    private final Optional<String> fatal;
    private final SqlSteps sqlSteps;
    private final Runnable held;
    private final boolean holds;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Integer> counts = new HashMap<>();
    private final List<Point> points = new ArrayList<>();
    private final Set<AutoCloseable> wires = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();
    private final CountDownLatch never = new CountDownLatch(1);
    private final Runnable atDeath;
    private volatile boolean dead;

    /** Where a thread of this process was. */
    record Point(String name, Thread thread) {}

    private CrashProcess(Optional<String> fatal, SqlSteps sqlSteps, boolean holds, Runnable told) {
        this.fatal = fatal;
        this.sqlSteps = sqlSteps;
        this.holds = holds;
        this.held = holds ? told : () -> {};
        this.atDeath = holds ? () -> {} : told;
    }

    /** One that crashes at a point, or nowhere. */
    static CrashProcess crashingAt(Optional<String> point, SqlSteps sqlSteps, Runnable atDeath) {
        return new CrashProcess(point, sqlSteps, false, atDeath);
    }

    /** One that stops at a point with everything as it is, until somebody kills its JVM. */
    static CrashProcess heldAt(String point, Runnable told) {
        return new CrashProcess(Optional.of(point), new SqlSteps(), true, told);
    }

    /**
     * A database as this process sees it: every statement that may write, and every commit of one, is a step.
     *
     * @param name tells it from the others in the names of points
     */
    public DataSource over(String name, DataSource source) {
        return new CutJdbc(this, Objects.requireNonNull(name, "name")).over(source);
    }

    /** As {@link #over(String, DataSource)}; prepare, commit and rollback are steps too. */
    public XADataSource over(String name, XADataSource source) {
        return new CutJdbc(this, Objects.requireNonNull(name, "name")).over(source);
    }

    /** Participants as this process sees them: every call is a step. */
    public Participants over(Participants participants) {
        Objects.requireNonNull(participants, "participants");
        return target -> participants
                .find(target)
                .map(participant ->
                        call -> during("call " + call.operation().text() + " " + target, () -> participant.call(call)));
    }

    /**
     * Anything else that this process calls, such as a {@code MessageSink}, or a log that is in no database: every call
     * of one of its methods is a step.
     *
     * @param type an interface
     * @param name tells it from the others in the names of points
     */
    public <T> T over(Class<T> type, String name, T target) {
        Objects.requireNonNull(target, "target");
        return type.cast(Proxy.newProxyInstance(
                CrashProcess.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> method.getDeclaringClass() == Object.class
                        ? CutJdbc.invoke(target, method, args)
                        : step(name + "." + method.getName(), () -> CutJdbc.invoke(target, method, args))));
    }

    /**
     * Does something that counts as one durable step.
     *
     * @param step its name; digits count as one and the same, so that IDs may be in it
     * @throws Exception what the work throws
     */
    public <T> T during(String step, Callable<T> work) throws Exception {
        String name = numbered(step);
        at("before " + name);
        T result = work.call();
        at("after " + name);
        return result;
    }

    /**
     * Has something closed when the process ends: the last one first. A process that has crashed closes it too, so that
     * no thread is left, but without an effect.
     */
    public <C extends AutoCloseable> C closing(C resource) {
        lock.lock();
        try {
            closing.push(resource);
        } finally {
            lock.unlock();
        }
        return resource;
    }

    /** The name of the step that a statement is; none for one that only reads. */
    Optional<String> stepOf(String sql) {
        return sqlSteps.of(sql);
    }

    /** What a step does. */
    interface Work {
        @Nullable
        Object run() throws Throwable;
    }

    @Nullable
    Object step(String step, Work work) throws Throwable {
        String name = numbered(step);
        at("before " + name);
        Object result = work.run();
        at("after " + name);
        return result;
    }

    private String numbered(String step) {
        String plain = CutJdbc.plain(step);
        lock.lock();
        try {
            return plain + " #" + counts.merge(plain, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    private void at(String point) {
        requireAlive();
        boolean here = fatal.isPresent() && fatal.get().equals(point);
        lock.lock();
        try {
            points.add(new Point(point, Thread.currentThread()));
            dead |= here;
        } finally {
            lock.unlock();
        }
        if (here) {
            die();
        }
        requireAlive();
    }

    private void die() {
        if (holds) {
            held.run();
            return;
        }
        List<AutoCloseable> all;
        lock.lock();
        try {
            all = List.copyOf(wires);
            wires.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(CrashProcess::closeQuietly);
        atDeath.run();
    }

    /** @throws Crash if the process has crashed */
    void requireAlive() {
        if (!dead) {
            return;
        }
        while (holds) {
            try {
                never.await();
            } catch (InterruptedException e) {
                // Whoever stops this process is stopped too.
            }
        }
        // A thread that ends by this has nothing to say.
        Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
        throw new Crash(fatal.orElse(""));
    }

    /** What is cut when the process crashes. */
    void wire(AutoCloseable cut) {
        lock.lock();
        try {
            if (!dead || holds) {
                wires.add(cut);
                return;
            }
        } finally {
            lock.unlock();
        }
        closeQuietly(cut);
        requireAlive();
    }

    /** False: it was cut, or is about to be. Who closes it as well may close what somebody else has by now. */
    boolean unwire(AutoCloseable cut) {
        lock.lock();
        try {
            return wires.remove(cut);
        } finally {
            lock.unlock();
        }
    }

    boolean isDead() {
        return dead;
    }

    /** Where it has been. */
    List<String> points() {
        return seen().stream().map(Point::name).toList();
    }

    /**
     * Where it has been, without those points that are the same moment as the one before: nothing happens in between.
     */
    List<String> moments() {
        List<String> moments = new ArrayList<>();
        List<Point> all = seen();
        for (int i = 0; i < all.size(); i++) {
            boolean same = i > 0
                    && all.get(i).thread().equals(all.get(i - 1).thread())
                    && all.get(i - 1).name().startsWith("after ")
                    && all.get(i).name().startsWith("before ");
            if (!same) {
                moments.add(all.get(i).name());
            }
        }
        return moments;
    }

    private List<Point> seen() {
        lock.lock();
        try {
            return List.copyOf(points);
        } finally {
            lock.unlock();
        }
    }

    /** Closes what is to be closed at the end. */
    void end() throws Exception {
        while (true) {
            AutoCloseable next;
            lock.lock();
            try {
                next = closing.poll();
            } finally {
                lock.unlock();
            }
            if (next == null) {
                return;
            }
            if (dead) {
                closeQuietly(next);
            } else {
                next.close();
            }
        }
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception | Crash e) {
            // It is of no use any more, however it ends.
        }
    }
}
