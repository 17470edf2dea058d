package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture.Backend;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store whose disk is full, so that it can change nothing: it refuses, or ends. */
public abstract class LockFullDiskContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final LockOptions LONG_LEASE = LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));

    /** The store. */
    protected abstract LockStoreFixture fixture();

    /** The greatest size of a file with which the store can write nothing any more. */
    protected long full() {
        return 8192;
    }

    @Test
    void aFullDiskIsAClearErrorAndWhatIsHeldIsHeldWhenThereIsSpaceAgain() throws Exception {
        LockStoreFixture fixture = fixture();
        try (TestServer server = fixture.start();
                Backend backend = fixture.open(fixture.newPlace(server));
                Locks locks = Locks.over(backend.store())) {
            Lease held = locks.lock("held", LONG_LEASE).acquire(PATIENCE);
            server.limitFiles(full());

            // Some take what fits into a buffer, or into a second's work, before they look at the disk.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(() -> locks.lock("full", LONG_LEASE)
                                    .acquire(Duration.ofSeconds(2))
                                    .close())
                            .isInstanceOfAny(BackendUnavailableException.class, OutcomeUnknownException.class));
            assertThat(held.remaining()).isPositive();

            if (server.running()) {
                server.unlimitFiles();
            }
            server.restart();

            await().atMost(PATIENCE).ignoreExceptions().until(() -> locks.validate("held", held.token()));
            assertThat(locks.lock("held").tryAcquire()).isEmpty();
            try (Lease after = locks.lock("full", LONG_LEASE).acquire(PATIENCE)) {
                assertThat(after.token()).isPositive();
            }
            held.close();
            assertThat(locks.inspect("held")).isEmpty();
        }
    }
}
