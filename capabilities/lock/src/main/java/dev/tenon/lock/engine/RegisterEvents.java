package dev.tenon.lock.engine;

import java.util.Optional;

/**
 * What a {@link RegisterStore} tells a process without being asked. Called on the store's threads, one call at a time:
 * an implementation must not block.
 */
public interface RegisterEvents {
    /**
     * A notice to this process has come, once or more often; in the order of the writes, where they are of one name.
     *
     * @param now the register as that write has left it, if the store tells it along; empty: it does not
     */
    void noticed(Notice notice, Optional<Register> now);

    /** A process is not present any more. Told of those of which {@link RegisterStore#gone} has said that they are. */
    void gone(String process);

    /**
     * A notice, or word of a process that is gone, may have been lost: of what was said before, nothing more will be
     * told until it is asked for again.
     */
    void resync();
}
