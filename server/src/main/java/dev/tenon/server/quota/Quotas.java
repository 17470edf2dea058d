package dev.tenon.server.quota;

import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.problem.ProblemException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The quotas of a server, over whatever interface a request comes. What is charged is one of a resource and the bytes
 * that it takes; a key that is at one of its limits leaves the others all of theirs. Counted since the start of this
 * server, by key; in all also by what the store is known to keep. Thread-safe.
 */
public final class Quotas {
    /** What a session, a lock or a place in a queue takes, roughly, beside its name. */
    private static final long ONE = 1_000;

    private final Map<LimitedResource, Quota> quotas = new EnumMap<>(LimitedResource.class);
    private final TransactionQuota transactions;
    private final DefinitionQuota definitions;
    private final LockQuota locks;

    /**
     * What a store keeps in the heap of this process.
     *
     * @param bytes of everything
     * @param locks names of which something is known
     * @param transactions that are open
     * @param definitions of IDs, and sequences
     */
    public record Kept(long bytes, long locks, long transactions, long definitions) {
        private static final Kept NOTHING = new Kept(0, 0, 0, 0);
    }

    private Quotas(Limits limits, Supplier<Optional<Kept>> kept) {
        boolean here = kept.get().isPresent();
        for (LimitedResource resource : LimitedResource.values()) {
            // Elsewhere a state is bounded by whoever runs the store.
            Share share = resource == LimitedResource.STATE && !here
                    ? new Share(Long.MAX_VALUE, Long.MAX_VALUE)
                    : limits.of(resource);
            quotas.put(
                    resource,
                    new Quota(
                            resource, share, counter(resource, () -> kept.get().orElse(Kept.NOTHING))));
        }
        this.transactions = new TransactionQuota(this);
        this.definitions = new DefinitionQuota(this);
        this.locks = new LockQuota(this);
    }

    /** Nothing is taken yet, and no store known that keeps something in this process. */
    public static Quotas within(Limits limits) {
        return new Quotas(limits, Optional::empty);
    }

    /** Nothing is taken yet but what a store keeps. */
    public static Quotas within(Limits limits, Supplier<Optional<Kept>> kept) {
        return new Quotas(limits, kept);
    }

    private static LongSupplier counter(LimitedResource resource, Supplier<Kept> kept) {
        return switch (resource) {
            case STATE -> () -> kept.get().bytes();
            case LOCKS -> () -> kept.get().locks();
            case TRANSACTIONS -> () -> kept.get().transactions();
            case DEFINITIONS -> () -> kept.get().definitions();
            case SESSIONS, WAITERS -> () -> 0;
        };
    }

    /** That of one resource. */
    public Quota of(LimitedResource resource) {
        Quota quota = quotas.get(resource);
        if (quota == null) {
            throw new IllegalStateException("every resource has a quota");
        }
        return quota;
    }

    /** Of transactions. */
    public TransactionQuota transactions() {
        return transactions;
    }

    /** Of names of IDs. */
    public DefinitionQuota definitions() {
        return definitions;
    }

    /** Of locks. */
    public LockQuota locks() {
        return locks;
    }

    /**
     * One more of a resource.
     *
     * @param key the ID of the API key of whoever asks; empty: none was asked for
     * @throws ProblemException if that is one too many, or there is no room for it
     */
    public void enter(LimitedResource resource, String key) {
        enter(resource, key, ONE);
    }

    /**
     * One more request that waits.
     *
     * @return to be run when it waits no more
     * @throws ProblemException as {@link #enter}
     */
    public Runnable waiter(String key) {
        enter(LimitedResource.WAITERS, key);
        return () -> leave(LimitedResource.WAITERS, key);
    }

    /** One less. */
    public void leave(LimitedResource resource, String key) {
        leave(resource, key, ONE);
    }

    /** As {@link #enter(Resource, String)}, of one that takes so many bytes. */
    void enter(LimitedResource resource, String key, long bytes) {
        of(resource).take(key, 1);
        try {
            of(LimitedResource.STATE).take(key, bytes);
        } catch (ProblemException full) {
            of(resource).give(key, 1);
            throw full;
        }
    }

    void leave(LimitedResource resource, String key, long bytes) {
        of(resource).give(key, 1);
        of(LimitedResource.STATE).give(key, bytes);
    }
}
