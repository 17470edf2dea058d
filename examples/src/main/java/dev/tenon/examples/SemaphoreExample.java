package dev.tenon.examples;

import dev.tenon.lock.DistributedSemaphore;
import dev.tenon.lock.Lease;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;

/** At most so many at once, over all processes. */
public final class SemaphoreExample {
    private SemaphoreExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            // tag::semaphore[]
            DistributedSemaphore exports = backend.locks().semaphore("exports", 3);
            try (Lease two = exports.acquire(2, Duration.ofSeconds(5))) { // they come back if this process dies
                System.out.println("Exporting on 2 lanes (" + exports.available() + " left) with token " + two.token());
            }
            // end::semaphore[]
        }
    }
}
