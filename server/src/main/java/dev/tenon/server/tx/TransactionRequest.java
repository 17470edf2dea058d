package dev.tenon.server.tx;

import dev.tenon.tx.BranchState;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionState;

/**
 * A transaction that a client asks for.
 *
 * @param draft the transaction
 * @param waits whether the answer is to tell its end
 */
public record TransactionRequest(TransactionDraft draft, boolean waits) {
    /** Whether nothing is called before the client's word, or the deadline. */
    boolean waitsForWord() {
        return switch (draft.kind()) {
            case MESSAGE -> draft.state() == TransactionState.ACTIVE;
            case TCC -> draft.branches().stream().allMatch(b -> b.state() == BranchState.CALLED);
            default -> false;
        };
    }
}
