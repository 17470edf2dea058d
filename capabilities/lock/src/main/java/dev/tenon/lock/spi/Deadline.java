package dev.tenon.lock.spi;

import dev.tenon.Names;
import java.time.Instant;

/**
 * When something in a {@link LockTable} is over, if nothing happens to it.
 *
 * @param ofSession whether {@code id} is of a session; else it is the name of a lock
 */
record Deadline(Instant at, boolean ofSession, String id) implements Comparable<Deadline> {
    @Override
    public int compareTo(Deadline other) {
        int byTime = at.compareTo(other.at);
        if (byTime != 0) {
            return byTime;
        }
        // A session ends before its locks expire at the same moment, so that it is reported with them.
        int byKind = Boolean.compare(other.ofSession, ofSession);
        return byKind != 0 ? byKind : Names.ORDER.compare(id, other.id);
    }
}
