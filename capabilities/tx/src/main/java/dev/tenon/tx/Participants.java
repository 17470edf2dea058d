package dev.tenon.tx;

import java.util.Optional;

/** Finds the participant that a target in the log stands for. Thread-safe. */
@FunctionalInterface
public interface Participants {
    /**
     * The participant of a target; empty if this process knows none: then the call waits, and the error in the log says so.
     *
     * @param target an address, or a name with a version
     */
    Optional<Participant> find(String target);

    /** These first, then {@code others}. */
    default Participants or(Participants others) {
        return target -> find(target).or(() -> others.find(target));
    }
}
