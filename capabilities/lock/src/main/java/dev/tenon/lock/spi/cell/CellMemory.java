package dev.tenon.lock.spi.cell;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The cells that this process has seen of late: what to write over without reading first, and when things in them end. What
 * is forgotten costs a round trip, or makes a lease that has run out seem to last for another one. Thread-safe.
 */
final class CellMemory {
    private final int namesMax;
    private final long charactersMax;
    private final ReentrantLock mutex = new ReentrantLock();
    private final LinkedHashMap<String, Known> cells = new LinkedHashMap<>(16, 0.75f, true);
    private long characters;

    CellMemory(int namesMax, long charactersMax) {
        this.namesMax = namesMax;
        this.charactersMax = charactersMax;
    }

    Optional<Known> find(String name) {
        mutex.lock();
        try {
            return Optional.ofNullable(cells.get(name));
        } finally {
            mutex.unlock();
        }
    }

    /** A cell that the store has told of, and what is known of it now; kept, unless a later state of it is known. */
    Known see(Cell cell, Instant seen) {
        mutex.lock();
        try {
            Known before = cells.get(cell.name());
            if (cell.version() == 0) {
                drop(cell.name());
                return Known.absent(cell.name());
            }
            if (before != null && before.cell().version() == cell.version()) {
                return before;
            }
            Known known = Known.of(cell, seen);
            if (before == null) {
                keep(known);
                return known;
            }
            Known merged = known.with(before);
            if (cell.changed() > before.cell().changed()) {
                keep(merged);
            }
            return merged;
        } finally {
            mutex.unlock();
        }
    }

    /** The same, if the cell has been as it is since a moment that may be before its last sight here. */
    Known seeSince(Cell cell, Instant since) {
        Known known = see(cell, since);
        if (known.cell().version() != cell.version()) {
            return known;
        }
        Known merged = Known.of(cell, since).with(known);
        mutex.lock();
        try {
            Known now = cells.get(cell.name());
            if (now != null && now.cell().version() == cell.version()) {
                keep(merged);
            }
            return merged;
        } finally {
            mutex.unlock();
        }
    }

    /** A cell that this process has written. */
    void wrote(Known known) {
        mutex.lock();
        try {
            String name = known.cell().name();
            Known before = cells.get(name);
            if (known.cell().version() == 0) {
                drop(name);
            } else if (before == null || before.cell().changed() < known.cell().changed()) {
                keep(known);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** How many cells are kept, for tests of leaks. */
    int size() {
        mutex.lock();
        try {
            return cells.size();
        } finally {
            mutex.unlock();
        }
    }

    private void keep(Known known) {
        drop(known.cell().name());
        cells.put(known.cell().name(), known);
        characters += weight(known);
        Iterator<Map.Entry<String, Known>> eldest = cells.entrySet().iterator();
        while (cells.size() > namesMax || characters > charactersMax && cells.size() > 1) {
            characters -= weight(eldest.next().getValue());
            eldest.remove();
        }
    }

    private void drop(String name) {
        Known before = cells.remove(name);
        characters -= before == null ? 0 : weight(before);
    }

    private static long weight(Known known) {
        return known.cell().text().map(String::length).orElse(0);
    }
}
