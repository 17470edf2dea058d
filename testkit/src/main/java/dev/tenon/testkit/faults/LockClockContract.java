package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.FencingGuard;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture.Backend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * What locks do when somebody sets the clock of the store's host, for stores whose leases and tokens go by it.
 * Forwards: leases may end early, and the fence still protects. Backwards: time stands still for what is held, and
 * tokens go on rising.
 */
public abstract class LockClockContract {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofHours(1);

    /** The kind of store. */
    protected abstract LockStoreFixture fixture();

    /** A server of the kind, whose clock can be set. */
    protected abstract TestServer startWithClock();

    @Test
    void aClockThatIsSetTakesNoTokenBackAndTheFenceHolds() throws Exception {
        FencingGuard guard = FencingGuard.remembering(10);
        try (TestServer server = startWithClock()) {
            String place = fixture().newPlace(server);
            try (Backend one = fixture().open(place);
                    Backend other = fixture().open(place);
                    Locks here = Locks.over(one.store());
                    Locks there = Locks.over(other.store())) {
                Lease early =
                        here.lock("x", LockOptions.DEFAULT.withoutRenewal()).acquire(PATIENCE);
                guard.check("x", early.token());
                server.setClock(STEP);
                Lease next = there.lock("x").acquire(PATIENCE);
                // Thirty seconds were promised, by a clock that was not to be trusted: only the fence can tell.
                assertThat(early.state()).isEqualTo(Lease.State.HELD);
                guard.check("x", next.token());
                assertThatThrownBy(() -> guard.check("x", early.token())).isInstanceOf(StaleTokenException.class);
                early.close();
                assertThat(there.validate("x", next.token())).isTrue();

                server.setClock(STEP.negated());
                CompletableFuture<Lease> waiter =
                        here.lock("x").acquireAsync(PATIENCE).toCompletableFuture();
                Awaitility.await()
                        .atMost(PATIENCE)
                        .until(() -> here.inspect("x").orElseThrow().queue().size() == 1);
                assertThat(there.validate("x", next.token())).isTrue();
                next.close();
                Lease last = waiter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(last.token()).isGreaterThan(next.token());
                guard.check("x", last.token());
                last.close();
                Lease behind = there.lock("x").acquire(PATIENCE);
                assertThat(behind.token()).isGreaterThan(last.token());
                behind.close();
                assertThat(here.inspect("x")).isEmpty();

                server.setClock(Duration.ZERO);
                try (Lease again = here.lock("x").acquire(PATIENCE)) {
                    assertThat(again.token()).isGreaterThan(behind.token());
                }
            }
        }
    }
}
