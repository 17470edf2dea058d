package dev.tenon.lock.spi.cell;

import java.util.Optional;

/**
 * What {@link LockCells} tell a process without being asked. Called on the store's threads, one call at a time: an
 * implementation must not block.
 */
public interface CellEvents {
    /**
     * A mail to this process has come, once or more often; in the order of the writes, where they are of one name.
     *
     * @param now the cell as that write has left it, if the store tells it along; empty: it does not
     */
    void mail(Mail mail, Optional<Cell> now);

    /** A process is not present any more. Told of those of which {@link LockCells#gone} has said that they are. */
    void gone(String process);

    /**
     * Mail, or word of a process that is gone, may have been lost: of what was said before, nothing more will be told
     * until it is asked for again.
     */
    void resync();
}
