package dev.tenon.tx.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How many calls are under way to each participant: a quarter of the threads at most, so that one that is slow leaves
 * the others theirs (a <i>bulkhead</i>: Nygard, "Release It!", 2007). Addresses with one host and port are one
 * participant. Thread-safe.
 */
final class TargetShares {
    private static final int PARTS = 4;

    private final int size;
    private final Map<String, Share> inUse = new ConcurrentHashMap<>();

    /** The places of one participant, kept as long as a call has, or waits for, one of them. */
    private record Share(Semaphore places, int users) {
        Share used(int more) {
            return new Share(places, users + more);
        }
    }

    /** @param threads how many calls are made at the same time */
    TargetShares(int threads) {
        this.size = Math.max(1, threads / PARTS);
    }

    /** How many calls to one participant there are at most. */
    int size() {
        return size;
    }

    /**
     * Takes a place, to be given back by {@link #leave}.
     *
     * @param patienceNanos how long to wait for it; not at all if that is not positive
     * @return whether there was one
     */
    boolean enter(String target, long patienceNanos) throws InterruptedException {
        Semaphore places = inUse.compute(
                        party(target),
                        (party, known) -> known == null ? new Share(new Semaphore(size, true), 1) : known.used(1))
                .places();
        boolean entered = false;
        try {
            entered = places.tryAcquire(Math.max(0, patienceNanos), TimeUnit.NANOSECONDS);
        } finally {
            if (!entered) {
                forget(target);
            }
        }
        return entered;
    }

    /** Gives a place back. */
    void leave(String target) {
        Share share = inUse.get(party(target));
        if (share != null) {
            share.places().release();
            forget(target);
        }
    }

    private void forget(String target) {
        inUse.computeIfPresent(party(target), (party, known) -> known.users() == 1 ? null : known.used(-1));
    }

    /** The participant that a target is part of: {@code http://stock:8080} of an address, or itself. */
    static String party(String target) {
        int host = target.indexOf("://");
        int path = host < 0 ? -1 : target.indexOf('/', host + 3);
        return path < 0 ? target : target.substring(0, path);
    }
}
