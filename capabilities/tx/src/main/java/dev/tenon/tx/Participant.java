package dev.tenon.tx;

/**
 * Does the work of a branch. A call may be repeated, and calls of one branch may come out of order: make the work part
 * of a local transaction behind the {@link Barrier}. Implementations are thread-safe.
 */
@FunctionalInterface
public interface Participant {
    /**
     * Does what is asked, or says that it never will. It should answer within the time that {@link
     * TransactionOptions#callTimeout} gives: what answers later is called again.
     *
     * @throws Exception if it is not known whether it is done, or it failed: it will be asked again
     */
    Reply call(BranchCall call) throws Exception;
}
