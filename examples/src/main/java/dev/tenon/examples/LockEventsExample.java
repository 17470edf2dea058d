package dev.tenon.examples;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockEvent;
import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * A lock that is waited for without a thread, a wait that is cancelled, and a holder that learns what becomes of its
 * lease.
 */
public final class LockEventsExample {
    private LockEventsExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            // tag::listen[]
            LockEvent.Subscription subscription = locks.listen(event -> {
                System.out.println(event.kind() + " " + event.name()
                        + event.detail().map(d -> ": " + d).orElse(""));
                if (event.kind() == LockEvent.Kind.RELEASED) {
                    done.countDown();
                }
            });
            // end::listen[]
            Lease held = locks.lock("report").acquire(Duration.ofSeconds(5));
            // tag::cancel[]
            CompletableFuture<Lease> next =
                    locks.lock("report").acquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
            next.cancel(false); // leaves the queue; had it been granted in this moment, it would be given back
            // end::cancel[]
            // tag::states[]
            held.ensure(Duration.ofSeconds(1)); // throws unless it is held for another second; no round trip
            held.lost().thenAccept(reason -> System.out.println("Stop working: " + reason.getMessage()));
            held.revokeAsked().thenAccept(who -> held.close()); // as long as it is polite to ask
            // end::states[]
            locks.revoke("report", "an operator");
            done.await();
            subscription.close();
        }
    }
}
