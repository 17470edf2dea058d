package dev.tenon.tx.xa;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.transaction.xa.XAException;

/**
 * Finds branches that are prepared and whose process died before it decided. Presumed abort says that what the log does
 * not have was not committed; but the process may be alive and slow. So this first writes the abort under the
 * transaction's ID, where the late decision then finds it ({@link XaDecisions}), and only then rolls back. Thread-safe.
 */
final class XaOrphans {
    private static final System.Logger LOG = System.getLogger(Xa.class.getName());

    private final Transactions transactions;
    private final XaDecisions decisions;
    private final XaDatabases databases;
    private final XaOptions options;
    private final Map<XaId, Long> seenNanos = new ConcurrentHashMap<>();
    private final Set<TransactionId> hints = ConcurrentHashMap.newKeySet();

    /** Databases that did not list what is prepared there when they were asked last. */
    private final Set<String> unlisted = ConcurrentHashMap.newKeySet();

    XaOrphans(Transactions transactions, XaDecisions decisions, XaDatabases databases, XaOptions options) {
        this.transactions = transactions;
        this.decisions = decisions;
        this.databases = databases;
        this.options = options;
    }

    void hint(TransactionId gid) {
        hints.add(gid);
    }

    /**
     * Looks once; returns how many branches it did something about.
     *
     * @throws TenonException if the log did not answer for one of them; the others were checked all the same
     */
    int runOnce() {
        int count = 0;
        boolean all = true;
        Optional<TenonException> failed = Optional.empty();
        Set<TransactionId> seen = new HashSet<>();
        for (XaPool pool : databases.pools().values()) {
            Optional<List<XaId>> prepared = prepared(pool);
            all &= prepared.isPresent();
            for (XaId id : prepared.orElse(List.of())) {
                seen.add(id.gid());
                try {
                    count += isDue(id) && settle(pool, id) ? 1 : 0;
                } catch (TenonException e) {
                    failed = Optional.of(e); // what keeps one from being decided is none of the others' business
                }
            }
        }
        if (all) {
            hints.retainAll(seen);
        }
        if (failed.isPresent()) {
            throw failed.get();
        }
        return count;
    }

    private Optional<List<XaId>> prepared(XaPool pool) {
        try {
            Set<XaId> live = Set.copyOf(pool.live());
            List<XaId> all =
                    pool.call(link -> pool.prepared(link, transactions.options().service()));
            unlisted.remove(pool.name());
            seenNanos.keySet().removeIf(id -> id.database().equals(pool.name()) && !all.contains(id));
            return Optional.of(all.stream().filter(id -> !live.contains(id)).toList());
        } catch (SQLException | XAException | BackendUnavailableException e) {
            if (e instanceof XAException xa && xa.errorCode == XAException.XAER_RMERR && unlisted.add(pool.name())) {
                LOG.log(
                        Level.WARNING,
                        "Branches without a decision stay prepared, with their locks: " + XaBranch.text(xa)
                                + ". It is asked again");
            }
            return Optional.empty(); // it is asked again in the next pass
        }
    }

    private boolean isDue(XaId id) {
        long now = options.time().nanoTime();
        Long before = seenNanos.putIfAbsent(id, now);
        return hints.contains(id.gid())
                || now - (before == null ? now : before)
                        >= options.orphanAfter().toNanos();
    }

    private boolean settle(XaPool pool, XaId id) {
        TransactionState state = transactions
                .find(id.gid())
                .map(TransactionRecord::state)
                // Active: the process that was about to abort it has died, or is doing so.
                .filter(known -> known != TransactionState.ACTIVE)
                .orElseGet(() -> decisions.abort(id.gid(), "prepared on " + id.database() + ", and not decided"));
        return switch (state) {
            // Prepared after recovery had been there, or its driver has not come to it: the decision is what it is.
            case ABORTING, ABORTED -> end(pool, id, false);
            case COMMITTED -> end(pool, id, true);
            case ACTIVE, COMMITTING -> false; // the log's own recovery ends these
            case CLOSED -> false; // the operator who has closed it ends its branches by hand
        };
    }

    private static boolean end(XaPool pool, XaId id, boolean commits) {
        try {
            new XaParticipant(pool).settle(id, commits);
            return true;
        } catch (SQLException | XAException | BackendUnavailableException e) {
            return false;
        }
    }
}
