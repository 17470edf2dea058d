package dev.tenon.jdbc;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One write of a transaction: what of it has to go to the database.
 *
 * @param before as it was read
 * @param next as it shall be, with its new version; the time of its end is the database's
 * @param events to be written down
 */
record TransactionWrite(TransactionRecord before, TransactionRecord next, List<TransactionEvent> events) {
    TransactionWrite {
        events = List.copyOf(events);
    }

    TransactionId gid() {
        return next.gid();
    }

    /** The header, for the version that was read. */
    Args header() {
        return TransactionRow.args(next).number("version", before.progress().version());
    }

    /** Whether this is its end, of which the database has to tell the time. */
    boolean ends() {
        return next.state().isFinal() && before.progress().endedAt().isEmpty();
    }

    /**
     * Whether recovery would do this once more, with the same result, if it were lost: it is the end of what is
     * decided, and nobody's words are written down with it.
     */
    boolean repeatable() {
        return ends() && before.state() != TransactionState.ACTIVE && events.isEmpty();
    }

    /** How many branches, from the first on, differ at most in how far they are. The others are written as a whole. */
    int same() {
        int max = Math.min(before.branches().size(), next.branches().size());
        return IntStream.range(0, max)
                .filter(i -> !isSame(before.branches().get(i), next.branches().get(i)))
                .findFirst()
                .orElse(max);
    }

    /** Which of these are not as far as they were. */
    List<Integer> changed() {
        return IntStream.range(0, same())
                .filter(i -> !before.branches().get(i).equals(next.branches().get(i)))
                .boxed()
                .toList();
    }

    /** What is there after the write. */
    TransactionRecord endedAt(Optional<Instant> at) {
        return next.with(next.progress().endedAt(at));
    }

    private static boolean isSame(BranchRecord one, BranchRecord other) {
        return one.name().equals(other.name())
                && one.pivot() == other.pivot()
                && one.after().equals(other.after())
                && one.targets().equals(other.targets())
                && one.payload().equals(other.payload());
    }
}
