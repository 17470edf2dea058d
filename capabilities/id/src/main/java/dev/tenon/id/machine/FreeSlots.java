package dev.tenon.id.machine;

import dev.tenon.id.machine.WorkerTable.Entry;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

/** Which slot of a group a claim gets that will have any. */
final class FreeSlots {
    private FreeSlots() {}

    /** The lowest free slot whose fence is before the claimant's time; without one, that with the least fence. */
    static Optional<Integer> lowest(TreeMap<Integer, Entry> entries, int capacity, Instant claimantNow, Instant now) {
        int unused = 0;
        Entry least = null;
        for (Entry entry : entries.values()) {
            if (entry.workerId() > unused) {
                break;
            }
            unused++;
            if (entry.leased(now)) {
                continue;
            }
            if (entry.fence().isBefore(claimantNow)) {
                return Optional.of(entry.workerId());
            }
            if (least == null || entry.fence().isBefore(least.fence())) {
                least = entry;
            }
        }
        if (unused < capacity) {
            return Optional.of(unused); // never claimed: nothing was ever issued from it
        }
        return Optional.ofNullable(least).map(Entry::workerId);
    }

    /** The highest free slot whose fence is before the claimant's time, or that was never claimed. */
    static Optional<Integer> highest(TreeMap<Integer, Entry> entries, int capacity, Instant claimantNow, Instant now) {
        for (int slot = capacity - 1; slot >= 0; slot--) {
            Entry entry = entries.get(slot);
            if (entry == null || (!entry.leased(now) && entry.fence().isBefore(claimantNow))) {
                return Optional.of(slot);
            }
        }
        return Optional.empty();
    }
}
