package dev.tenon.examples.migration;

import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongConsumer;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;

/** A job that is left out where it runs elsewhere: with ShedLock, both, Tenon. */
record FromShedLock(LockingTaskExecutor shedLock, Locks locks) implements OneAtATime {
    // tag::before[]
    @Override
    public void before(Runnable job) { // what @SchedulerLock(name = "report", lockAtMostFor = "10m") does
        shedLock.executeWithLock(job, report());
    }

    private static LockConfiguration report() {
        return new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(10), Duration.ZERO);
    }
    // end::before[]

    // tag::both[]
    @Override
    public void both(LongConsumer job) {
        shedLock.executeWithLock((Runnable) () -> after(job), report()); // always the old one outside
    }
    // end::both[]

    // tag::after[]
    @Override
    public void after(LongConsumer job) {
        Optional<Lease> lease = locks.lock("report").tryAcquire();
        if (lease.isPresent()) { // else it runs elsewhere
            try (Lease held = lease.get()) {
                job.accept(held.token());
            }
        }
    }
    // end::after[]
}
