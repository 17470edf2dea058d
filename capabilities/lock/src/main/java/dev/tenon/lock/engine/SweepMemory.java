package dev.tenon.lock.engine;

import dev.tenon.Names;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a walk over all registers has seen, for when it comes by again: a lease that nobody renews is only over for who
 * has seen it twice, and the memory of what is worked on forgets a register before a long walk is back. Only the moment
 * is kept, as the text is read again. When it is full, what is new has to wait until something else has changed or
 * gone, which all that is left behind does in the end. Not thread-safe.
 */
final class SweepMemory {
    private final int namesMax;
    private final TreeMap<String, Sight> sights = new TreeMap<>(Names.ORDER);

    private record Sight(long version, Instant first) {}

    SweepMemory(int namesMax) {
        this.namesMax = namesMax;
    }

    /**
     * Since when a register has been as it is.
     *
     * @param now when it was seen
     * @return not after {@code now}
     */
    Instant since(Register register, Instant now) {
        @Nullable Sight before = sights.get(register.name());
        if (before != null && before.version() == register.version()) {
            return before.first();
        }
        // Of one that somebody changes, nothing is left behind: its room is for another until the walk is back.
        sights.remove(register.name());
        if (before == null && sights.size() < namesMax) {
            sights.put(register.name(), new Sight(register.version(), now));
        }
        return now;
    }

    /**
     * Forgets what is no more.
     *
     * @param after where a page began
     * @param last whether there is nothing behind it
     */
    void passed(String after, List<Register> page, boolean last) {
        Set<String> there = new HashSet<>();
        page.forEach(register -> there.add(register.name()));
        var range = last
                ? sights.tailMap(after, false)
                : sights.subMap(after, false, page.get(page.size() - 1).name(), true);
        range.keySet().removeIf(name -> !there.contains(name));
    }

    /** How many registers are remembered, for tests of leaks. */
    int size() {
        return sights.size();
    }
}
