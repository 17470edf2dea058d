package dev.tenon.lock;

import dev.tenon.LeaseLostException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Several locks that are held together. It is lost as a whole when one of them is lost. Thread-safe. */
public final class MultiLease implements AutoCloseable {
    private final Locks locks;
    private final List<Lease> leases;
    private final SortedMap<String, Long> tokens = new TreeMap<>();
    private final CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();

    MultiLease(Locks locks, List<Lease> leases) {
        this.locks = locks;
        this.leases = List.copyOf(leases);
        for (Lease lease : leases) {
            tokens.put(lease.name(), lease.token());
            lease.lost().thenAccept(lost::complete);
        }
    }

    /** The fencing tokens by the names of the locks. */
    public SortedMap<String, Long> tokens() {
        return Collections.unmodifiableSortedMap(tokens);
    }

    /**
     * The fencing token of one lock.
     *
     * @throws IllegalArgumentException if that lock is not one of these
     */
    public long token(String name) {
        Long token = tokens.get(name);
        if (token == null) {
            throw new IllegalArgumentException("Lock \"" + name + "\" is not one of " + tokens.keySet());
        }
        return token;
    }

    /** How the weakest of them stands now. No round trip. */
    public Lease.State state() {
        return leases.stream().map(Lease::state).max(Enum::compareTo).orElseThrow();
    }

    /**
     * Throws unless all are held for at least another {@code atLeast}. No round trip.
     *
     * @throws LeaseLostException if less time than that is left of one of them
     */
    public void ensure(Duration atLeast) {
        leases.forEach(lease -> lease.ensure(atLeast));
    }

    /** Completes, with the reason, when one of them is lost; see {@link Lease#lost}. */
    public CompletionStage<LeaseLostException> lost() {
        return lost.minimalCompletionStage();
    }

    /**
     * Gives all of them back in one call to the store, and waits for its answer for at most five seconds. Idempotent;
     * never throws.
     */
    @Override
    public void close() {
        Lease.awaitRelease(locks.releaseAll(leases));
    }

    List<Lease> leases() {
        return leases;
    }

    @Override
    public String toString() {
        return "MultiLease" + tokens;
    }
}
