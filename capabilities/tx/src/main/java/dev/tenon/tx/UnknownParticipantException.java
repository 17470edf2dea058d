package dev.tenon.tx;

import dev.tenon.TenonException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Open transactions name participants that this process does not know: register them, or keep the old version beside the new one. */
public final class UnknownParticipantException extends TenonException {
    private final TreeSet<String> targets;

    /** @param unknown each target, with one of the transactions that name it */
    public UnknownParticipantException(Map<String, TransactionId> unknown) {
        super("Open transactions name participants that this process does not know, by one transaction each: " + unknown
                + ". Register them under these names; keep an old version beside the new one until its transactions"
                + " have ended");
        this.targets = new TreeSet<>(unknown.keySet());
    }

    /** The targets that nobody answers to. */
    public Set<String> targets() {
        return Set.copyOf(targets);
    }
}
