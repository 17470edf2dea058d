package dev.tenon.lock;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A line inside the process before each lock: one at a time holds the lock or stands for it in the store's queue, so
 * that a store sees at most one waiter of each process. First come, first served. Thread-safe.
 */
final class LocalGates {
    /**
     * A name that is in the map is taken; its line may be empty. Thousands may leave a line at once: each is found by
     * its hash.
     */
    private final Map<String, Set<Place>> lines = new ConcurrentHashMap<>();

    /**
     * A place in a line.
     *
     * @param wish what is wanted
     * @param owner who wants it
     * @param turn completes when this one has passed the gate: with a lease if the one before handed its own on, else
     *     with nothing
     */
    record Place(Wish wish, String owner, CompletableFuture<Optional<Lease>> turn) {
        Place(Wish wish, String owner) {
            this(wish, owner, new CompletableFuture<>());
        }
    }

    /** Passes the gate if nobody is in it. */
    boolean tryEnter(String name) {
        return lines.putIfAbsent(name, new LinkedHashSet<>(0)) == null;
    }

    /** Stands in line. */
    void enter(Place place) {
        boolean[] free = new boolean[1];
        lines.compute(place.wish().name(), (n, line) -> {
            if (line == null) {
                free[0] = true;
                return new LinkedHashSet<>(0);
            }
            line.add(place);
            return line;
        });
        if (free[0]) {
            place.turn().complete(Optional.empty());
        }
    }

    /** Leaves the line. False: it is too late, the gate has been passed. */
    boolean leaveLine(Place place) {
        boolean[] left = new boolean[1];
        lines.computeIfPresent(place.wish().name(), (n, line) -> {
            left[0] = line.remove(place);
            return line;
        });
        return left[0];
    }

    /** Takes the next one out of the line, if it wants just what {@code wish} says, to be given what was held so. */
    @Nullable
    Place successor(Wish wish) {
        AtomicReference<@Nullable Place> next = new AtomicReference<>();
        lines.computeIfPresent(wish.name(), (n, line) -> {
            Place first = first(line);
            if (first != null && first.wish().equals(wish)) {
                line.remove(first);
                next.set(first);
            }
            return line;
        });
        return next.get();
    }

    /** Lets the next one pass. */
    void leave(String name) {
        AtomicReference<@Nullable Place> next = new AtomicReference<>();
        lines.computeIfPresent(name, (n, line) -> {
            Place first = first(line);
            if (first == null) {
                return null;
            }
            line.remove(first);
            next.set(first);
            return line;
        });
        Place first = next.get();
        if (first != null) {
            first.turn().complete(Optional.empty());
        }
    }

    private static @Nullable Place first(Set<Place> line) {
        return line.isEmpty() ? null : line.iterator().next();
    }

    /** Sends everybody home who stands in a line: their turns are cancelled. */
    void sendHome() {
        for (String name : lines.keySet()) {
            List<Place> all = new ArrayList<>();
            lines.computeIfPresent(name, (n, line) -> {
                all.addAll(line);
                line.clear();
                return line;
            });
            all.forEach(place -> place.turn().cancel(false));
        }
    }

    /** Tells who stands in which line. */
    void forEachInLine(BiConsumer<String, String> ownerAndName) {
        for (String name : lines.keySet()) {
            lines.computeIfPresent(name, (n, line) -> {
                line.forEach(place -> ownerAndName.accept(place.owner(), n));
                return line;
            });
        }
    }
}
