package dev.tenon.raft;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands before the log and refuses what would make the state grow once it has its greatest size. Nothing is refused
 * later: an entry that is in the log is applied by every replica, whatever limit it has itself, or they would differ.
 * Commands that are on their way count by what they may add. Thread-safe.
 */
final class StateLimit implements CommandLog {
    private final AtomicLong underWay = new AtomicLong();
    private final CommandLog log;
    private final Replica replica;
    private final long max;

    StateLimit(CommandLog log, Replica replica, long max) {
        this.log = log;
        this.replica = replica;
        this.max = max;
    }

    @Override
    public <R> CompletableFuture<R> submit(Command<R> command) {
        long growth = command.growth();
        if (growth == 0) {
            return log.submit(command);
        }
        long bytes = replica.usage().bytes() + underWay.addAndGet(growth);
        if (bytes > max && replica.look(command::adds)) {
            underWay.addAndGet(-growth);
            return CompletableFuture.failedFuture(
                    new StateFullException(replica.usage().bytes(), max));
        }
        return log.submit(command).whenComplete((answer, failure) -> underWay.addAndGet(-growth));
    }
}
