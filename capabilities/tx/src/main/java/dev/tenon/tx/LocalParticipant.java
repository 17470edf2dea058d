package dev.tenon.tx;

import java.sql.Connection;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A participant that does its work in a local transaction behind the {@link Barrier}: once, in the right order, and
 * with the first answer for each repeated call. A check-back ({@link Operation#CHECK}) is answered from the barrier,
 * and never flips. Thread-safe.
 */
public final class LocalParticipant implements Participant {
    private final LocalTransactions local;
    private final Barrier barrier;
    private final Work work;

    private LocalParticipant(LocalTransactions local, Barrier barrier, Work work) {
        this.local = Objects.requireNonNull(local, "local");
        this.barrier = Objects.requireNonNull(barrier, "barrier");
        this.work = Objects.requireNonNull(work, "work");
    }

    /** What is done for a call, in the local transaction of the connection. */
    @FunctionalInterface
    public interface Work {
        /**
         * Does it, and leaves commit and rollback to its caller.
         *
         * @return {@link Reply.Done} to commit; anything else to roll back
         * @throws Exception to roll back, and be called again
         */
        Reply run(Connection connection, BranchCall call) throws Exception;
    }

    /**
     * A participant.
     *
     * @param barrier of the same database
     * @param work for each operation but check; {@link BranchCall#operation} says which
     */
    public static LocalParticipant of(LocalTransactions local, Barrier barrier, Work work) {
        return new LocalParticipant(local, barrier, work);
    }

    @Override
    public Reply call(BranchCall call) throws Exception {
        return call.operation() == Operation.CHECK
                ? check(local, barrier, call)
                : local.run(connection -> barrier.call(connection, call, open -> work.run(open, call)));
    }

    /**
     * Answers a check-back: whether the local transaction with the barrier's row of this branch's {@link
     * Operation#ACTION} was committed. Waits for one that is under way: whatever that becomes is the answer.
     *
     * @return done or refused, and the same for ever
     */
    public static Reply check(LocalTransactions local, Barrier barrier, BranchCall call) throws Exception {
        AtomicBoolean happened = new AtomicBoolean();
        local.run(connection -> {
            happened.set(barrier.happened(connection, call, Operation.ACTION));
            return Reply.done(); // a no is kept as well
        });
        return happened.get()
                ? Reply.done()
                : Reply.refused("its local transaction was not committed, and can't be any more");
    }
}
