package dev.tenon.testkit.duplicates;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One start of one process of a {@link DuplicateHunt}, as the generator in it sees the world: clocks that are its own,
 * and a store that it shares with the other processes. Not thread-safe.
 */
public final class SimulatedProcess {
    private final int index;
    private final int start;
    private final SimulatedTime.Clocks clocks;
    private final SimulatedStore store;
    private @Nullable AutoCloseable resource;

    SimulatedProcess(int index, int start, SimulatedTime.Clocks clocks, SimulatedStore store) {
        this.index = index;
        this.start = start;
        this.clocks = clocks;
        this.store = store;
    }

    /**
     * Which process this is, from 0 on; the same after a restart. A generator with a fixed worker ID uses it as that.
     */
    public int index() {
        return index;
    }

    /** How often the process was started before. */
    public int starts() {
        return start;
    }

    /** The clocks of this process: the wall clock jumps, the monotonic one does not. */
    public TimeSource time() {
        return clocks;
    }

    /** The wall clock, for generators that take one of the JDK's. */
    public Clock clock() {
        return clocks.wall();
    }

    /** The ranges of the store. */
    public RangeStore ranges() {
        return store.ranges();
    }

    /** The worker IDs of one group of the store. */
    public WorkerIdSource workerIds(String group) {
        return store.workerIds(group);
    }

    /**
     * What is closed when the process ends in good order; a killed process closes nothing, though the hunt's end does.
     */
    public void onClose(AutoCloseable closed) {
        resource = closed;
    }

    Optional<AutoCloseable> resource() {
        return Optional.ofNullable(resource);
    }
}
