package dev.tenon.examples;

import dev.tenon.lock.DistributedLatch.Countdown;
import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.List;

/** One waits until every part of an import is done, wherever it was done. */
public final class LatchExample {
    private LatchExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            // tag::latch[]
            List<String> parts = List.of("customers", "orders", "invoices");
            try (Countdown countdown = locks.latch("import:2026-11-21").begin(parts, Duration.ofSeconds(5))) {
                parts.forEach(part -> new Thread(() -> importPart(locks, part)).start()); // in any process
                countdown.await(Duration.ofSeconds(30)); // LockTimeoutException names the parts that are missing
            }
            System.out.println("All parts are there");
            // end::latch[]
        }
    }

    // tag::count[]
    private static void importPart(Locks locks, String part) {
        System.out.println("Importing " + part);
        boolean awaited = locks.latch("import:2026-11-21").countDown(part); // false: nobody waits for it (any more)
        if (!awaited) {
            System.out.println(part + " came too late");
        }
    }
    // end::count[]
}
