package dev.tenon.lock.spi.cell;

import dev.tenon.Names;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a walk over all cells has seen, for when it comes by again: a lease that nobody renews is only over for who has seen it twice, and
 * the memory of what is worked on forgets a cell before a long walk is back. Only the moment is kept, as the text is read again.
 * When it is full, what is new has to wait until something else has changed or gone, which all that is left behind does in the
 * end. Not thread-safe.
 */
final class CellWalk {
    private final int namesMax;
    private final TreeMap<String, Sight> sights = new TreeMap<>(Names.ORDER);

    private record Sight(long version, Instant first) {}

    CellWalk(int namesMax) {
        this.namesMax = namesMax;
    }

    /**
     * Since when a cell has been as it is.
     *
     * @param now when it was seen
     * @return not after {@code now}
     */
    Instant since(Cell cell, Instant now) {
        @Nullable Sight before = sights.get(cell.name());
        if (before != null && before.version() == cell.version()) {
            return before.first();
        }
        // Of one that somebody changes, nothing is left behind: its room is for another until the walk is back.
        sights.remove(cell.name());
        if (before == null && sights.size() < namesMax) {
            sights.put(cell.name(), new Sight(cell.version(), now));
        }
        return now;
    }

    /**
     * Forgets what is no more.
     *
     * @param after where a page began
     * @param last whether there is nothing behind it
     */
    void passed(String after, List<Cell> page, boolean last) {
        Set<String> there = new HashSet<>();
        page.forEach(cell -> there.add(cell.name()));
        var range = last
                ? sights.tailMap(after, false)
                : sights.subMap(after, false, page.get(page.size() - 1).name(), true);
        range.keySet().removeIf(name -> !there.contains(name));
    }

    /** How many cells are remembered, for tests of leaks. */
    int size() {
        return sights.size();
    }
}
