package dev.tenon.testkit;

import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link WorkerIdSourceContract} that is about a store that may have forgotten who holds what (a group that
 * is not there is the simplest way), and what all parts need. A backend's test extends that one, and shows its own ways
 * to forget.
 */
public abstract class ForgottenWorkerIdContract {
    static final int THREADS = 8;
    static final String LAYOUT = "unit PT0.001S, time 41, worker 10, sequence 12";
    static final Duration LEASE = Duration.ofSeconds(30);
    /** A store may round the end of a lease up, as it keeps instants in milliseconds. */
    static final Duration LEASE_ROUNDED = LEASE.plusMillis(1);

    static final Duration RESERVE = Duration.ofSeconds(40);
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final Instant NOW = Instant.now().truncatedTo(MILLIS);

    String group = "";

    /** The worker IDs of a group, as one process has them. */
    protected abstract WorkerIdSource source(String group);

    /** The same group, as another process has it; the same source where there can be no other process. */
    protected WorkerIdSource otherSource(String group) {
        return source(group);
    }

    /** Whether the store can forget while those who hold its worker IDs live. */
    protected boolean mayForget() {
        return true;
    }

    /** A lease short enough to be waited for, and long enough for a few calls. */
    protected Duration shortLease() {
        return Duration.ofMillis(400);
    }

