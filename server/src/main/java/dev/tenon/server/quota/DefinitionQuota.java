package dev.tenon.server.quota;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.problem.ProblemException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The names that are kept for good once they are used: those of IDs, of sequences and of groups of worker IDs. Each is
 * charged to the key with which it was used for the first time here, unless it was there before. Thread-safe.
 */
public final class DefinitionQuota {
    private static final long BYTES = 500;
    private static final int KNOWN_MAX = 20_000;

    private final ReentrantLock guard = new ReentrantLock();
    private final Map<String, Charge> fresh = new HashMap<>();
    private final Map<String, Boolean> known = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > KNOWN_MAX;
        }
    };
    private final Quotas quotas;

    private record Charge(String key, long bytes) {}

    DefinitionQuota(Quotas quotas) {
        this.quotas = quotas;
    }

    /**
     * Makes room for a name, unless it has some, and uses it. Blocks as far as {@code exists} and {@code work} do.
     *
     * @param key the ID of the API key of whoever uses it; empty: none was asked for
     * @param name with its kind before it, such as {@code ids orders}
     * @param length of its definition, in characters
     * @param exists whether the store has it already
     * @param work what uses it; if it throws, the name was not used
     * @throws ProblemException if there are too many already, or they take too much
     */
    public <T> T using(String key, String name, int length, BooleanSupplier exists, Supplier<T> work) {
        boolean first = enter(key, name, length, exists);
        try {
            return work.get();
        } catch (OutcomeUnknownException | WorkerIdsForgottenException e) {
            throw e; // it may be there now; a group that gives no worker ID yet is
        } catch (RuntimeException e) {
            if (first) {
                gone(name);
            }
            throw e;
        }
    }

    /** Whether the name was charged now. */
    private boolean enter(String key, String name, int length, BooleanSupplier exists) {
        guard.lock();
        try {
            if (fresh.containsKey(name) || known.containsKey(name)) {
                return false;
            }
        } finally {
            guard.unlock();
        }
        boolean there = exists.getAsBoolean();
        guard.lock();
        try {
            if (there) {
                known.put(name, true);
            } else if (!fresh.containsKey(name)) {
                Charge charge = new Charge(key, BYTES + 2L * (name.length() + length));
                quotas.enter(LimitedResource.DEFINITIONS, key, charge.bytes());
                fresh.put(name, charge);
                return true;
            }
            return false;
        } finally {
            guard.unlock();
        }
    }

    /** A name is gone. */
    public void gone(String name) {
        guard.lock();
        try {
            known.remove(name);
            Charge charge = fresh.remove(name);
            if (charge != null) {
                quotas.leave(LimitedResource.DEFINITIONS, charge.key(), charge.bytes());
            }
        } finally {
            guard.unlock();
        }
    }
}
