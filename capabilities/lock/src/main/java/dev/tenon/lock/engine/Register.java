package dev.tenon.lock.engine;

import dev.tenon.Names;
import java.util.Optional;

/**
 * What a store has of one name at one moment.
 *
 * @param name of the lock
 * @param text its content; empty: there is none
 * @param version 0: there is no register; else what stands for this very content in a comparison. No other content of
 *     this name has it, ever, not even after the register was deleted and made anew: a process that was stopped may
 *     come back after any time with the version that it remembers
 * @param created the number of the store's write that made it; 0 if there is no register
 * @param changed the number of the store's write that last changed it; 0 if there is no register. Writes are counted
 *     over the whole store, for ever, upwards (etcd: revisions; ZooKeeper: zxids)
 */
public record Register(String name, Optional<String> text, long version, long created, long changed) {
    public Register {
        Names.requireValid("lock name", name);
        if (text.isPresent() != version > 0 || created > changed || created < 0 || text.isPresent() != created > 0) {
            throw new IllegalArgumentException("Not a register: version " + version + ", created by " + created
                    + ", changed by " + changed + (text.isPresent() ? "" : ", without text"));
        }
    }

    /** A name that the store has no register of. */
    public static Register absent(String name) {
        return new Register(name, Optional.empty(), 0, 0, 0);
    }
}
