package dev.tenon.tx.engine;

import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which transactions wait for which participant: those that found no place among the calls to it are retried as soon as
 * it answers any call; those that it failed, once it answers again after {@link #OUTAGE} failures in a row, so that one
 * call that always fails is not made each time that another one succeeds. Bounded: what is forgotten comes in its own
 * time. Thread-safe.
 */
final class Waits {
    private static final int OUTAGE = 3;
    private static final int REMEMBERED = 10_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Party> parties = new HashMap<>();

    /** A participant that transactions wait for. */
    private static final class Party {
        private final Set<TransactionId> ready = new LinkedHashSet<>();
        private final Set<TransactionId> failed = new LinkedHashSet<>();
        private int failures;
        private boolean answers;

        boolean isFull() {
            return ready.size() + failed.size() >= REMEMBERED;
        }
    }

    private Party of(String target) {
        return parties.computeIfAbsent(TargetShares.party(target), party -> new Party());
    }

    /** It had no place for this call, which was not made. */
    void uncalled(TransactionId gid, String target) {
        lock.lock();
        try {
            Party party = of(target);
            if (!party.isFull()) {
                party.failed.remove(gid);
                party.ready.add(gid);
            }
        } finally {
            lock.unlock();
        }
    }

    /** It has failed. */
    void failed(TransactionId gid, String target) {
        lock.lock();
        try {
            Party party = of(target);
            party.ready.remove(gid);
            if (!party.isFull()) {
                party.failed.add(gid);
            }
            party.failures++;
            party.answers &= party.failures < OUTAGE;
        } finally {
            lock.unlock();
        }
    }

    /** It has answered; returns the answer. "Not yet" says nothing about the others that wait. */
    Reply answered(TransactionId gid, String target, Reply reply) {
        lock.lock();
        try {
            Party party = parties.get(TargetShares.party(target));
            if (party == null || reply instanceof Reply.NotYet) {
                return reply;
            }
            party.ready.remove(gid);
            party.failed.remove(gid);
            if (party.failures >= OUTAGE) {
                party.ready.addAll(party.failed);
                party.failed.clear();
            }
            party.failures = 0;
            party.answers = true;
            if (party.ready.isEmpty() && party.failed.isEmpty()) {
                parties.remove(TargetShares.party(target));
            }
            return reply;
        } finally {
            lock.unlock();
        }
    }

    /** One that waits for a participant which answers; it waits no more. */
    Optional<TransactionId> next() {
        lock.lock();
        try {
            for (Party party : parties.values()) {
                if (party.answers && !party.ready.isEmpty()) {
                    TransactionId first = party.ready.iterator().next();
                    party.ready.remove(first);
                    return Optional.of(first);
                }
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }
}
