package dev.tenon.tx;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The participants of this process, by the names that stand in the log. A log outlives the program that wrote it: a
 * name carries a version, and an old version stays registered until its last transaction has ended. Thread-safe.
 */
public final class NamedParticipants implements Participants {
    private final Map<String, Participant> all = new ConcurrentHashMap<>();

    /**
     * Adds one.
     *
     * @param name such as {@code "saga:order/2/stock"}
     * @throws IllegalArgumentException if there is one of that name
     */
    public NamedParticipants register(String name, Participant participant) {
        Objects.requireNonNull(participant, "participant");
        if (all.putIfAbsent(name, participant) != null) {
            throw new IllegalArgumentException("There is a participant \"" + name
                    + "\" already: what does something else needs another name or a greater version");
        }
        return this;
    }

    @Override
    public Optional<Participant> find(String target) {
        return Optional.ofNullable(all.get(target));
    }

    @Override
    public Set<String> names() {
        return new TreeSet<>(all.keySet());
    }
}
