package dev.tenon.jdbc;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.duplicates.ExactIdSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * IDs from four JVMs of eight threads each, with worker IDs leased from one PostgreSQL, and every ID checked against
 * all others. Meanwhile JVMs are killed and started again with the clock set back by up to a minute, two of them are
 * ten minutes before and behind the others, leases are stolen and their worker IDs used by the thief, and the database
 * is killed and restarted. {@code scripts/soak-ids} runs it as a program, {@link IdSoakTest} in short.
 */
final class IdSoak implements AutoCloseable {
    static final String GROUP = "soak";

    private static final String STEAL = "UPDATE tenon_worker SET lease_end = 0 WHERE group_name = ? AND worker_id = ?";
    private static final List<Duration> OFFSETS =
            List.of(Duration.ZERO, Duration.ofMinutes(10), Duration.ofMinutes(-10), Duration.ofSeconds(-3));
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int THEFTS_PER_OUTAGE = 3;
    private static final int STOLEN_IDS = 20_000;
    private static final int SHOWN_MAX = 10;

    private final Path folder;
    private final Aim aim;
    private final Consumer<String> progress;
    private final PostgresServer server = PostgresServer.startDurable();
    private final SqlAddress address = server.address();
    private final JdbcBackend database = TwoBackends.connect(address);
    private final WorkerIdSource workers = database.workerIds(GROUP);

    private final ReentrantLock checking = new ReentrantLock();
    private final ExactIdSet seen = new ExactIdSet();
    private final AtomicInteger kills = new AtomicInteger();
    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicInteger thefts = new AtomicInteger();
    private final AtomicInteger outages = new AtomicInteger();
    private final StringBuilder duplicates = new StringBuilder();
    private long duplicated;

    private volatile boolean over;

    /** Tells {@code progress} after each life of a JVM. */
    IdSoak(Path folder, Aim aim, Consumer<String> progress) {
        this.folder = folder;
        this.aim = aim;
        this.progress = progress;
    }

    /**
     * When it is enough.
     *
     * @param ids so many IDs
     * @param faults so many kills, and so many thefts; and one outage of the database at least
     * @param life how long a JVM lives at most
     */
    record Aim(long ids, int faults, Duration life) {}

    /** What came of it. */
    record Report(long ids, long duplicated, String duplicates, int kills, int closes, int thefts, int outages) {
        String summary() {
            return duplicates
                    + String.format(
                            Locale.ROOT,
                            "%,d IDs, %d of them wrong; %d kills, %d orderly ends, %d stolen leases, %d outages of the database",
                            ids,
                            duplicated,
                            kills,
                            closes,
                            thefts,
                            outages);
        }
    }

    /** Arguments: how many IDs, and a folder for some GB of records. */
    public static void main(String[] args) throws Exception {
        Path folder = Files.createDirectories(Path.of(args[1]));
        Instant start = Instant.now();
        Report report;
        try (IdSoak soak =
                new IdSoak(folder, new Aim(Long.parseLong(args[0]), 20, Duration.ofSeconds(20)), System.out::println)) {
            report = soak.run();
        }
        System.out.println(report.summary() + " in " + Duration.between(start, Instant.now()));
        System.exit(report.duplicated() == 0 ? 0 : 1);
    }

