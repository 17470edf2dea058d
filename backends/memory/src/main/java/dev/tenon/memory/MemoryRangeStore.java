package dev.tenon.memory;

import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A {@link RangeTable} behind one mutex. */
final class MemoryRangeStore implements RangeStore {
    private final ReentrantLock mutex = new ReentrantLock();
    private final RangeTable table;

    /**
     * @param table used by nothing else from now on
     */
    MemoryRangeStore(RangeTable table) {
        this.table = table;
    }

    @Override
    public IdRange next(String name, long count) {
        mutex.lock();
        try {
            return table.next(name, count);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        mutex.lock();
        try {
            table.define(name, definition);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        mutex.lock();
        try {
            return table.definition(name);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long raiseTo(String name, long floor) {
        mutex.lock();
        try {
            return table.raiseTo(name, floor);
        } finally {
            mutex.unlock();
        }
    }
}
