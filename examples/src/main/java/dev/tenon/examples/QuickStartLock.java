package dev.tenon.examples;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.Optional;

/** A lock: take it, use its fencing token, give it back. Any other backend is used in the same way. */
public final class QuickStartLock {
    private QuickStartLock() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            // tag::lock[]
            try (Lease lease = locks.lock("stock:42").acquire(Duration.ofSeconds(5))) {
                save("42 is sold", lease.token()); // the shelf refuses a smaller token than it has seen
            }
            // end::lock[]

            // tag::try[]
            Optional<Lease> perhaps = locks.lock("stock:42").tryAcquire(); // one round trip, no waiting
            perhaps.ifPresent(lease -> {
                try (lease) {
                    lease.ensure(Duration.ofSeconds(1)); // throws unless it is held for another second
                    save("42 is back", lease.token());
                }
            });
            // end::try[]
        }
    }

    private static void save(String what, long token) {
        System.out.println(what + " (token " + token + ")");
    }
}
