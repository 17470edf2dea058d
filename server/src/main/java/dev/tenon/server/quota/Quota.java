package dev.tenon.server.quota;

import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.problem.ProblemException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How much there is of one resource, in all and by the API key that it is charged to, and how much there may be.
 * Thread-safe.
 */
public final class Quota {
    private final AtomicLong all = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();
    private final Map<String, Long> byKey = new ConcurrentHashMap<>();
    private final LimitedResource resource;
    private final Share share;
    private final LongSupplier kept;

    /**
     * @param kept how much of it the store is known to keep, whoever brought it there, and when; 0: nothing is known
     */
    Quota(LimitedResource resource, Share share, LongSupplier kept) {
        this.resource = resource;
        this.share = share;
        this.kept = kept;
    }

    /**
     * Some more.
     *
     * @param key to which it is charged; empty: to none
     * @throws ProblemException if that is too much; nothing is charged then
     */
    public void take(String key, long amount) {
        if (Math.max(all.addAndGet(amount), kept.getAsLong() + amount) > share.all()) {
            all.addAndGet(-amount);
            throw refused("", share.all(), resource.option());
        }
        if (!key.isEmpty() && byKey.merge(key, amount, Long::sum) > share.perKey()) {
            give(key, amount);
            throw refused("With your key, ", share.perKey(), resource.option() + "-per-key");
        }
    }

    /** Some less, of what was taken. */
    public void give(String key, long amount) {
        all.addAndGet(-amount);
        if (!key.isEmpty()) {
            byKey.computeIfPresent(key, (k, count) -> count > amount ? count - amount : null);
        }
    }

    /** How much there is. */
    public long used() {
        return Math.max(all.get(), kept.getAsLong());
    }

    /** How much there may be. */
    public long limit() {
        return share.all();
    }

    /** How often something was refused for this. */
    public long refusals() {
        return refusals.get();
    }

    /** Something was refused for this elsewhere. */
    public void refusedElsewhere() {
        refusals.incrementAndGet();
    }

    /** The keys to which something is charged. */
    int keys() {
        return byKey.size();
    }

    private ProblemException refused(String whose, long max, String option) {
        refusals.incrementAndGet();
        return new ProblemException(
                resource.problem(), whose + max + " " + resource.what() + ". The limit is " + option + ".");
    }
}
