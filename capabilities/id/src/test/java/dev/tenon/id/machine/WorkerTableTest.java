package dev.tenon.id.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class WorkerTableTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration RESERVE = Duration.ofSeconds(40);

    private final WorkerTable table = new WorkerTable();

    private static WorkerClaim claim(String requestId, int capacity, Instant now) {
        return new WorkerClaim(requestId, "me", "41/10/12", capacity, LEASE, now, RESERVE).inNewStore();
    }

    @Test
    void aLeaseEndsAtItsInstantNotBefore() {
        WorkerSlot slot = table.claim("g", claim("r1", 1, NOW), NOW);
        Instant last = NOW.plus(LEASE).minusMillis(1);

        assertThatThrownBy(() -> table.claim("g", claim("r2", 1, NOW), last))
                .isInstanceOf(WorkerIdsExhaustedException.class)
                .hasMessageContaining("0 by me since 2026-11-21T12:00:00Z");
        WorkerSlot next = table.claim("g", claim("r2", 1, NOW), NOW.plus(LEASE));

        assertThat(next)
                .isEqualTo(new WorkerSlot(
                        0, next.claim(), slot.fence(), slot.fence().plus(RESERVE)));
        assertThat(next.claim()).isGreaterThan(slot.claim());
        assertThat(table.renew("g", slot, LEASE, NOW, NOW.plus(LEASE))).isFalse();
    }

    /** Else the same log would lead to another state than it did. */
    @Test
    void whatWasLoggedBeforeStoresCouldForgetIsAppliedAsItWas() {
        WorkerSlot first = claim(claim("r1", 8, NOW), ClaimTerms.COUNTED);
        assertThat(first.claim()).isEqualTo(1);
        table.release("g", first, NOW.minusSeconds(1), NOW);
        assertThat(claim(claim("r2", 8, NOW), ClaimTerms.COUNTED).claim()).isEqualTo(2);
        assertThat(table.export().get(0).settling()).isEqualTo(WorkerTable.Settling.NONE);
    }

    @Test
    void theStoresOwnProcessGetsTheHighestWhileOthersMayHoldTheRest() {
        ClaimTerms own = ClaimTerms.own("first");
        assertThat(claim(claim("own", 8, NOW), own).workerId()).isEqualTo(7);
        assertThat(table.isSeenIn("g", "first")).as("starts nobody's wait").isFalse();
        assertThat(claim(claim("r1", 8, NOW), ClaimTerms.in("first")).workerId())
                .as("nobody but that process was here, and the store is new")
                .isZero();
        assertThat(claim(claim("own2", 8, NOW), own).workerId())
                .as("all is known")
                .isEqualTo(1);
        ClaimTerms again = ClaimTerms.own("second");
        assertThat(claim(claim("own3", 8, NOW), again).workerId()).isEqualTo(6);
        assertThat(table.claim("g", claim("r2", 8, NOW), "second", NOW).left()).isEqualTo(LEASE);
        assertThat(claim(claim("own4", 8, NOW), again).workerId()).isEqualTo(5);
    }

    private WorkerSlot claim(WorkerClaim claim, ClaimTerms terms) {
        return table.claim("g", claim, terms, NOW).orThrow("g");
    }

    @Test
    void anExpiredClaimIsOverEvenIfNobodyTookItsSlot() {
        WorkerSlot slot = table.claim("g", claim("r1", 1, NOW), NOW);
        List<WorkerTable.Group> before = table.export();

        assertThat(table.renew("g", slot, LEASE, NOW.plusSeconds(900), NOW.plus(LEASE)))
                .isFalse();
        table.release("g", slot, NOW, NOW.plus(LEASE));

        assertThat(table.export()).isEqualTo(before);
    }

    @Test
    void roundsAFenceUpToTheMillisecond() {
        WorkerSlot slot = table.claim("g", claim("r1", 1, NOW.plusNanos(1)), NOW);
        assertThat(slot.fence()).isEqualTo(NOW.plus(RESERVE).plusMillis(1));

        Instant fence = NOW.plusSeconds(100).plusNanos(999_999);
        assertThat(table.renew("g", slot, LEASE, fence, NOW)).isTrue();
        assertThat(table.census("g", NOW).get(0).fence())
                .isEqualTo(NOW.plusSeconds(100).plusMillis(1));
    }

    @Test
    void keepsTheFenceAboveWhatEarlierHoldersUsed() {
        WorkerSlot first = table.claim("g", claim("r1", 1, NOW), NOW);
        table.release("g", first, NOW.plusSeconds(5), NOW);
        WorkerSlot second = table.claim("g", claim("r2", 1, NOW), NOW);
        assertThat(second.floor()).isEqualTo(NOW.plusSeconds(5));

        table.release("g", second, Instant.EPOCH, NOW);
        assertThat(table.claim("g", claim("r3", 1, NOW), NOW).floor()).isEqualTo(NOW.plusSeconds(5));
    }

    @Test
    void namesTenHoldersAndCountsTheOthers() {
        for (int i = 0; i < 12; i++) {
            table.claim("g", claim("r" + i, 12, NOW), NOW);
        }
        assertThatThrownBy(() -> table.claim("g", claim("r", 12, NOW), NOW))
                .isInstanceOf(WorkerIdsExhaustedException.class)
                .hasMessageContaining("9 by me")
                .hasMessageNotContaining("10 by me")
                .hasMessageContaining("and 2 more");
    }

    @Test
    void whoHoldsTheWantedSlotIsNamed() {
        table.claim("g", claim("r1", 8, NOW).wanting(5), NOW);
        List<WorkerTable.Group> before = table.export();
        assertThatThrownBy(() -> table.claim("g", claim("r2", 8, NOW).wanting(5), NOW.plusSeconds(10)))
                .isInstanceOf(WorkerIdTakenException.class)
                .hasMessageContaining("5 by me since 2026-11-21T12:00:00Z")
                .hasMessageContaining("20.0 s of lease left");
        assertThat(table.export()).isEqualTo(before);
    }

    @Test
    void aWantedSlotMayLeaveGapsThatAreFilledFirst() {
        table.claim("g", claim("r1", 3, NOW).wanting(1), NOW);
        assertThat(table.claim("g", claim("r2", 3, NOW), NOW).workerId()).isEqualTo(0);
        assertThat(table.claim("g", claim("r3", 3, NOW), NOW).workerId()).isEqualTo(2);
        assertThatThrownBy(() -> table.claim("g", claim("r4", 3, NOW), NOW))
                .isInstanceOf(WorkerIdsExhaustedException.class);
    }

    @Test
    void aWantedSlotOutsideTheGroupIsRefused() {
        for (int bad : new int[] {-1, 3, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> claim("r", 3, NOW).wanting(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("between 0 and 2");
        }
        assertThat(claim("r", 3, NOW).wanting(2).wanted()).hasValue(2);
    }

    @Test
    void aRefusedFirstClaimDefinesNothing() {
        assertThatThrownBy(() -> table.claim("", claim("r", 1, NOW), NOW)).isInstanceOf(IllegalArgumentException.class);
        assertThat(table.export()).isEmpty();
        table.claim("g", claim("r", 4, NOW), NOW);
        assertThatThrownBy(() -> table.claim("g", claim("r2", 8, NOW), NOW))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining("4 worker IDs")
                .hasMessageContaining("8");
    }

    /** Whatever holders and clocks do, the stretches of time that claims of one slot may use never overlap. */
    @Property
    void noTimestampOfASlotBelongsToTwoClaims(
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 999) Integer> script) {
        WorkerTable table = new WorkerTable();
        WorkerTable copy = new WorkerTable();
        Map<Integer, Instant> used = new HashMap<>();
        List<WorkerSlot> held = new ArrayList<>();
        Map<WorkerSlot, Instant> fences = new HashMap<>();
        Instant now = NOW;
        for (int step : script) {
            now = now.plusSeconds(step % 7);
            Instant claimantNow = now.plusSeconds(step % 90 - 60);
            if (held.isEmpty() || step % 3 == 0) {
                WorkerClaim any = claim("r" + held.size(), 2, claimantNow);
                WorkerClaim claim = step % 4 == 0 ? any.wanting(step % 5 % 2) : any;
                try {
                    WorkerSlot slot = table.claim("g", claim, now);
                    assertThat(slot.floor()).isAfterOrEqualTo(used.getOrDefault(slot.workerId(), Instant.EPOCH));
                    used.put(slot.workerId(), slot.fence());
                    held.add(slot);
                    fences.put(slot, slot.fence());
                    copy.claim("g", claim, now);
                } catch (WorkerIdTakenException e) {
                    int taken = claim.wanted().orElseThrow();
                    assertThat(table.census("g", now))
                            .anyMatch(view -> view.workerId() == taken
                                    && !view.leaseLeft().isZero());
                } catch (WorkerIdsExhaustedException e) {
                    assertThat(table.census("g", now))
                            .allMatch(view -> !view.leaseLeft().isZero());
                }
            } else {
                WorkerSlot slot = held.get(step % held.size());
                if (step % 3 == 1) {
                    boolean renewed = table.renew("g", slot, LEASE, claimantNow.plus(RESERVE), now);
                    if (renewed) {
                        Instant fence = later(fences.get(slot), claimantNow.plus(RESERVE));
                        fences.put(slot, fence);
                        used.merge(slot.workerId(), fence, WorkerTableTest::later);
                    }
                    copy.renew("g", slot, LEASE, claimantNow.plus(RESERVE), now);
                } else {
                    boolean live = table.renew("g", slot, Duration.ofMillis(1), Instant.EPOCH, now);
                    table.release("g", slot, slot.floor().plusMillis(1), now);
                    if (live) {
                        used.put(slot.workerId(), slot.floor().plusMillis(1));
                    }
                    copy.renew("g", slot, Duration.ofMillis(1), Instant.EPOCH, now);
                    copy.release("g", slot, slot.floor().plusMillis(1), now);
                }
            }
            copy = WorkerTable.of(copy.export());
        }
        assertThat(copy.export()).isEqualTo(table.export());
    }

    private static Instant later(Instant a, Instant b) {
        return a.isBefore(b) ? b : a;
    }
}
