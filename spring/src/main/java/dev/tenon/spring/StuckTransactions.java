package dev.tenon.spring;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How many transactions of this application somebody has to look at. Thread-safe; asks the store. */
interface StuckTransactions {
    /** Counts the newest 1000. */
    Found look();

    /**
     * What was found.
     *
     * @param stuck how many are suspended or reported as stuck
     * @param suspended how many of these wait for an operator
     * @param oldest when the one that began first did; null: there is none
     * @param health what health is now
     */
    record Found(long stuck, long suspended, @Nullable Instant oldest, StuckHealth health) {}
}
