package dev.tenon.lock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A store of registers that are compared and set: all that the lock machine asks of etcd, ZooKeeper, or what else can
 * do this. One object serves one process.
 *
 * <p>Every call blocks for as long as its round trips take, and ends by the store's own timeout. Reads are
 * linearizable: they show every write that had been answered when they were called. A call fails with
 * {@link dev.tenon.BackendUnavailableException} if nothing happened, and with {@link dev.tenon.OutcomeUnknownException}
 * if it may have happened. Implementations are thread-safe, and retry nothing that may have happened.
 */
public interface RegisterStore extends AutoCloseable {
    /** The most registers of one {@link #read} or {@link #write}. */
    int REGISTERS_MAX = 100;

    /**
     * A change of one register.
     *
     * @param seen the register that is to be replaced: the change is made only if its version is still that; an absent
     *     one is created
     * @param next the new text; empty: the register is deleted, and then it was not absent
     */
    record Change(Register seen, Optional<String> next) {}

    /**
     * The answer to a {@link #write}.
     *
     * @param done false: one of the registers at least was not as seen, nothing was changed and no notice was sent
     * @param now the registers, in the order of the changes: as this write has left them; or, if it was not done, as
     *     they are
     */
    record Written(boolean done, List<Register> now) {
        public Written {
            now = List.copyOf(now);
        }
    }

    /** The registers of these names, 1 to {@value #REGISTERS_MAX} different ones, in their order. One round trip. */
    List<Register> read(List<String> names);

    /**
     * Makes all of these changes and sends all of these notices, in one step; or nothing of it. One round trip,
     * whichever way it ends.
     *
     * @param changes 1 to {@value #REGISTERS_MAX}, of different names
     * @param notices may be to one process more than once
     */
    Written write(List<Change> changes, List<Notice> notices);

    /**
     * Registers whose name starts with {@code prefix}, in ascending order of their names
     * ({@link dev.tenon.Names#ORDER}).
     *
     * @param after only names greater than this one; empty for the first page
     * @param limit greatest number of registers; fewer: there are no more
     */
    List<Register> page(String prefix, String after, int limit);

    /**
     * A page of all registers, for who walks through them again and again: of registers that were made since the walk
     * began some may be missing; those that are in it are as they are now.
     *
     * @param after the name of the last register of the page before; empty for the first page
     * @param limit greatest number of registers; fewer: there are no more
     */
    default List<Register> walk(String after, int limit) {
        return page("", after, limit);
    }

    /**
     * Makes a process present, and has its notices delivered from now on. Repeated, or done again after the presence
     * was lost, it makes sure that both are so; the events go to the latest receiver.
     *
     * @param process chosen by the caller, unique over all time; up to 40 letters, digits and hyphens
     * @param ttl how long it stays present without {@link #keepAlive}, if the store lets one choose
     * @return how long it will stay present at least, counted from the moment of this call
     */
    Duration enter(String process, Duration ttl, RegisterEvents events);

    /**
     * Keeps the process present.
     *
     * @return how long it will stay present at least, counted from the moment of this call; empty: it is not present
     *     any more, and was perhaps told nothing for a while; {@link #enter} makes it so again
     */
    Optional<Duration> keepAlive(String process);

    /** Ends the presence of a process; others are told at once. */
    void leave(String process);

    /**
     * Those of these processes that are not present. Of each of the others {@link RegisterEvents#gone} will tell, until
     * {@link RegisterEvents#resync}.
     */
    Set<String> gone(Set<String> processes);

    /** Gives up what this object owns; the presence of the process ends by itself, unless it was ended. Idempotent. */
    @Override
    void close();
}
