package dev.tenon.examples;

import dev.tenon.lock.Locker;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;

/** Locks for code that knows only keys. */
public final class LockerExample {
    private LockerExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            // tag::locker[]
            Locker locker = backend.locks().locker();
            if (locker.tryLock("order:7", Duration.ofSeconds(5))) {
                try {
                    System.out.println("order:7 is locked: " + locker.isLocked("order:7"));
                } finally {
                    locker.unlock("order:7"); // by the same thread
                }
            }
            // end::locker[]
        }
    }
}
