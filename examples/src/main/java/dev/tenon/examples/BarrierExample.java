package dev.tenon.examples;

import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;

/** Three parties that start together. */
public final class BarrierExample {
    private BarrierExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            Thread first = new Thread(() -> importPart(locks, "customers"));
            Thread second = new Thread(() -> importPart(locks, "orders"));
            first.start();
            second.start();
            importPart(locks, "invoices");
            first.join();
            second.join();
        }
    }

    // tag::barrier[]
    private static void importPart(Locks locks, String part) {
        try {
            locks.barrier("import:2026-11-21", 3).await(Duration.ofSeconds(30)); // one round; a new name for the next
            System.out.println("All are here: importing " + part);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
    // end::barrier[]
}
