package dev.tenon.client;

import static dev.tenon.client.Sessions.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.testkit.DefinitionStoreContract;
import dev.tenon.testkit.LockStoreContract;
import dev.tenon.testkit.MultiLockStoreContract;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.RangeStoreContract;
import dev.tenon.testkit.WorkerIdSourceContract;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The contracts of stores against three servers, of which the leader is killed (and started again) while the suite
 * runs.
 */
@Tag("soak")
class ClientClusterTest {
    @RegisterExtension
    static final LeaderKills KILLS = new LeaderKills();

    @Nested
    @LeaderDies(
            during = "aListingHasEveryHeldLockOfThePrefixInOrder",
            servingOneBefore = "randomScriptsHaveTheAnswersOfTheMachine")
    class Locks extends LockStoreContract {
        @Override
        protected LockStore store() {
            return KILLS.here().lockStore();
        }

        @Override
        protected LockStore otherStore() {
            return KILLS.there().lockStore();
        }
    }

    @Nested
    @LeaderDies(during = "nobodyIsQueuedForAll", serving = true)
    class SeveralLocks extends MultiLockStoreContract {
        @Override
        protected MultiLockStore store() {
            return KILLS.here().lockStore();
        }
    }

    @Nested
    @LeaderDies(
            during = "ofEightDefinitionsAtOnceOneWins",
            servingOneBefore = "noNumberIsGivenTwiceToEightThreadsAndNoneIsLeftOut")
    class Ranges extends RangeStoreContract {
        @Override
        protected RangeStore store() {
            return KILLS.here().ranges();
        }

        @Override
        protected RangeStore otherStore() {
            return KILLS.there().ranges();
        }

        /** Each is an entry of its own on three disks. */
        @Override
        protected int callsPerThread() {
            return 20;
        }
    }

    @Nested
    @LeaderDies(during = "whoTakesTurnsOnOneSlotNeverSharesATimestamp", serving = true)
    class WorkerIds extends WorkerIdSourceContract {
        @Override
        protected WorkerIdSource source(String group) {
            return KILLS.here().workerIds(group);
        }

        @Override
        protected WorkerIdSource otherSource(String group) {
            return KILLS.there().workerIds(group);
        }
    }

    @Nested
    @LeaderDies(during = "ofEightDefinitionsAtOnceOneWinsForAll", serving = true)
    class Definitions extends DefinitionStoreContract {
        @Override
        protected DefinitionStore store() {
            return KILLS.here().definitions();
        }

        @Override
        protected DefinitionStore otherStore() {
            return KILLS.there().definitions();
        }

        /** A server stores nothing that it can't read. */
        @Override
        protected String text(String seed) {
            return "{\"kind\":\"uuid\",\"prefix\":\"" + seed + "\"}";
        }
    }

    /** What no contract asks, as it has one store that is always there. */
    @Nested
    class Waiters {
        /** A machine that stands still for longer spoils what it shows. */
        private static final Duration SHORT = Duration.ofSeconds(3);

        private final String name = "cluster-" + UUID.randomUUID();
        /** Longer than servers may take to be back. */
        private final LockOptions forLong = LockOptions.DEFAULT.withLease(Duration.ofMinutes(5));

        private final TenonClient another = Clients.of(KILLS.servers().addresses("n1"));

        @AfterEach
        void close() {
            another.close();
        }

        @Test
        void whoHoldsAndWhoWaitsAtALeaderThatIsKilledDoSoAtTheNext() throws Exception {
            KILLS.servers().lead("n1");
            Lease held = KILLS.here().locks().lock(name, forLong).acquire(Clients.PATIENCE);
            CompletableFuture<Lease> waiting = another.locks()
                    .lock(name, forLong)
                    .acquireAsync(Duration.ofMinutes(2))
                    .toCompletableFuture();
            await().atMost(Clients.PATIENCE)
                    .until(() -> KILLS.there()
                                    .locks()
                                    .inspect(name)
                                    .orElseThrow()
                                    .queue()
                                    .size()
                            == 1);
            KILLS.servers().kill("n1");
            KILLS.servers().launch("n1");
            assertThat(KILLS.there().locks().validate(name, held.token())).isTrue();
            assertThat(KILLS.here().locks().validate(name, held.token())).isTrue();
            assertThat(held.state()).isNotEqualTo(Lease.State.LOST);
            held.close();
            try (Lease next = waiting.get(60, TimeUnit.SECONDS)) {
                assertThat(next.token()).isGreaterThan(held.token());
            }
        }

        /**
         * A request that stood in the line of a server, while its client had it done by another and gave the lock back.
         */
        @Test
        void anAcquireThatComesAfterItsReleaseHoldsForItsLeaseAndNoLonger() throws Exception {
            Punctual.judge(SHORT.dividedBy(3), () -> another.locks().inspect(name), this::acquireAfterRelease);
        }

        private void acquireAfterRelease() throws Exception {
            LockStore here = KILLS.here().lockStore();
            String session = Sessions.open(here);
            String name = "late-" + session;
            Acquire request =
                    new Acquire(name, session, UUID.randomUUID().toString(), "test", Optional.of(SHORT), Duration.ZERO);
            long token = token(join(KILLS.there().lockStore().acquire(request)));
            assertThat(join(KILLS.there().lockStore().release(List.of(new Release(name, token)))))
                    .containsExactly(Released.FREED);
            long late = token(join(here.acquire(request)));
            assertThat(late).isGreaterThan(token);
            // Nobody knows that token, and nobody renews it.
            try (Lease next =
                    another.locks().lock(name).tryAcquire(Clients.PATIENCE).orElseThrow()) {
                assertThat(next.token()).isGreaterThan(late);
            }
        }

        private static long token(Outcome outcome) {
            assertThat(outcome).isInstanceOf(Outcome.Granted.class);
            return ((Outcome.Granted) outcome).token();
        }
    }
}
