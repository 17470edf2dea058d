package dev.tenon.tx;

import dev.tenon.TenonException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Open transactions name participants that this process does not know: register them, or keep the old version beside
 * the new one.
 */
public final class UnknownParticipantException extends TenonException {
    private final TreeSet<String> targets;

    /** @param unknown each target, with one of the transactions that name it */
    public UnknownParticipantException(Map<String, TransactionId> unknown) {
        this("", unknown, Set.of());
    }

    /**
     * @param service whose transactions they are
     * @param unknown each target, with one of the transactions that name it
     * @param known the names that this process knows
     */
    public UnknownParticipantException(String service, Map<String, TransactionId> unknown, Set<String> known) {
        super("Open transactions" + (service.isEmpty() ? "" : " of the service \"" + service + "\"")
                + " name participants that this process does not know, by one transaction each: "
                + unknown + "; it knows " + new TreeSet<>(known)
                + ". If they are another application's, one of the two needs another name of its service."
                + " If not, register them under these names; keep an old version beside the new one until its"
                + " transactions have ended");
        this.targets = new TreeSet<>(unknown.keySet());
    }

    /** The targets that this process has no participant for. */
    public Set<String> targets() {
        return Set.copyOf(targets);
    }
}
