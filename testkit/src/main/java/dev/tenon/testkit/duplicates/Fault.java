package dev.tenon.testkit.duplicates;

import java.util.EnumSet;
import java.util.Set;

/** What a {@link DuplicateHunt} does to the processes, clocks and stores of the generators that it hunts in. */
public enum Fault {
    /** The wall clock of one process is set back, by 1 ms to 1 h. */
    CLOCK_BACK,
    /** The wall clock of one process is set forward, by 1 ms to 1 h. */
    CLOCK_FORWARD,
    /** One process dies without a word ({@code kill -9}) and is started again. */
    KILL,
    /** One process dies without a word, its clock is set back as by {@link #CLOCK_BACK}, and it is started again. */
    KILL_AND_CLOCK_BACK,
    /** One process ends in good order, and is started again. */
    RESTART,
    /** The next few calls of the store fail, with no effect. */
    STORE_DOWN,
    /** The next call of the store takes effect, and its reply is lost. */
    REPLY_LOST,
    /** A worker ID is taken away from its holder, as an operator who frees it by hand does. */
    LEASE_STOLEN,
    /** The store goes back to an earlier state, as one restored from a backup does, or a replica that lagged behind. */
    STORE_ROLLED_BACK;

    /**
     * What a generator has to survive. Not in it: {@link #STORE_ROLLED_BACK}, against which a process that saw nothing
     * of what the store forgot can do nothing.
     */
    public static Set<Fault> usual() {
        return EnumSet.complementOf(EnumSet.of(STORE_ROLLED_BACK));
    }
}
