package dev.tenon.tx.spi;

import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the transactions of one mode do next, from any state that a crash can leave them in: the same rules drive a
 * transaction that has just begun and one that is recovered after a year. Pure: no clock, no I/O, nothing kept.
 */
public interface ModeProtocol {
    /** The mode. */
    TransactionKind kind();

    /**
     * The calls that the transaction waits for, due or not yet: the pauses between retries are the machine's concern.
     *
     * @param now the store's time, for what depends on the deadline
     */
    List<Step> wanted(TransactionRecord tx, Instant now);

    /**
     * The transaction with the state that its branches and the deadline lead to; itself if they lead to no other.
     * It is called again with its own answer, until nothing changes.
     */
    TransactionRecord settle(TransactionRecord tx, Instant now);

    /** Whether it may still be aborted from outside while it is active. */
    default boolean mayAbort(TransactionRecord tx) {
        return true;
    }

    /** Why it can't be committed from outside, while it is active; empty if it can. */
    default Optional<String> againstCommit(TransactionRecord tx) {
        return Optional.empty();
    }

    /** One operation of one branch. */
    record Step(String branch, Operation operation) {}
}
