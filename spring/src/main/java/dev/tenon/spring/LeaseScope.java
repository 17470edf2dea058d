package dev.tenon.spring;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The leases under which a thread works, outermost first. Thread-safe. */
final class LeaseScope {
    private final ThreadLocal<List<Lease>> leases = new ThreadLocal<>();

    void enter(Lease lease) {
        List<Lease> mine = leases.get();
        if (mine == null) {
            mine = new ArrayList<>(2);
            leases.set(mine);
        }
        mine.add(lease);
    }

    void leave(Lease lease) {
        List<Lease> mine = leases.get();
        if (mine != null) {
            mine.remove(lease);
            if (mine.isEmpty()) {
                leases.remove();
            }
        }
    }

    Optional<Lease> innermost() {
        List<Lease> mine = mine();
        return mine.isEmpty() ? Optional.empty() : Optional.of(mine.get(mine.size() - 1));
    }

    /**
     * Whether this thread works under that lock already.
     *
     * @throws LeaseLostException if it does, and has lost it
     */
    boolean isUnder(String name) {
        for (Lease lease : mine()) {
            // A transaction that ended on another thread has left a closed one here.
            if (lease.name().equals(name) && lease.state() != Lease.State.RELEASED) {
                requireHeld(lease, "the method was not called");
                return true;
            }
        }
        return false;
    }

    /**
     * Refuses the commit of what was done under a lock that is lost.
     *
     * @throws LeaseLostException if one is
     */
    void requireAllHeld() {
        mine().forEach(lease -> requireHeld(lease, "the transaction is rolled back"));
    }

    /** @throws LeaseLostException if it is lost, which says {@code consequence} */
    static void requireHeld(Lease lease, String consequence) {
        if (lease.state() == Lease.State.LOST) {
            throw new LeaseLostException("Lock \"" + lease.name() + "\" (token " + lease.token()
                    + ") was lost while it was needed, and another may hold it; " + consequence);
        }
    }

    private List<Lease> mine() {
        List<Lease> mine = leases.get();
        return mine == null ? List.of() : mine;
    }
}
