package dev.tenon.examples;

import dev.tenon.lock.Election;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** One of many leads, and the others know where it is. */
public final class ElectionExample {
    private ElectionExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            Locks locks = backend.locks();
            CountDownLatch seen = new CountDownLatch(1);
            // tag::election[]
            Election election = locks.election("scheduler");
            var observation = election.observe(
                    Duration.ofMillis(100),
                    leader -> leader.ifPresent(l -> {
                        System.out.println("The leader is at " + l.value());
                        seen.countDown();
                    }));
            try (Lease leadership = election.campaign("10.0.0.1:8080", Duration.ofSeconds(5))) {
                System.out.println("Leading with token " + leadership.token());
                seen.await();
            } // resigns
            observation.close();
            // end::election[]
        }
    }
}
