package dev.tenon.tx.engine;

import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Transactions;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Participants, with a warning, once for each, about those that transactions name and this process does not know. */
final class WarnedParticipants implements Participants {
    private static final System.Logger LOG = System.getLogger(Transactions.class.getName());

    /** Bounds the memory that unknown names take. */
    private static final int WARNED_MAX = 100;

    private final Participants participants;
    private final String service;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    WarnedParticipants(Participants participants, String service) {
        this.participants = Objects.requireNonNull(participants, "participants");
        this.service = service;
    }

    @Override
    public Optional<Participant> find(String target) {
        Optional<Participant> found = participants.find(target);
        if (found.isEmpty() && warned.size() < WARNED_MAX && warned.add(target)) {
            LOG.log(
                    Level.WARNING,
                    "A transaction of the service \"" + service + "\" calls the participant \"" + target
                            + "\", which this process does not know, and waits; it knows " + names()
                            + ". If another application has begun it, one of the two needs another name of its service");
        }
        return found;
    }

    @Override
    public Set<String> names() {
        return participants.names();
    }
}