    /** Waits until a lease is over by the store's clock; moves that clock where the test may. */
    protected void awaitEnd(WorkerIdSource source, int workerId) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> view(source, workerId).leaseLeft().isZero());
    }

    static WorkerSlotView view(WorkerIdSource source, int workerId) {
        return source.census().stream()
                .filter(view -> view.workerId() == workerId)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Claims a slot as soon as the store gives one, and a wanted one is no longer held; moves its clock where the test
     * may.
     */
    protected WorkerSlot awaitClaim(WorkerIdSource source, WorkerClaim claim) {
        return await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptionsMatching(failure ->
                        failure instanceof WorkerIdsForgottenException || failure instanceof WorkerIdTakenException)
                .until(() -> source.claim(claim), slot -> true);
    }

    @BeforeEach
    void chooseGroup() {
        group = "contract:" + UUID.randomUUID();
    }

    static WorkerClaim claim(int capacity, Instant now) {
        return claim(UUID.randomUUID().toString(), capacity, LEASE, now);
    }

    static WorkerClaim claim(String requestId, int capacity, Duration lease, Instant now) {
        return new WorkerClaim(requestId, "someone", LAYOUT, capacity, lease, now, RESERVE).inNewStore();
    }

    /** As those who don't know whether the store is new. */
    private static WorkerClaim unsure(Duration lease) {
        return new WorkerClaim(UUID.randomUUID().toString(), "someone", LAYOUT, 8, lease, NOW, RESERVE);
    }

    /** A store whose users are gone when it forgets does not make anybody wait. */
    private boolean givesAtOnce() {
        if (!mayForget()) {
            assertThat(source(group).claim(unsure(LEASE)).workerId()).isZero();
        }
        return !mayForget();
    }

    private WorkerIdsForgottenException refused(WorkerIdSource source, WorkerClaim claim) {
        return catchThrowableOfType(WorkerIdsForgottenException.class, () -> source.claim(claim));
    }

    @Test
    void aGroupThatIsNotThereGivesNothingUntilALeaseIsOver() {
        if (givesAtOnce()) {
            return;
        }
        WorkerIdsForgottenException refusal = refused(source(group), unsure(LEASE));
        assertThat(refusal.retryAfter()).isBetween(Duration.ofSeconds(20), LEASE_ROUNDED);
        assertThat(refusal).hasMessageContaining(group).hasMessageContaining("restarted, restored, emptied, or is new");
        assertThat(source(group).census()).isEmpty();

        Duration left = refused(otherSource(group), unsure(shortLease())).retryAfter();
        assertThat(left).as("it counts from the first").isLessThanOrEqualTo(refusal.retryAfter());
        assertThat(refused(source(group), claim(8, NOW)))
                .as("it is no longer new")
                .isNotNull();
        assertThat(refused(source(group), unsure(LEASE).wanting(3))).isNotNull();
    }

    @Test
    void thenItGivesThem() {
        if (givesAtOnce()) {
            return;
        }
        assertThat(refused(source(group), unsure(shortLease()))).isNotNull();
        WorkerSlot slot = awaitClaim(otherSource(group), unsure(shortLease()));
        assertThat(source(group).claim(unsure(LEASE)).workerId()).isNotEqualTo(slot.workerId());
    }

    @Test
    void aLongerLeaseThanThatOfTheFirstIsWaitedForToo() {
        if (givesAtOnce()) {
            return;
        }
        assertThat(refused(source(group), unsure(Duration.ofSeconds(20)))).isNotNull();
        source(group).claim(unsure(LEASE).keeping(2, 7));
        assertThat(refused(source(group), unsure(Duration.ofSeconds(20))).retryAfter())
                .isGreaterThan(Duration.ofSeconds(20));
    }

    @Test
    void whatIsKeptIsGivenAtOnceAndToNobodyElse() {
        if (givesAtOnce()) {
            return;
        }
        WorkerClaim keep = unsure(LEASE).keeping(0, 1234);
        WorkerSlot kept = source(group).claim(keep);
        assertThat(kept.workerId()).isZero();
        assertThat(kept.claim()).isGreaterThan(1234);
        assertThat(kept.fence()).isEqualTo(NOW.plus(RESERVE));
        assertThat(source(group).renew(kept, LEASE, NOW)).isTrue();
        assertThat(source(group).renew(new WorkerSlot(0, 1234, NOW, NOW), LEASE, NOW))
                .as("the claim of before")
                .isFalse();
        assertThat(otherSource(group).claim(keep)).as("repeated").isEqualTo(kept);
        assertThat(source(group).census()).hasSize(1);
    }

    @Test
    void ofTwoThatKeepOneSlotTheLaterClaimHasIt() {
        if (givesAtOnce()) {
            return;
        }
        WorkerSlot older = source(group).claim(unsure(LEASE).keeping(5, 1));
        WorkerSlot newer = otherSource(group).claim(unsure(LEASE).keeping(5, older.claim() + 1_000_000_000_000L));
        assertThat(newer.claim()).isGreaterThan(older.claim() + 1_000_000_000_000L);
        assertThat(source(group).renew(older, LEASE, NOW)).isFalse();
        assertThatThrownBy(() -> source(group).claim(unsure(LEASE).keeping(5, older.claim())))
                .isInstanceOf(WorkerIdTakenException.class);
        assertThat(otherSource(group).renew(newer, LEASE, NOW)).isTrue();
    }

    @Test
    void whoeverClaimsToKeepTheGreatestNumberIsInNobodysWay() {
        if (givesAtOnce()) {
            return;
        }
        assertThatThrownBy(() -> unsure(LEASE).keeping(5, WorkerClaim.Kept.NUMBER_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> unsure(LEASE).keeping(5, -1)).isInstanceOf(IllegalArgumentException.class);
        WorkerSlot greatest = source(group).claim(unsure(shortLease()).keeping(5, WorkerClaim.Kept.NUMBER_MAX));
        assertThat(greatest.claim()).isGreaterThan(WorkerClaim.Kept.NUMBER_MAX);
        WorkerSlot other = source(group).claim(unsure(shortLease()).keeping(6, 1));
        assertThat(otherSource(group).renew(other, shortLease(), NOW)).isTrue();
        // Again, should a busy machine take longer for the two than the lease lasts.
        await().atMost(PATIENCE).until(() -> {
            WorkerSlot next = awaitClaim(source(group), unsure(shortLease()).wanting(5));
            assertThat(next.claim()).isGreaterThan(greatest.claim());
            return source(group).renew(next, LEASE, NOW);
        });
    }

    @Test
    void whoKeepsWhatTheStoreKnowsHasItAnewAsItWas() {
        WorkerSlot slot = source(group).claim(claim("r-" + group, 8, Duration.ofSeconds(14), NOW));
        WorkerSlot kept = otherSource(group)
                .claim(claim("k-" + group, 8, LEASE, NOW.plusSeconds(5)).keeping(slot.workerId(), slot.claim()));
        assertThat(kept.claim()).isEqualTo(slot.claim());
        assertThat(kept.fence()).isEqualTo(NOW.plusSeconds(5).plus(RESERVE));
        assertThat(view(source(group), slot.workerId()).leaseLeft()).isGreaterThan(Duration.ofSeconds(20));
        assertThat(source(group).renew(slot, LEASE, NOW)).isTrue();
    }

    @Test
    void aStoreThatHasNotForgottenIsToldNothing() {
        WorkerSlot slot = source(group).claim(claim(8, NOW));
        source(group).release(slot, NOW);
        assertThatThrownBy(() -> source(group).claim(claim(8, NOW).keeping(slot.workerId(), slot.claim())))
                .as("given up")
                .isInstanceOf(WorkerIdTakenException.class);
        assertThatThrownBy(() -> source(group).claim(claim(8, NOW).keeping(7, 99)))
                .as("never claimed")
                .isInstanceOf(WorkerIdTakenException.class);
        assertThat(view(source(group), slot.workerId()).leaseLeft()).isZero();
    }
}
