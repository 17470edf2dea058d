package dev.tenon.id.machine;

import dev.tenon.Names;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Every sequence of a store as a pure table: what a {@link RangeStore} that keeps its state in this JVM runs as it
 * is. It is deterministic (the same calls in the same order give the same state and the same answers, so that it can
 * be replicated), reads no clock and does no I/O. A call that throws changes nothing, but for {@link #raiseTo}, as it
 * says. Not thread-safe.
 */
public final class RangeTable {
    private static final long ENTRY_BYTES = 250;

    private final TreeMap<String, Entry> entries = new TreeMap<>();
    private long characters;

    /**
     * A sequence and how far it got.
     *
     * @param last the last number that was given out; {@code start − step} if none was
     */
    public record Entry(String name, RangeDefinition definition, long last) {
        public Entry {
            Names.requireValid("sequence name", name);
            long before = definition.start() - definition.step();
            if (last < before || last > definition.max()) {
                throw new IllegalArgumentException(
                        "Last number of " + name + " is outside its definition " + definition + ": " + last);
            }
        }

        // The form "last > max - step" can't overflow, while "last + step > max" can.
        private boolean exhausted() {
            return last > definition.max() - definition.step();
        }

        private long next() {
            if (exhausted()) {
                throw new RangeExhaustedException("Sequence \"" + name + "\" is used up: its last number is " + last
                        + " and its max " + definition.max());
            }
            return last + definition.step();
        }
    }

    /** An empty table. */
    public RangeTable() {}

    /** A table with the state that another one exported. */
    public static RangeTable of(List<Entry> exported) {
        RangeTable table = new RangeTable();
        for (Entry entry : exported) {
            if (!table.put(entry)) {
                throw new IllegalArgumentException("Sequence " + entry.name() + " is there twice");
            }
        }
        return table;
    }

    /** The whole state, in ascending order of names. */
    public List<Entry> export() {
        return List.copyOf(entries.values());
    }

    /** How many sequences there are. */
    public int size() {
        return entries.size();
    }

    /** How much memory all of it takes, roughly, in bytes. */
    public long bytes() {
        return entries.size() * ENTRY_BYTES + 2 * characters;
    }

    /** As {@link RangeStore#next}. */
    public IdRange next(String name, long count) {
        IdRange.requireCount(count);
        Entry entry = entry(name);
        RangeDefinition definition = entry.definition();
        long first = entry.next();
        long steps = Math.min(count - 1, (definition.max() - first) / definition.step());
        IdRange range = new IdRange(first, steps + 1, definition.step());
        put(new Entry(name, definition, range.last()));
        return range;
    }

    /** As {@link RangeStore#define}. */
    public void define(String name, RangeDefinition definition) {
        Names.requireValid("sequence name", name);
        Objects.requireNonNull(definition, "definition");
        Entry entry = entries.get(name);
        if (entry == null) {
            put(fresh(name, definition));
        } else if (!entry.definition().equals(definition)) {
            throw new DefinitionConflictException(
                    "Sequence \"" + name + "\" exists as " + entry.definition() + ", not as " + definition);
        }
    }

    /** As {@link RangeStore#definition}. */
    public Optional<RangeDefinition> definition(String name) {
        return Optional.ofNullable(entries.get(Names.requireValid("sequence name", name)))
                .map(Entry::definition);
    }

    /** As {@link RangeStore#raiseTo}. */
    public long raiseTo(String name, long floor) {
        Entry entry = entry(name);
        RangeDefinition definition = entry.definition();
        if (!entry.exhausted()) {
            long next = entry.next();
            long reached = Math.min(floor, definition.max());
            if (reached >= next) {
                long last = next + (reached - next) / definition.step() * definition.step();
                entry = new Entry(name, definition, last);
            }
        }
        put(entry);
        return entry.next();
    }

    /** Whether it is a new one. */
    private boolean put(Entry entry) {
        boolean fresh = entries.put(entry.name(), entry) == null;
        characters += fresh ? entry.name().length() : 0;
        return fresh;
    }

    private Entry entry(String name) {
        Names.requireValid("sequence name", name);
        Entry entry = entries.get(name);
        return entry == null ? fresh(name, RangeDefinition.DEFAULT) : entry;
    }

    private static Entry fresh(String name, RangeDefinition definition) {
        return new Entry(name, definition, definition.start() - definition.step());
    }
}
