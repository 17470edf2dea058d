package dev.tenon.tx.tcc;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import java.util.Objects;

/**
 * Reserves, and turns the reservation into the effect or gives it back. Each of the three runs in a local transaction
 * behind the {@link dev.tenon.tx.Barrier}, which takes care of calls that are repeated, of a cancel without a try
 * (empty rollback) and of a try after its cancel (suspension). What confirm and cancel need to know belongs to the
 * reservation, under the transaction's ID and the branch. Implementations are thread-safe.
 */
public interface TccParticipant {
    /**
     * Checks everything and reserves, so that {@link #confirm} can't fail for a reason of the business.
     *
     * @return done, or refused; anything else aborts the transaction too, and is cancelled
     */
    Reply tryIt(BranchCall call) throws Exception;

    /** Turns the reservation into the effect; called until it is done. */
    Reply confirm(BranchCall call) throws Exception;

    /** Gives the reservation back, if there is one; called until it is done. */
    Reply cancel(BranchCall call) throws Exception;

    /** A participant of three functions. */
    static TccParticipant of(Participant tryIt, Participant confirm, Participant cancel) {
        Objects.requireNonNull(tryIt, "tryIt");
        Objects.requireNonNull(confirm, "confirm");
        Objects.requireNonNull(cancel, "cancel");
        return new TccParticipant() {
            @Override
            public Reply tryIt(BranchCall call) throws Exception {
                return tryIt.call(call);
            }

            @Override
            public Reply confirm(BranchCall call) throws Exception {
                return confirm.call(call);
            }

            @Override
            public Reply cancel(BranchCall call) throws Exception {
                return cancel.call(call);
            }
        };
    }
}
