package dev.tenon.server.service;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Whether a node still wants requests. Thread-safe. */
public final class Readiness {
    private volatile boolean leaving;

    /** Whether it is about to stop: it serves on, and wants no new clients. */
    public boolean isLeaving() {
        return leaving;
    }

    /** It is about to stop. Returns when {@code delay} has passed, or this thread was interrupted. */
    public void leave(Duration delay) {
        leaving = true;
        try {
            new CountDownLatch(1).await(delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
