package dev.tenon.tx;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds the participant that a target in the log stands for. Thread-safe. */
@FunctionalInterface
public interface Participants {
    /**
     * The participant of a target; empty if this process knows none: then the call waits, and the error in the log says
     * so.
     *
     * @param target an address, or a name with a version
     */
    Optional<Participant> find(String target);

    /**
     * The names that are known here, for messages about an unknown one; without addresses, of which there is no list.
     */
    default Set<String> names() {
        return Set.of();
    }

    /** These first, then {@code others}. */
    default Participants or(Participants others) {
        Participants first = this;
        return new Participants() {
            @Override
            public Optional<Participant> find(String target) {
                return first.find(target).or(() -> others.find(target));
            }

            @Override
            public Set<String> names() {
                Set<String> all = new TreeSet<>(first.names());
                all.addAll(others.names());
                return all;
            }
        };
    }
}
