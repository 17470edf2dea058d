package dev.tenon.etcd;

import dev.tenon.id.spi.WorkerClaim;
import io.etcd.jetcd.api.KeyValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A group as one read of it shows it, and which slot of it to try for.
 *
 * @param group capacity and layout; empty before the first claim
 * @param request where the claimant's request has led before
 * @param holders the leased slots
 * @param fences the fences of all slots that were ever claimed
 * @param seen what it knows of etcd
 */
record EtcdSlotChoice(
        Optional<String> group,
        Optional<KeyValue> request,
        Map<Integer, KeyValue> holders,
        SortedMap<Integer, String> fences,
        EtcdSettling.Seen seen) {
    private static final int WINDOW_BITS_MAX = 20;

    /**
     * The first slot that is as good as any; after a lost race one of a few, then of many, by chance: else a hundred
     * processes that start at once would all go from slot to slot together.
     *
     * @param lost how many races for a slot were lost already
     * @return empty: every slot is leased
     */
    OptionalInt choose(WorkerClaim claim, int lost) {
        if (claim.wanted().isPresent()) {
            return holders.containsKey(claim.wanted().getAsInt()) ? OptionalInt.empty() : claim.wanted();
        }
        int window = 1 << Math.min(WINDOW_BITS_MAX, 3 * lost);
        List<Integer> candidates = past(claim.now(), window);
        if (candidates.isEmpty()) {
            candidates = unused(claim.capacity(), window);
        }
        return candidates.isEmpty()
                ? leastAhead()
                : OptionalInt.of(candidates.get(ThreadLocalRandom.current().nextInt(candidates.size())));
    }

    private List<Integer> past(Instant now, int window) {
        Set<Integer> leased = holders.keySet();
        return fences.entrySet().stream()
                .filter(fence -> !leased.contains(fence.getKey()))
                .filter(fence -> EtcdSlotKeys.instant(fence.getValue()).isBefore(now))
                .map(Map.Entry::getKey)
                .limit(window)
                .toList();
    }

    private List<Integer> unused(int capacity, int window) {
        List<Integer> unused = new ArrayList<>();
        for (int id = 0; id < capacity && unused.size() < window; id++) {
            if (!fences.containsKey(id)) {
                unused.add(id);
            }
        }
        return unused;
    }

    private OptionalInt leastAhead() {
        return fences.entrySet().stream()
                .filter(fence -> !holders.containsKey(fence.getKey()))
                .min(Map.Entry.comparingByValue())
                .map(fence -> OptionalInt.of(fence.getKey()))
                .orElse(OptionalInt.empty());
    }
}
