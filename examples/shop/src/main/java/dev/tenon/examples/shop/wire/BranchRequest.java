package dev.tenon.examples.shop.wire;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.TransactionId;
import java.util.Map;

/**
 * A call to a participant in another service, as JSON.
 *
 * @param gid the transaction
 * @param branch the branch
 * @param operation such as {@code try}
 * @param payload what the branch is about
 */
public record BranchRequest(String gid, String branch, String operation, String payload) {
    /** What is sent for a call. */
    static BranchRequest of(BranchCall call) {
        return new BranchRequest(
                call.gid().text(), call.branch(), call.operation().text(), call.payload());
    }

    /** The call, for who takes it. */
    public BranchCall call() {
        return new BranchCall(new TransactionId(gid), branch, Operation.of(operation), "http", payload, Map.of(), 1);
    }
}
