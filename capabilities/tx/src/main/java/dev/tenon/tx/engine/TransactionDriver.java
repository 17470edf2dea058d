package dev.tenon.tx.engine;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.ModeProtocol;
import dev.tenon.tx.spi.ModeProtocol.Step;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Drives transactions that this process has claimed: writes down what it is about to call, calls it, writes down the
 * answers and what follows from them, until nothing is due. Holds no connection and no lock during a call. A write that
 * finds a greater epoch means that another process has taken over: then it stops at once. Thread-safe.
 */
final class TransactionDriver {
    private final TransactionStore store;
    private final ModeRegistry modes;
    private final String owner;
    private final TransactionOptions options;
    private final ParticipantCalls calls;
    private final Reports reports;

    /** @param owner the name under which this process claims */
    TransactionDriver(
            TransactionStore store,
            ModeRegistry modes,
            String owner,
            TransactionOptions options,
            ParticipantCalls calls) {
        this.store = store;
        this.modes = modes;
        this.owner = owner;
        this.options = options;
        this.calls = calls;
        this.reports = new Reports(owner, options.stuckAfter());
    }

    /** What to write next, and the calls to make when that is written. */
    private record Plan(TransactionRecord record, List<Step> steps, List<TransactionEvent> events) {}

    /**
     * The store's time, counted from when a claim was answered, and the end of that claim, counted from when it was
     * asked for.
     */
    private final class Held {
        private final Instant base;
        private final long baseNanos = options.time().nanoTime();
        private long claimedNanos;

        Held(TransactionRecord claimed, long askedNanos) {
            this(claimed.progress().dueAt().minus(options.claim()), askedNanos);
        }

        Held(Instant now, long askedNanos) {
            this.base = now;
            this.claimedNanos = askedNanos;
        }

        Instant now() {
            return base.plusNanos(options.time().nanoTime() - baseNanos);
        }

        boolean isOver() {
            return options.time().nanoTime() - claimedNanos
                    >= options.claim().minus(options.callTimeout()).toNanos();
        }

        void renewed(long sinceNanos) {
            claimedNanos = sinceNanos;
        }
    }

    /** One write that claims a transaction and marks its next calls, and the calls to make when that is written. */
    final class PlannedStep {
        private final Held held;
        private final Plan plan;

        private PlannedStep(Held held, Plan plan) {
            this.held = held;
            this.plan = plan;
        }

        TransactionRecord record() {
            return plan.record();
        }

        List<TransactionEvent> events() {
            return plan.events();
        }

        /** Drives it from there until nothing is due. */
        TransactionRecord drive(TransactionRecord written) {
            reports.tell(written, plan.events());
            return plan.steps().isEmpty() ? written : callOn(written, plan.steps(), held);
        }
    }

    /** @param now the store's time, or what it is by the monotonic clock */
    PlannedStep planned(TransactionRecord tx, Instant now) {
        Held held = new Held(now, options.time().nanoTime());
        return new PlannedStep(held, plan(tx.claimedBy(owner, now.plus(options.claim())), held));
    }

    /** The branches of a draft with its first calls marked: one write less. */
    List<BranchRecord> firstCalls(TransactionRecord begun) {
        ModeProtocol mode = modes.of(begun.kind());
        List<Step> steps = TransactionMachine.due(begun, mode, begun.createdAt());
        return TransactionMachine.called(begun, steps).branches();
    }

    /**
     * Drives a transaction whose first calls are in the log already.
     *
     * @param askedNanos when it was begun, at the latest, by the monotonic clock
     */
    TransactionRecord driveBegun(TransactionRecord begun, long askedNanos) {
        Held held = new Held(begun, askedNanos);
        List<Step> steps = TransactionMachine.due(begun, modes.of(begun.kind()), begun.createdAt());
        return steps.isEmpty() ? drive(begun, held) : callOn(begun, steps, held);
    }

    /**
     * Drives a claimed transaction until nothing is due, and lets it go. Returns it as it was left.
     *
     * @param askedNanos when it was claimed, at the latest, by the monotonic clock
     */
    TransactionRecord drive(TransactionRecord claimed, long askedNanos) {
        return drive(claimed, new Held(claimed, askedNanos));
    }

    private TransactionRecord drive(TransactionRecord claimed, Held held) {
        Plan plan = plan(claimed, held);
        TransactionRecord written = claimed;
        if (!plan.record().equals(claimed)) {
            Optional<Written> next = write(claimed, UnaryOperator.identity(), held);
            if (next.isEmpty()) {
                return claimed;
            }
            written = next.get().record();
            plan = next.get().plan();
        }
        return plan.steps().isEmpty() ? written : callOn(written, plan.steps(), held);
    }

    private TransactionRecord callOn(TransactionRecord tx, List<Step> first, Held held) {
        TransactionRecord current = tx;
        List<Step> steps = first;
        while (!steps.isEmpty()) {
            if (held.isOver()) {
                return current; // paused for too long between writing and calling: others may call now
            }
            Map<Step, ParticipantCalls.Answer> answers;
            try {
                answers = calls.call(current, steps);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return current; // this process stops: the next claimant calls again
            }
            Instant at = held.now();
            Optional<Written> written = write(current, record -> apply(record, answers, at), held);
            if (written.isEmpty()) {
                return current;
            }
            current = written.get().record();
            steps = written.get().plan().steps();
        }
        return current;
    }

    private record Written(TransactionRecord record, Plan plan) {}

    /** Writes what follows from a change; empty if the transaction is not this process's any more. */
    private Optional<Written> write(TransactionRecord read, UnaryOperator<TransactionRecord> change, Held held) {
        TransactionRecord before = read;
        while (true) {
            Plan plan = plan(change.apply(before), held);
            long sinceNanos = options.time().nanoTime();
            Optional<TransactionRecord> stored = store.update(before, plan.record(), plan.events());
            if (stored.isPresent()) {
                held.renewed(sinceNanos);
                reports.tell(stored.get(), plan.events());
                return Optional.of(new Written(stored.get(), plan));
            }
            // An operator, or the initiator, was faster: that decision and these answers both count.
            Optional<TransactionRecord> fresh = store.find(before.gid())
                    .filter(tx -> tx.progress().claims() == read.progress().claims());
            if (fresh.isEmpty() || fresh.get().state().isFinal()) {
                return Optional.empty();
            }
            before = fresh.get();
        }
    }

    private Plan plan(TransactionRecord tx, Held held) {
        Instant now = held.now();
        ModeProtocol mode = modes.of(tx.kind());
        TransactionRecord settled =
                TransactionMachine.watched(TransactionMachine.settled(tx, mode, now), options.stuckAfter(), now);
        List<Step> steps = TransactionMachine.due(settled, mode, now);
        List<TransactionEvent> events = reports.events(tx, settled, now);
        if (steps.isEmpty()) {
            Instant next = TransactionMachine.nextDue(settled, mode, now).orElse(now.plus(options.claim()));
            return new Plan(settled.due(reports.nextLook(settled, next), Optional.empty()), steps, events);
        }
        TransactionRecord called = TransactionMachine.called(settled, steps);
        return new Plan(called.due(now.plus(options.claim()), Optional.of(owner)), steps, events);
    }

    private static TransactionRecord apply(
            TransactionRecord tx, Map<Step, ParticipantCalls.Answer> answers, Instant now) {
        TransactionRecord next = tx;
        for (Map.Entry<Step, ParticipantCalls.Answer> entry : answers.entrySet()) {
            next = entry.getValue().applyTo(next, entry.getKey(), now);
        }
        return next;
    }
}
