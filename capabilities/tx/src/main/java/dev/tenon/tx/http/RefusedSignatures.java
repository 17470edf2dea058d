package dev.tenon.tx.http;

import dev.tenon.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Warns where calls are refused for their signature, once a minute at most: any host may send them. Thread-safe. */
final class RefusedSignatures {
    private static final System.Logger LOG = System.getLogger(CallSignature.class.getName());
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final TimeSource time;
    private final AtomicLong dueNanos;

    RefusedSignatures(TimeSource time) {
        this.time = time;
        this.dueNanos = new AtomicLong(time.nanoTime());
    }

    /** @param why without anything that the caller has written */
    void refused(String why) {
        long now = time.nanoTime();
        long due = dueNanos.get();
        if (now - due >= 0 && dueNanos.compareAndSet(due, now + PAUSE.toNanos())) {
            LOG.log(
                    Level.WARNING,
                    "A call of a transaction was refused, and its caller retries it: " + why
                            + ". If it comes from a service of yours, it has another secret than this one, or none"
                            + " (tenon.transactions.secrets). Said once a minute at most");
        }
    }
}