    Report run() throws Exception {
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            List<Future<Void>> lanes = Stream.concat(
                            IntStream.range(0, OFFSETS.size()).mapToObj(lane -> untilOver(() -> lives(lane))),
                            Stream.of(untilOver(this::faults)))
                    .map(executor::submit)
                    .toList();
            for (Future<Void> lane : lanes) {
                lane.get();
            }
        } finally {
            executor.shutdownNow();
        }
        return report();
    }

    private Report report() {
        return new Report(
                seen.size(), duplicated, duplicates.toString(), kills.get(), closes.get(), thefts.get(), outages.get());
    }

    /** What fails ends the whole. */
    private Callable<Void> untilOver(Callable<Void> work) {
        return () -> {
            try {
                return work.call();
            } finally {
                over = true;
            }
        };
    }

    private boolean enough() {
        checking.lock();
        try {
            return duplicated > 0
                    || seen.size() >= aim.ids()
                            && kills.get() >= aim.faults()
                            && thefts.get() >= aim.faults()
                            && outages.get() > 0;
        } finally {
            checking.unlock();
        }
    }

    /** One JVM after the other, each with the clock of its machine set anew. */
    private Void lives(int lane) throws IOException {
        Random random = new Random(lane);
        for (int life = 0; !over && !enough(); life++) {
            Duration offset = OFFSETS.get(lane).minusMillis(random.nextInt(60_000));
            Path records = Files.createDirectories(folder.resolve(lane + "-" + life));
            try (ForkedJvm jvm = ForkedJvm.start(
                    IdSoakProcess.class,
                    List.of("-XX:TieredStopAtLevel=4", "-Xmx256m"),
                    address.url(),
                    address.user(),
                    address.password(),
                    records.toString(),
                    String.valueOf(offset.toMillis()),
                    String.valueOf(random.nextInt()))) {
                if (awaitUp(jvm)) {
                    live(jvm, Duration.ofMillis((long) (aim.life().toMillis() * (0.3 + 0.7 * random.nextDouble()))));
                    end(jvm, random);
                }
            }
            check(records);
        }
        return null;
    }

    /** One that was started while the database was away ends by itself. */
    private boolean awaitUp(ForkedJvm jvm) {
        String line = jvm.nextLine(PATIENCE);
        progress.accept(line);
        return line.equals("up");
    }

    private void end(ForkedJvm jvm, Random random) {
        if (jvm.errors().contains("Exception in thread")) {
            throw new IllegalStateException("A thread ended by itself: " + jvm.errors());
        }
        if (random.nextInt(4) == 0) {
            jvm.closeInput();
            jvm.awaitExit(PATIENCE);
            closes.incrementAndGet();
        } else {
            jvm.kill();
            kills.incrementAndGet();
        }
    }

    private void live(ForkedJvm jvm, Duration life) {
        long until = System.nanoTime() + life.toNanos();
        while (!over && System.nanoTime() < until) {
            TimeSource.system().park(Duration.ofMillis(20));
            if (!jvm.running()) {
                throw new IllegalStateException("A JVM ended by itself: " + jvm.errors());
            }
        }
    }

    private void check(Path records) throws IOException {
        long[] lastOf = new long[IdSoakProcess.LAYOUT.workers()];
        for (int i = 0; i < IdSoakProcess.THREADS; i++) {
            Path record = records.resolve("thread-" + i);
            if (Files.exists(record)) {
                checking.lock();
                try {
                    Arrays.fill(lastOf, -1);
                    IdRecord.read(record, id -> check(id, records, lastOf));
                } finally {
                    checking.unlock();
                }
                Files.delete(record);
            }
        }
        Files.delete(records);
        checking.lock();
        try {
            progress.accept(report().summary());
        } finally {
            checking.unlock();
        }
    }

    private void check(long id, Path from, long[] lastOf) {
        int worker = IdSoakProcess.LAYOUT.decode(id).workerId();
        if ((!seen.add(id) || id <= lastOf[worker]) && ++duplicated <= SHOWN_MAX) {
            duplicates
                    .append(IdSoakProcess.LAYOUT.decode(id))
                    .append(id <= lastOf[worker] ? " out of order" : " again")
                    .append(" in ")
                    .append(from)
                    .append('\n');
        }
        lastOf[worker] = id;
    }

    /** Thefts, and now and then a database that is killed and comes back with what it had stored. */
    private Void faults() {
        Random random = new Random(99);
        while (!over && !enough()) {
            TimeSource.system().park(Duration.ofMillis(500 + random.nextInt(500)));
            // By what succeeded, not by time: on a slow machine the database would never be up for long enough.
            if (thefts.get() >= (outages.get() + 1) * THEFTS_PER_OUTAGE) {
                server.kill();
                TimeSource.system().park(Duration.ofMillis(random.nextInt(3000)));
                server.restart();
                outages.incrementAndGet();
            } else {
                steal(random);
            }
        }
        return null;
    }

    /** Ends a lease behind its holder's back, and issues IDs with its worker ID. */
    private void steal(Random random) {
        try {
            List<WorkerSlotView> leased = workers.census().stream()
                    .filter(slot -> !slot.leaseLeft().isZero())
                    .toList();
            if (leased.isEmpty()) {
                return;
            }
            WorkerSlotView victim = leased.get(random.nextInt(leased.size()));
            IdSoakClock clock = new IdSoakClock(
                    Duration.between(Instant.now(), victim.fence()).minusSeconds(1));
            endLease(victim.workerId());
            try (WorkerId thief = WorkerId.builder(workers, IdSoakProcess.LAYOUT)
                    .owner("thief")
                    .leaseTime(IdSoakProcess.LEASE)
                    .wanted(victim.workerId())
                    .time(clock)
                    .lease()) {
                long[] ids = new long[STOLEN_IDS];
                SnowflakeGenerator.create(IdSoakProcess.LAYOUT, thief).fill(ids);
                record(ids);
                thefts.incrementAndGet();
            }
        } catch (TenonException | SQLException e) {
            // The database is coming up, or somebody else was faster: the next one, then.
        }
    }

    private void endLease(int workerId) throws SQLException {
        try (Connection connection = address.connect();
                PreparedStatement statement = connection.prepareStatement(STEAL)) {
            statement.setString(1, GROUP);
            statement.setInt(2, workerId);
            statement.executeUpdate();
        }
    }

    private void record(long[] ids) {
        long[] lastOf = new long[IdSoakProcess.LAYOUT.workers()];
        checking.lock();
        try {
            for (long id : ids) {
                check(id, Path.of("thief"), lastOf);
            }
        } finally {
            checking.unlock();
        }
    }

    @Override
    public void close() {
        database.close();
        server.close();
    }
}
