package dev.tenon.tx.xa;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.spi.TransactionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One transaction for each step that a crash may come before or after, each of which waits there: so one kill hits all
 * of them, each at its own step. Half of them have a last resource, the database of the log.
 */
final class Crowd {
    private static final String WITH_LAST = "last ";

    /** A short second phase, so that recovery has not long to wait. */
    private static final XaOptions OPTIONS = XaOptions.DEFAULT.withSecondPhase(Duration.ofMillis(200));

    private final TransactionStore log;
    private final Map<String, Place> places;
    private final SqlAddress last;
    private final Map<String, String> results = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Cluster> clusters = new CopyOnWriteArrayList<>();

    Crowd(TransactionStore log, Map<String, Place> places, SqlAddress last) {
        this.log = log;
        this.places = places;
        this.last = last;
    }

    /** All steps that there are, with a last resource and without. */
    List<String> steps() throws SQLException {
        List<String> all = new CopyOnWriteArrayList<>();
        run("all", step -> all.add(step));
        run(WITH_LAST + "all", step -> all.add(WITH_LAST + step));
        clusters.forEach(Cluster::close); // and what they write in the end
        return List.copyOf(all);
    }

    private void run(String name, Steps steps) throws SQLException {
        Cluster cluster = new Cluster(log, places, OPTIONS, steps, Duration.ofSeconds(3));
        clusters.add(cluster);
        String id = id(name);
        if (!name.startsWith(WITH_LAST)) {
            try (XaTransaction tx = cluster.xa.begin()) {
                move(tx, id);
                results.put(name, "none");
                results.put(name, tx.commit().name());
            }
            return;
        }
        try (Connection connection = last.connect()) {
            connection.setAutoCommit(false);
            try (XaTransaction tx = cluster.xa.begin(connection)) {
                move(tx, id);
                Place.move(connection, id);
                results.put(name, "none");
                results.put(name, tx.commit().name());
            }
        }
    }

    private static void move(XaTransaction tx, String id) throws SQLException {
        Place.move(tx.connection("one"), id);
        Place.move(tx.connection("two"), id);
    }

    /** The row that the transaction of a step writes. */
    static String id(String step) {
        return step.replace(' ', '-');
    }

    static boolean hasLast(String step) {
        return step.startsWith(WITH_LAST);
    }

    /** Whether it is not committed if the process dies at that step; the rest is. */
    static boolean isBeforeDecision(String step) {
        return step.matches("(last )?((before|after) (start|mark|prepare) .*|before decide.*)");
    }

    /**
     * Starts all of them.
     *
     * @param arrived told when a transaction is at its step
     * @param go when they may go on
     */
    void start(List<String> steps, Consumer<String> arrived, CountDownLatch go) {
        for (String step : steps) {
            AtomicBoolean once = new AtomicBoolean();
            Steps stop = at -> {
                String here = hasLast(step) ? WITH_LAST + at : at;
                if (here.equals(step) && once.compareAndSet(false, true)) {
                    arrived.accept(step);
                    awaitQuietly(go);
                }
            };
            Thread thread = new Thread(
                    () -> {
                        try {
                            run(step, stop);
                        } catch (TransactionAbortedException e) {
                            results.put(step, "ABORTED");
                        } catch (OutcomeUnknownException e) {
                            results.put(step, "UNKNOWN");
                        } catch (SQLException | TenonException e) {
                            results.put(step, "BROKEN");
                        }
                    },
                    step);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** What each was told, when all are over. */
    Map<String, String> results() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        clusters.forEach(Cluster::close);
        return results;
    }

    static void awaitQuietly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // It waits, whatever its caller thinks of that.
            }
        }
    }
}
