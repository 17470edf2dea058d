package dev.tenon.server.access;

import dev.tenon.TimeSource;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts who comes through another gate, and refuses those who come too often: by key, or by address where no key is
 * asked for or a key was refused, so that who holds a key does not suffer from a neighbour who holds none. A second's
 * worth may come at once. Health is not counted. Each count is one number, the time at which it will be used up (the
 * generic cell rate algorithm of ATM, ITU-T I.371, which is a token bucket without a refill). Thread-safe; nothing
 * blocks.
 */
public final class RateGate implements Gate {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int COUNTS_MAX = 100_000;

    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
    private final AtomicLong sweptAt;
    private final Gate gate;
    private final TimeSource time;
    private final int rate;
    private final long cost;

    /**
     * A gate before another.
     *
     * @param rate requests a second
     */
    public RateGate(Gate gate, int rate, TimeSource time) {
        this.gate = gate;
        this.time = time;
        this.rate = rate;
        this.cost = Math.max(1, SECOND / rate);
        this.sweptAt = new AtomicLong(time.nanoTime());
    }

    @Override
    public boolean asksForKeys() {
        return gate.asksForKeys();
    }

    @Override
    public Caller admit(Visitor visitor, Need need, String name) {
        Caller caller;
        try {
            caller = gate.admit(visitor, need, name);
        } catch (ProblemException e) {
            count("@" + visitor.address());
            throw e;
        }
        if (need.scope() != Scope.OPEN) {
            count(caller.keyId().isEmpty() ? "@" + visitor.address() : caller.keyId());
        }
        return caller;
    }

    /** How many callers are remembered. */
    int counted() {
        return counts.size();
    }

    private void count(String who) {
        AtomicLong usedUp = counts.get(who);
        if (usedUp == null) {
            usedUp = fresh(who);
        }
        long now = time.nanoTime();
        while (true) {
            long old = usedUp.get();
            long next = (old - now > 0 ? old : now) + cost;
            if (next - now > SECOND) {
                throw new ProblemException(
                        ProblemType.RATE_LIMITED,
                        "More than " + rate + " requests per second; nothing was done. Slow down, or request "
                                + "several IDs at once (?count=N).");
            }
            if (usedUp.compareAndSet(old, next)) {
                return;
            }
        }
    }

    private AtomicLong fresh(String who) {
        long now = time.nanoTime();
        if (counts.size() >= COUNTS_MAX) {
            long swept = sweptAt.get();
            if (now - swept > SECOND && sweptAt.compareAndSet(swept, now)) {
                counts.values().removeIf(usedUp -> usedUp.get() - now <= 0);
            }
        }
        // So many at once are one crowd: they share a count.
        String counted = counts.size() >= COUNTS_MAX ? "" : who;
        return counts.computeIfAbsent(counted, w -> new AtomicLong(now));
    }
}
