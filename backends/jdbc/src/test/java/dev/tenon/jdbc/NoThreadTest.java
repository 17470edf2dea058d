package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.testkit.RecordedEvents;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a call when the system gives no thread for it. */
class NoThreadTest {
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final TimeSource time = TimeSource.system();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final LinkPool links = new LinkPool(() -> new Link(DriverManager.getConnection(url)), 4, WAIT, time);
    private final AtomicInteger refusals = new AtomicInteger();

    @AfterEach
    void close() {
        threads.shutdownNow();
        links.close();
    }

    /**
     * A store that runs out of threads, as a {@link java.util.concurrent.ThreadPoolExecutor} finds out, when the test
     * wants it.
     */
    private JdbcLockStore store() {
        Dialect dialect = Dialect.ofUrl(url);
        Shortcuts shortcuts = new Shortcuts(dialect, false);
        SqlCalls sql = new SqlCalls(links, dialect, new Schema(dialect, shortcuts, true), time);
        Bell bell = new NoBell();
        LockCalls calls = new LockCalls(dialect, shortcuts, "test", bell);
        JdbcLockStore.Parts parts = new JdbcLockStore.Parts(
                sql,
                calls,
                new LockCallsOfMany(calls, dialect, shortcuts),
                new LockListing(sql, dialect),
                new SessionBook(time, LockMachine.CLAIM_LEASE),
                bell);
        StoreTraits traits = new StoreTraits(
                StoreTraits.TokenSource.STORE_CLOCK, StoreTraits.Push.TIMED, true, false, Duration.ofMillis(1));
        return new JdbcLockStore(parts, traits, task -> {
            if (refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new Error(
                        "unable to create a thread, as this test wants it"); // an OutOfMemoryError would end JUnit
            }
            threads.execute(task);
        });
    }

    @Test
    void theCallSaysSoAndDoesNotThrow() {
        LockStore store = store();
        refusals.set(1);
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "owner", Duration.ofMinutes(5));
        assertThat(store.open(spec, new RecordedEvents()).toCompletableFuture())
                .failsWithin(WAIT)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(OutcomeUnknownException.class);
        store.close();
    }

    @Test
    void theNextAcquireSucceeds() throws Exception {
        LockStore store = store();
        try (Locks locks = Locks.over(store)) {
            refusals.set(3);
            assertThatThrownBy(() -> locks.lock("x").tryAcquire()).isInstanceOf(OutcomeUnknownException.class);
            try (Lease lease = locks.lock("x").acquire(WAIT)) {
                assertThat(locks.validate("x", lease.token())).isTrue();
            }
        }
        store.close();
    }
}
