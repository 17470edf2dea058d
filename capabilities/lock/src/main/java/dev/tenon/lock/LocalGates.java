package dev.tenon.lock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A line inside the process before each lock: one at a time holds the lock or stands for it in the store's queue, so that
 * a store sees at most one waiter of each process. First come, first served. Thread-safe.
 */
final class LocalGates {
    /** A name that is in the map is taken; its line may be empty. */
    private final Map<String, Deque<CompletableFuture<Void>>> lines = new ConcurrentHashMap<>();

    /** Passes the gate if nobody is in it. */
    boolean tryEnter(String name) {
        return lines.putIfAbsent(name, new ArrayDeque<>(0)) == null;
    }

    /** Stands in line; the future completes when this one has passed the gate. */
    CompletableFuture<Void> enter(String name) {
        CompletableFuture<Void> turn = new CompletableFuture<>();
        lines.compute(name, (n, line) -> {
            if (line == null) {
                turn.complete(null);
                return new ArrayDeque<>(0);
            }
            line.add(turn);
            return line;
        });
        return turn;
    }

    /** Leaves the line. False: it is too late, the gate has been passed. */
    boolean leaveLine(String name, CompletableFuture<Void> turn) {
        boolean[] left = new boolean[1];
        lines.computeIfPresent(name, (n, line) -> {
            left[0] = line.remove(turn);
            return line;
        });
        return left[0];
    }

    /** Lets the next one pass. */
    void leave(String name) {
        AtomicReference<CompletableFuture<Void>> next = new AtomicReference<>();
        lines.computeIfPresent(name, (n, line) -> {
            CompletableFuture<Void> turn = line.poll();
            if (turn == null) {
                return null;
            }
            next.set(turn);
            return line;
        });
        CompletableFuture<Void> turn = next.get();
        if (turn != null) {
            turn.complete(null);
        }
    }
}
