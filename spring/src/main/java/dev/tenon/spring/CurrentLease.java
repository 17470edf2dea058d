package dev.tenon.spring;

import dev.tenon.lock.Lease;

/**
 * The lease under which a method with {@link Locked} or {@link LeaderOnly} runs, for its fencing token. A bean;
 * thread-safe, and each thread sees its own.
 */
public final class CurrentLease {
    private final LeaseScope scope;

    CurrentLease(LeaseScope scope) {
        this.scope = scope;
    }

    /**
     * The lease of the innermost such method on this thread. Its end is the method's: don't close it.
     *
     * @throws IllegalStateException if there is none
     */
    public Lease lease() {
        return scope.innermost()
                .orElseThrow(() ->
                        new IllegalStateException("No method with @Locked or @LeaderOnly is running on this thread"));
    }

    /**
     * The fencing token of {@link #lease}.
     *
     * @throws IllegalStateException if there is none
     */
    public long token() {
        return lease().token();
    }
}
