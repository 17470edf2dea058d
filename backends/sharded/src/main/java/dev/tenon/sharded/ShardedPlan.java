package dev.tenon.sharded;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.ring.HashRing;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where names live: at one node; or, while the nodes change and the name moves, still at its old or already at its new
 * one. Immutable.
 *
 * @param stores by the label of their node; also those that leave
 * @param before the ring before the change
 * @param after the ring after it; the same one while nothing changes
 */
record ShardedPlan(Map<String, LockStore> stores, HashRing<String> before, HashRing<String> after) {
    ShardedPlan {
        stores = Map.copyOf(stores);
    }

    /** The node where a name lives; or the old and the new one, if it moves. */
    List<String> places(String name) {
        String old = before.nodeFor(name);
        if (before == after) {
            return List.of(old);
        }
        String fresh = after.nodeFor(name);
        return old.equals(fresh) ? List.of(old) : List.of(old, fresh);
    }

    boolean moves(String name) {
        return places(name).size() > 1;
    }

    boolean isChanging() {
        return before != after;
    }

    LockStore store(String label) {
        return Objects.requireNonNull(stores.get(label), label);
    }
}
