package dev.tenon.tx.spi;

import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A log of transactions: the seam between the transaction capability and a backend. What a transaction may do next is
 * above it ({@link TransactionMachine}); it keeps what it is given, and lets one writer through.
 *
 * <p>What every implementation promises, and {@code TransactionStoreContract} checks:
 *
 * <ul>
 *   <li>What was answered is durable, and every later read sees it, from whichever process. The end of a transaction
 *       that is decided may be lost when the store crashes soon after: it is decided again then, and recovery ends it
 *       once more.
 *   <li>{@link #update} is a compare-and-set on the version: of writers that have read the same version, one gets
 *       through. A state never goes back and a decision never flips, whichever caller asks.
 *   <li>{@link #claim} gives a due transaction to one claimant, with a greater epoch, until its lease is over; not one
 *       that is suspended or final. It never reads more than a small multiple of what it gives out, however many there
 *       are.
 *   <li>Time is the store's, in what is due as in what is kept. It does not go back by more than its host's clock does.
 *   <li>Every call can be repeated after a lost reply without a second effect: {@link #begin} is known by its ID and
 *       digest, an update by its version (the repeated one finds that the version has moved on).
 * </ul>
 *
 * <p>Calls block. They fail with {@link dev.tenon.BackendUnavailableException} if nothing happened, and with {@link
 * dev.tenon.OutcomeUnknownException} if the answer was lost. Implementations are thread-safe.
 */
public interface TransactionStore {
    /** The store's time. */
    Instant now();

    /**
     * Begins a transaction, unless there is one of that ID.
     *
     * @param owner the process that drives it from the start; empty: recovery leaves it alone until the lease is over
     * @param lease for how long no process may claim it; zero or more
     * @throws IllegalArgumentException if {@code lease} is negative
     */
    Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease);

    /** The transaction of that ID. */
    Optional<TransactionRecord> find(TransactionId gid);

    /**
     * Replaces {@code before} by {@code after}, which has the same ID, and writes down {@code events}.
     *
     * @param before as it was read
     * @param after its version is that of {@code before}; the store raises it
     * @return as it is now; empty if it has changed since {@code before} was read, and nothing was written
     * @throws IllegalArgumentException if the state would go back, the decision flip, or a branch be out of its bounds
     */
    Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events);

    /** Takes transactions that are due, those that have waited longest first. */
    List<TransactionRecord> claim(Claim claim);

    /**
     * Transactions, the newest first.
     *
     * @param after where to begin, the {@link TransactionPage#next} of the page before; empty for the first page
     * @param limit how many at most, 1 to 1000
     * @throws IllegalArgumentException if {@code after} is not such a place, or {@code limit} is out of its bounds
     */
    TransactionPage list(TransactionFilter filter, String after, int limit);

    /** What was written down of a transaction, oldest first; empty if nothing was. */
    List<TransactionEvent> history(TransactionId gid);

    /**
     * Forgets final transactions of every service.
     *
     * @param retention those that ended longer ago
     * @param limit how many at most, 1 to 10000
     * @return how many
     * @throws IllegalArgumentException if {@code limit} is out of its bounds
     */
    int purge(Duration retention, int limit);

    /**
     * Forgets final transactions of one service, as {@link #purge(Duration, int)}: how long the others' are remembered
     * is theirs to say.
     */
    int purge(String service, Duration retention, int limit);
}
