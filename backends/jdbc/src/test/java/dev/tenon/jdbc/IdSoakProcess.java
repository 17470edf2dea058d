package dev.tenon.jdbc;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.id.ClockMovedBackwardsException;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One process of {@link IdSoak}: eight threads draw IDs from one generator and record each, while the clock is set back
 * and forth, until standard input ends or the process is killed.
 */
public final class IdSoakProcess {
    static final int THREADS = 8;
    static final Duration LEASE = Duration.ofSeconds(2);
    /**
     * Few worker IDs, so that each goes through many hands, and a million IDs a second from each, which two cores hold
     * out: every one that the layout has is issued, up to the edge of what was reserved.
     */
    static final IdLayout LAYOUT =
            IdLayout.builder().workerBits(6).sequenceBits(10).build();

    private static final int BATCH = 1000;
    private static final Duration REFUSED = Duration.ofMillis(5);

    private final SnowflakeGenerator ids;
    private volatile boolean over;

    private IdSoakProcess(SnowflakeGenerator ids) {
        this.ids = ids;
    }

    /** Arguments: URL, user and password, folder for the records, how far the clock is off in milliseconds, seed. */
    public static void main(String[] args) throws Exception {
        Duration offset = Duration.ofMillis(Long.parseLong(args[4]));
        IdSoakClock clock = new IdSoakClock(offset);
        try (JdbcBackend database = JdbcBackend.connect(args[0], args[1], args[2]);
                WorkerId worker = WorkerId.builder(database.workerIds(IdSoak.GROUP), LAYOUT)
                        .leaseTime(LEASE)
                        .time(clock)
                        .lease()) {
            IdSoakProcess process = new IdSoakProcess(SnowflakeGenerator.create(LAYOUT, worker));
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Path record = Path.of(args[3]).resolve("thread-" + i);
                boolean filling = i % 4 == 3;
                threads.add(new Thread(() -> process.draw(record, filling)));
            }
            threads.add(new Thread(() -> process.setClock(clock, offset, new Random(Long.parseLong(args[5])))));
            threads.forEach(thread -> {
                thread.setDaemon(true);
                thread.start();
            });
            System.out.println("up");
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            process.over = true;
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            System.out.println("refused: " + e); // the database was away when this started
        }
    }

    private void draw(Path file, boolean filling) {
        long[] batch = new long[filling ? BATCH : 1];
        try (IdRecord record = IdRecord.create(file)) {
            while (!over) {
                try {
                    if (filling) {
                        ids.fill(batch);
                        for (long id : batch) {
                            record.write(id);
                        }
                    } else {
                        record.write(ids.nextId());
                    }
                } catch (LeaseLostException | ClockMovedBackwardsException | BackendUnavailableException e) {
                    TimeSource.system().park(REFUSED); // refusing is allowed; what is issued must be right
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets the clock every half second, mostly by less than the tolerance, now and then by far more. */
    private void setClock(IdSoakClock clock, Duration start, Random random) {
        while (!over) {
            TimeSource.system().park(Duration.ofMillis(200 + random.nextInt(600)));
            int span = random.nextInt(4) == 0 ? 6000 : 600;
            clock.set(start.plusMillis(random.nextInt(span) - span / 2));
        }
    }
}
