package dev.tenon.examples;

import dev.tenon.lock.Locks;
import dev.tenon.lock.MultiLease;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.List;

/** Two accounts under lock at once, in whatever order they are named. */
public final class MultiLockExample {
    private MultiLockExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            // tag::multi[]
            List<String> accounts = List.of("account:bob", "account:alice");
            try (MultiLease both = locks.multiLock(accounts).acquire(Duration.ofSeconds(5))) {
                System.out.println("Bob gives Alice 5 (tokens " + both.tokens().values() + ")");
            }
            // end::multi[]
        }
    }
}
