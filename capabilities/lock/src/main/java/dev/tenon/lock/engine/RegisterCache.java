package dev.tenon.lock.engine;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The registers that this process has seen of late: what to write over without reading first, and when things in them
 * end. What is forgotten costs a round trip, or makes a lease that has run out seem to last for another one.
 * Thread-safe.
 */
final class RegisterCache {
    private final int namesMax;
    private final long charactersMax;
    private final ReentrantLock mutex = new ReentrantLock();
    private final LinkedHashMap<String, RegisterView> registers = new LinkedHashMap<>(16, 0.75f, true);
    private long characters;

    RegisterCache(int namesMax, long charactersMax) {
        this.namesMax = namesMax;
        this.charactersMax = charactersMax;
    }

    Optional<RegisterView> find(String name) {
        mutex.lock();
        try {
            return Optional.ofNullable(registers.get(name));
        } finally {
            mutex.unlock();
        }
    }

    /**
     * A register that the store has told of, and what is known of it now; kept, unless a later state of it is known.
     */
    RegisterView see(Register register, Instant seen) {
        mutex.lock();
        try {
            RegisterView before = registers.get(register.name());
            if (register.version() == 0) {
                drop(register.name());
                return RegisterView.absent(register.name());
            }
            if (before != null && before.register().version() == register.version()) {
                return before;
            }
            RegisterView known = RegisterView.of(register, seen);
            if (before == null) {
                keep(known);
                return known;
            }
            RegisterView merged = known.with(before);
            if (register.changed() > before.register().changed()) {
                keep(merged);
            }
            return merged;
        } finally {
            mutex.unlock();
        }
    }

    /** The same, if the register has been as it is since a moment that may be before its last sight here. */
    RegisterView seeSince(Register register, Instant since) {
        RegisterView known = see(register, since);
        if (known.register().version() != register.version()) {
            return known;
        }
        RegisterView merged = RegisterView.of(register, since).with(known);
        mutex.lock();
        try {
            RegisterView now = registers.get(register.name());
            if (now != null && now.register().version() == register.version()) {
                keep(merged);
            }
            return merged;
        } finally {
            mutex.unlock();
        }
    }

    /** A register that this process has written. */
    void wrote(RegisterView known) {
        mutex.lock();
        try {
            String name = known.register().name();
            RegisterView before = registers.get(name);
            if (known.register().version() == 0) {
                drop(name);
            } else if (before == null
                    || before.register().changed() < known.register().changed()) {
                keep(known);
            }
        } finally {
            mutex.unlock();
        }
    }

    /** How many registers are kept, for tests of leaks. */
    int size() {
        mutex.lock();
        try {
            return registers.size();
        } finally {
            mutex.unlock();
        }
    }

    private void keep(RegisterView known) {
        drop(known.register().name());
        registers.put(known.register().name(), known);
        characters += weight(known);
        Iterator<Map.Entry<String, RegisterView>> eldest = registers.entrySet().iterator();
        while (registers.size() > namesMax || characters > charactersMax && registers.size() > 1) {
            characters -= weight(eldest.next().getValue());
            eldest.remove();
        }
    }

    private void drop(String name) {
        RegisterView before = registers.remove(name);
        characters -= before == null ? 0 : weight(before);
    }

    private static long weight(RegisterView known) {
        return known.register().text().map(String::length).orElse(0);
    }
}
