package dev.tenon.tx.spi;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionRecord;
import java.util.Iterator;
import java.util.List;

/**
 * How much memory a transaction takes in a log that is kept in memory, roughly, on a JVM of 64 bits. A function of the
 * values alone, so that it is the same on every replica.
 */
public final class TransactionFootprint {
    private static final long TRANSACTION = 900;
    private static final long BRANCH = 400;
    private static final long TARGET = 48;
    private static final long LINE = 120;
    private static final long TEXT = 48;

    /** A JVM keeps a text in one byte a character if none of them is beyond this. */
    private static final char LATIN_MAX = 0xFF;

    private TransactionFootprint() {}

    /** Bytes of a transaction as it is to begin. */
    public static long of(TransactionDraft draft) {
        return TRANSACTION
                + brief(draft.gid().text())
                + brief(draft.name())
                + text(draft.payload())
                + of(draft.branches().iterator());
    }

    /** Bytes of a transaction, without its history. */
    public static long of(TransactionRecord tx) {
        return TRANSACTION
                + brief(tx.gid().text())
                + brief(tx.name())
                + text(tx.payload())
                + of(tx.branches().iterator());
    }

    /** Bytes of a branch. */
    public static long of(BranchRecord branch) {
        long bytes = BRANCH
                + brief(branch.name())
                + text(branch.payload())
                + 8L * branch.after().size();
        for (String target : branch.targets().values()) {
            bytes += TARGET + brief(target);
        }
        bytes += branch.result().map(TransactionFootprint::text).orElse(0L);
        bytes += branch.lastError().map(TransactionFootprint::text).orElse(0L);
        return bytes;
    }

    /** Bytes of lines of a history. */
    public static long of(List<TransactionEvent> events) {
        long bytes = 0;
        for (TransactionEvent event : events) {
            bytes += LINE + brief(event.what()) + brief(event.by()) + text(event.detail());
        }
        return bytes;
    }

    private static long of(Iterator<BranchRecord> branches) {
        long bytes = 0;
        while (branches.hasNext()) {
            BranchRecord branch = branches.next();
            bytes += BRANCH
                    + brief(branch.name())
                    + text(branch.payload())
                    + 8L * branch.after().size();
            for (String target : branch.targets().values()) {
                bytes += TARGET + brief(target);
            }
            bytes += branch.result().map(TransactionFootprint::text).orElse(0L);
            bytes += branch.lastError().map(TransactionFootprint::text).orElse(0L);
        }
        return bytes;
    }

    private static long brief(String value) {
        return TEXT + 2L * value.length();
    }

    private static long text(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) > LATIN_MAX) {
                return TEXT + 2L * value.length();
            }
        }
        return TEXT + value.length();
    }
}
