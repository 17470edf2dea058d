package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The part of {@link WorkerIdSourceContract} that is about claims of one slot and no other, and what both parts need. A
 * backend's test extends that one.
 */
public abstract class WantedWorkerIdContract extends ForgottenWorkerIdContract {
    @Test
    void aWantedSlotIsGivenWhetherOrNotItWasEverClaimed() {
        WorkerSlot fifth = source(group).claim(claim(8, NOW).wanting(5));
        assertThat(fifth.workerId()).isEqualTo(5);
        assertThat(fifth.floor()).isEqualTo(Instant.EPOCH);
        assertThat(fifth.fence()).isEqualTo(NOW.plus(RESERVE));
        source(group).release(fifth, NOW.plusSeconds(900));

        WorkerSlot again = otherSource(group).claim(claim(8, NOW).wanting(5));
        assertThat(again.workerId()).as("whatever its fence").isEqualTo(5);
        assertThat(again.claim()).isGreaterThan(fifth.claim());
        assertThat(again.floor()).isEqualTo(NOW.plusSeconds(900));
        assertThat(again.fence()).isEqualTo(NOW.plusSeconds(900).plus(RESERVE));
        assertThat(source(group).census()).hasSize(1);
    }

    @Test
    void aWantedSlotThatIsLeasedIsRefusedAndItsHolderNamed() {
        WorkerSlot slot = source(group)
                .claim(new WorkerClaim("r-" + group, "host-7:4711 ä", LAYOUT, 8, LEASE, NOW, RESERVE).inNewStore());
        WorkerSlotView before = view(source(group), slot.workerId());
        assertThatThrownBy(() -> otherSource(group).claim(claim(8, NOW).wanting(slot.workerId())))
                .isInstanceOf(WorkerIdTakenException.class)
                .hasMessageContaining(slot.workerId() + " by host-7:4711 ä since "
                        + before.since().toString().substring(0, "2026-11-21T12".length()));
        assertThat(source(group).census()).hasSize(1);
        assertThat(source(group).renew(slot, LEASE, NOW)).isTrue();
        assertThat(view(source(group), slot.workerId()).fence()).isEqualTo(before.fence());
    }

    @Test
    void aRepeatedRequestForAWantedSlotGetsIt() {
        WorkerClaim wish = claim(8, NOW).wanting(3);
        WorkerSlot slot = source(group).claim(wish);
        assertThat(otherSource(group).claim(wish)).isEqualTo(slot);
        assertThat(source(group).census()).hasSize(1);
    }

    @Test
    void aWantedSlotIsFreeAgainAfterItsLease() {
        WorkerSlot slot =
                source(group).claim(claim("r-" + group, 8, shortLease(), NOW).wanting(6));
        awaitEnd(source(group), 6);
        WorkerSlot next = otherSource(group).claim(claim(8, NOW).wanting(6));
        assertThat(next.workerId()).isEqualTo(6);
        assertThat(next.claim()).isGreaterThan(slot.claim());
        assertThat(next.floor()).isEqualTo(slot.fence());
    }

    @Test
    void slotsThatWereNotWantedAreGivenToOthersAndNoneTwice() {
        List<WorkerSlot> slots = new ArrayList<>();
        for (int wanted : new int[] {3, 0, 2}) {
            slots.add(source(group).claim(claim(6, NOW).wanting(wanted)));
        }
        for (int i = 0; i < 3; i++) {
            slots.add(otherSource(group).claim(claim(6, NOW)));
        }
        assertThat(slots).extracting(WorkerSlot::workerId).containsExactly(3, 0, 2, 1, 4, 5);
        assertThatThrownBy(() -> source(group).claim(claim(6, NOW))).isInstanceOf(WorkerIdsExhaustedException.class);
        assertThatThrownBy(() -> source(group).claim(claim(6, NOW).wanting(4)))
                .isInstanceOf(WorkerIdTakenException.class);
    }

    @Test
    void ofEightThreadsThatWantOneSlotOneGetsIt() {
        List<String> outcomes = Concurrently.on(THREADS, i -> {
            try {
                WorkerIdSource mine = i % 2 == 0 ? source(group) : otherSource(group);
                return "got " + mine.claim(claim(THREADS, NOW).wanting(2)).workerId();
            } catch (WorkerIdTakenException e) {
                return "taken";
            }
        });
        assertThat(outcomes).filteredOn("got 2"::equals).hasSize(1);
        assertThat(outcomes).filteredOn("taken"::equals).hasSize(THREADS - 1);
    }
}
