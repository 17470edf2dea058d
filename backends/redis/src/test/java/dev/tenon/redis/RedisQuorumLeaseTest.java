package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a lease of a quorum is while one of its three nodes, and then another, does not answer. */
class RedisQuorumLeaseTest {
    private static final String NAME = "stock";
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofMinutes(1);
    private static final String ALICE = "alice";
    private static final String BOB = "bob";

    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    // In the order in which the name asks them; a call that fails was refused.
    private final List<UnreliableNode> nodes = Stream.generate(
                    () -> new UnreliableNode(NAME, clock, refusing(), Duration.ZERO))
            .limit(3)
            .toList();
    private final RedisQuorumLockStore store = new RedisQuorumLockStore(unordered(), clock, timer);

    @BeforeEach
    void open() {
        for (String session : List.of(ALICE, BOB)) {
            join(store.open(new SessionSpec(session, "test", Duration.ofHours(1)), new RecordedEvents()));
        }
    }

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    @Test
    void aNodeThatIsSilentOnceHasNotSaidThatAHoldIsLost() {
        silence(2, true);
        long token = granted(ask(ALICE)).token();
        silence(2, false); // it is back, and knows nothing of the hold
        clock.advance(LEASE.dividedBy(3));
        silence(1, true);
        assertThat(renew(token, LEASE))
                .isEqualTo(new Renewed.Extended(LEASE.dividedBy(3).multipliedBy(2)));
        assertThat(renew(token, LEASE.dividedBy(6)))
                .as("no longer than a node may hold now")
                .isEqualTo(new Renewed.Extended(LEASE.dividedBy(6)));
        silence(1, false);
        assertThat(renew(token, LEASE)).isEqualTo(new Renewed.Extended(LEASE));
        clock.advance(LEASE.minusSeconds(1));
        assertThat(renew(token, LEASE)).isEqualTo(new Renewed.Extended(LEASE));
    }

    @Test
    void aHoldIsLostWhenAMajoritySaysSoOrItsTimeIsOver() {
        silence(2, true);
        long token = granted(ask(ALICE)).token();
        silence(2, false);
        silence(1, true);
        clock.advance(LEASE);
        assertThat(renew(token, LEASE)).isEqualTo(new Renewed.NotHeld());
        silence(1, false);

        long next = granted(ask(BOB)).token();
        nodes.subList(0, 2).forEach(node -> join(node.ask(each -> each.release(List.of(new Release(NAME, next))))));
        assertThat(renew(next, LEASE)).isEqualTo(new Renewed.NotHeld());
    }

    @Test
    void aLeaseOfOneThatAskedAgainIsCountedFromThen() {
        long before = granted(ask(ALICE)).token();
        assertThat(ask(BOB)).isInstanceOf(Outcome.Queued.class);
        clock.advance(LEASE.minus(LockMachine.CLAIM_LEASE));
        join(store.release(
                List.of(new Release(NAME, before)))); // hands over to Bob at the first node, who hears nothing
        silence(2, true);
        Outcome.Granted again = granted(ask(BOB));
        assertThat(again.lease())
                .as("the first node holds it for no longer")
                .isLessThanOrEqualTo(LockMachine.CLAIM_LEASE);
        silence(2, false);
        assertThat(renew(again.token(), LEASE)).isEqualTo(new Renewed.Extended(LEASE));
    }

    private void silence(int node, boolean silent) {
        nodes.get(node).failing = silent ? 1 : 0;
    }

    private Outcome ask(String session) {
        return join(store.acquire(new Acquire(NAME, session, session, session, Optional.of(LEASE), WAIT)));
    }

    private Renewed renew(long token, Duration lease) {
        return join(store.renew(List.of(new Renew(NAME, token, Optional.of(lease)))))
                .get(0);
    }

    /** So that the order of the name makes of them the order in which they are here. */
    private List<UnreliableNode> unordered() {
        List<Integer> order = QuorumNode.order(List.of(0, 1, 2), NAME);
        return Stream.of(0, 1, 2).map(i -> nodes.get(order.indexOf(i))).toList();
    }

    private static Outcome.Granted granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return (Outcome.Granted) outcome;
    }

    private static <T> T join(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isDone();
        return future.join();
    }

    private static Random refusing() {
        return new Random() {
            @Override
            public double nextDouble() {
                return 0.5;
            }

            @Override
            public int nextInt(int bound) {
                return 0;
            }
        };
    }
}
