package dev.tenon.tx;

import dev.tenon.TenonException;
import dev.tenon.tx.spi.BranchRecord;
import dev.tenon.tx.spi.Recovery;
import dev.tenon.tx.spi.Recovery.Step;
import dev.tenon.tx.spi.TransactionEvent;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionRecord;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * Drives transactions that this process has claimed: writes down what it is about to call, calls it, writes down the answers
 * and what follows from them, until nothing is due. Holds no connection and no lock during a call. A write that finds a
 * greater epoch means that somebody else has taken over: then it stops at once. Thread-safe.
 */
final class Driver {
    /** For how much of its time a call waits in line for a place among those to its participant. */
    private static final int LINE_PART = 10;

    private final TransactionStore store;
    private final Participants participants;
    private final Rules rules;
    private final TransactionOptions options;
    private final ExecutorService calls;
    private final String owner;
    private final TargetShares shares;
    private final Reports reports;
    final Waits waits = new Waits();

    /** @param calls where participants are called */
    Driver(
            TransactionStore store,
            Participants participants,
            Rules rules,
            TransactionOptions options,
            ExecutorService calls) {
        this.store = store;
        this.participants = participants;
        this.rules = rules;
        this.options = options;
        this.calls = calls;
        this.owner = rules.owner();
        this.reports = new Reports(owner, options.stuckAfter());
        this.shares = new TargetShares(options.threads());
    }

    /** What to write next, and whom to call when that is written. */
    private record Plan(TransactionRecord record, List<Step> steps, List<TransactionEvent> events) {}

    /** The store's time, counted from when a claim was answered, and the end of that claim, counted from when it was asked for. */
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

    /** What claims a transaction and marks its next calls, in one write; and what to do when that is written. */
    final class Turn {
        private final Held held;
        private final Plan plan;

