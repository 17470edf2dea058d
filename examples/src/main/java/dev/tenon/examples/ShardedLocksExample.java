package dev.tenon.examples;

import dev.tenon.lock.Lease;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.sharded.ShardedLocks;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Locks spread over several stores, and a store that joins while a lock is held. Any other stores are used in the same
 * way.
 */
public final class ShardedLocksExample {
    private ShardedLocksExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend north = MemoryBackend.create();
                MemoryBackend south = MemoryBackend.create();
                MemoryBackend west = MemoryBackend.create()) {
            // tag::sharded[]
            var stores = Map.of("north", north.lockStore(), "south", south.lockStore());
            try (ShardedLocks sharded = ShardedLocks.over(stores, Duration.ofMillis(50))) {
                try (Lease lease = sharded.locks().lock("stock:42").acquire(Duration.ofSeconds(5))) {
                    System.out.println("stock:42 is held at " + sharded.nodeOf("stock:42") + ", " + lease.state());
                }
                // end::sharded[]
                grow(sharded, west);
            }
        }
    }

    private static void grow(ShardedLocks sharded, MemoryBackend west) throws InterruptedException {
        Lease held = sharded.locks().lock("stock:7").acquire(Duration.ofSeconds(5));
        // tag::join[]
        CompletionStage<Void> drained = sharded.join("west", west.lockStore()); // 1: in every process
        held.close(); // what was held before goes on undisturbed, and is not granted elsewhere meanwhile
        drained.toCompletableFuture().join(); // 2: in every process
        sharded.settle(); // 3: when all have come so far
        // end::join[]
        System.out.println("Three stores now: " + sharded.nodes().size());
    }
}
