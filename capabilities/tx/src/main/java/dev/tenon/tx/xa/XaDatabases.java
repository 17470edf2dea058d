package dev.tenon.tx.xa;

import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The databases that the transactions of a service may span, by names that stay as they are: they stand in the log.
 * Give it to {@link dev.tenon.tx.Transactions} as the participants (or as some of them: {@link Participants#or}), so
 * that recovery finds them, and to {@link Xa}. Thread-safe.
 */
public final class XaDatabases implements Participants, AutoCloseable {
    private static final String SCHEME = "xa:";

    private final Map<String, XaPool> pools = new TreeMap<>();
    private final Steps steps;

    private XaDatabases(Map<String, XaDatabase> databases, Steps steps) {
        this.steps = steps;
        databases.forEach((name, database) -> {
            if (!XaId.DATABASE.matcher(name).matches()) {
                throw new IllegalArgumentException("The name of a database has 1 to 64 letters, digits and . _ -, as"
                        + " it is part of the name of each branch; \"" + name + "\" has not");
            }
            pools.put(name, new XaPool(name, database, steps));
        });
    }

    /**
     * Databases by their names. No connection is made yet.
     *
     * @throws IllegalArgumentException if a name has other characters than letters, digits and {@code . _ -}, or more
     *     than 64 of them
     */
    public static XaDatabases of(Map<String, XaDatabase> databases) {
        return of(databases, Steps.NONE);
    }

    static XaDatabases of(Map<String, XaDatabase> databases, Steps steps) {
        return new XaDatabases(databases, steps);
    }

    @Override
    public Optional<Participant> find(String target) {
        return target.startsWith(SCHEME)
                ? Optional.ofNullable(pools.get(target.substring(SCHEME.length())))
                        .map(XaParticipant::new)
                : Optional.empty();
    }

    /** What stands in the log for a database. */
    static String target(String name) {
        return SCHEME + name;
    }

    Steps steps() {
        return steps;
    }

    /** By their names, in the order of these. */
    Map<String, XaPool> pools() {
        return pools;
    }

    XaPool pool(String name) {
        XaPool pool = pools.get(name);
        if (pool == null) {
            throw new IllegalArgumentException(
                    "Database \"" + name + "\" is not configured here; configured are " + pools.keySet());
        }
        return pool;
    }

    /** Closes the connections: those in use when their transaction ends. Idempotent. */
    @Override
    public void close() {
        pools.values().forEach(XaPool::close);
    }
}