        private Turn(Held held, Plan plan) {
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
    Turn turn(TransactionRecord tx, Instant now) {
        Held held = new Held(now, options.time().nanoTime());
        return new Turn(held, plan(tx.claimedBy(owner, now.plus(options.claim())), held));
    }

    /** The branches of a draft with its first calls marked: one write less. */
    List<BranchRecord> firstCalls(TransactionRecord begun) {
        Recovery recovery = rules.of(begun.kind());
        List<Step> steps = TransactionMachine.due(begun, recovery, begun.createdAt());
        return TransactionMachine.called(begun, steps).branches();
    }

    /**
     * Drives a transaction whose first calls are in the log already.
     *
     * @param askedNanos when it was begun, at the latest, by the monotonic clock
     */
    TransactionRecord driveBegun(TransactionRecord begun, long askedNanos) {
        Held held = new Held(begun, askedNanos);
        List<Step> steps = TransactionMachine.due(begun, rules.of(begun.kind()), begun.createdAt());
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
            Map<Step, Answer> answers;
            try {
                answers = call(current, steps);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return current; // this process stops: whoever claims it next calls again
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
            // An operator, or whoever decides, was faster: their word and these answers both count.
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
        Recovery recovery = rules.of(tx.kind());
        TransactionRecord settled =
                TransactionMachine.watched(TransactionMachine.settled(tx, recovery, now), options.stuckAfter(), now);
        List<Step> steps = TransactionMachine.due(settled, recovery, now);
        List<TransactionEvent> events = reports.events(tx, settled, now);
        if (steps.isEmpty()) {
            Instant next = TransactionMachine.nextDue(settled, recovery, now).orElse(now.plus(options.claim()));
            return new Plan(settled.due(reports.nextLook(settled, next), Optional.empty()), steps, events);
        }
        TransactionRecord called = TransactionMachine.called(settled, steps);
        return new Plan(called.due(now.plus(options.claim()), Optional.of(owner)), steps, events);
    }

    /** What came back from a call. */
    @FunctionalInterface
    private interface Answer {
        TransactionRecord applyTo(TransactionRecord tx, Step step, Instant now);

        static Answer replied(Reply reply) {
            return (tx, step, now) -> TransactionMachine.answered(tx, step, reply, now);
        }

        static Answer failed(String error) {
            return (tx, step, now) -> TransactionMachine.failed(tx, step, error, now);
        }

        static Answer uncalled(String why) {
            return (tx, step, now) -> TransactionMachine.uncalled(tx, step, why, now);
        }
    }

    private static TransactionRecord apply(TransactionRecord tx, Map<Step, Answer> answers, Instant now) {
        TransactionRecord next = tx;
        for (Map.Entry<Step, Answer> entry : answers.entrySet()) {
            next = entry.getValue().applyTo(next, entry.getKey(), now);
        }
        return next;
    }

    /** Calls all of them at the same time, and waits for each as long as a call may take. */
    private Map<Step, Answer> call(TransactionRecord tx, List<Step> steps) throws InterruptedException {
        long beganNanos = System.nanoTime();
        long lineNanos = beganNanos + options.callTimeout().toNanos() / LINE_PART;
        Map<Step, Call> called = new LinkedHashMap<>();
        for (Step step : steps) { // those that have a place, before anybody waits for one
            Call call = new Call(tx, step);
            if (shares.enter(call.target, 0)) {
                called.put(step, call.submitted());
            }
        }
        Map<Step, Answer> answers = new LinkedHashMap<>();
        for (Step step : steps) {
            Call call = new Call(tx, step);
            if (!called.containsKey(step) && shares.enter(call.target, lineNanos - System.nanoTime())) {
                called.put(step, call.submitted());
            }
        }
        long endNanos = beganNanos + options.callTimeout().toNanos();
        for (Step step : steps) {
            Call call = called.get(step);
            answers.put(step, call == null ? busy(new Call(tx, step)) : call.answer(endNanos - System.nanoTime()));
        }
        return answers;
    }

    private Answer busy(Call call) {
        waits.uncalled(call.tx.gid(), call.target);
        return Answer.uncalled(
                "not called: " + shares.size() + " calls to it are under way, and none has ended in time");
    }

    /** A call that has a place among those to its target, until it ends, or is given up before it began. */
    private final class Call implements Callable<Reply> {
        private final TransactionRecord tx;
        private final Step step;
        private final String target;
        private final AtomicBoolean begun = new AtomicBoolean();
        private Future<Reply> future = new CompletableFuture<>();

        Call(TransactionRecord tx, Step step) {
            this.tx = tx;
            this.step = step;
            this.target = tx.branch(step.branch())
                    .map(branch -> branch.targets().get(step.operation()))
                    .orElse("");
        }

        Call submitted() {
            try {
                future = calls.submit(this);
                return this;
            } catch (RejectedExecutionException e) {
                future.cancel(false); // closed: as if it had been in the queue
                return this;
            }
        }

        @Override
        public Reply call() throws Exception {
            if (!begun.compareAndSet(false, true)) {
                throw new CancellationException();
            }
            try {
                return waits.answered(tx.gid(), target, Driver.this.call(tx, step));
            } catch (Exception e) {
                waits.failed(tx.gid(), target);
                throw e;
            } finally {
                shares.leave(target);
            }
        }

        Answer answer(long nanosLeft) throws InterruptedException {
            boolean made = true;
            Answer answer;
            try {
                answer = Driver.this.answer(future, nanosLeft);
            } finally {
                if (future.isCancelled() && begun.compareAndSet(false, true)) {
                    made = false;
                    shares.leave(target);
                }
            }
            return made
                    ? answer
                    : Answer.uncalled(
                            calls.isShutdown()
                                    ? "not called, as this process stops"
                                    : "not called, as no thread was free within " + options.callTimeout());
        }
    }

    private Reply call(TransactionRecord tx, Step step) throws Exception {
        BranchRecord branch = tx.branch(step.branch()).orElseThrow();
        String target = branch.targets().get(step.operation());
        if (target == null) {
            throw new TenonException("Branch " + branch.name() + " has nobody for "
                    + step.operation().text());
        }
        Participant participant = participants
                .find(target)
                .orElseThrow(() -> new TenonException("This process knows no participant \"" + target
                        + "\": register it under that name, or change the version back"));
        String payload = branch.payload().isEmpty() ? tx.payload() : branch.payload();
        Reply reply = participant.call(new BranchCall(
                tx.gid(), branch.name(), step.operation(), target, payload, tx.results(), branch.attempts()));
        return Objects.requireNonNull(reply, () -> "Participant \"" + target + "\" answered null");
    }

    private Answer answer(Future<Reply> future, long nanosLeft) throws InterruptedException {
        try {
            return Answer.replied(future.get(Math.max(0, nanosLeft), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return Answer.failed(cause.getMessage() == null ? cause.toString() : cause.getMessage());
        } catch (TimeoutException e) {
            future.cancel(true);
            return Answer.failed("no answer within " + options.callTimeout());
        } catch (CancellationException e) {
            return Answer.failed("not called, as this process stops");
        }
    }
}
