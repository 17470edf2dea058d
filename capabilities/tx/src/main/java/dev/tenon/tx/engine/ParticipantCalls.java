package dev.tenon.tx.engine;

import dev.tenon.TenonException;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.ModeProtocol.Step;
import dev.tenon.tx.spi.TransactionMachine;
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

/**
 * Calls participants: those of one transaction at the same time, each within the timeout of a call, and of one
 * participant no more at a time than its share of the threads. Writes nothing. Thread-safe.
 */
final class ParticipantCalls {
    /** For how much of its time a call waits in line for a place among those to its participant. */
    private static final int LINE_PART = 10;

    private final Participants participants;
    private final TransactionOptions options;
    private final ExecutorService threads;
    private final TargetShares shares;
    private final Waits waits = new Waits();

    /** @param threads in which participants are called */
    ParticipantCalls(Participants participants, TransactionOptions options, ExecutorService threads) {
        this.participants = participants;
        this.options = options;
        this.threads = threads;
        this.shares = new TargetShares(options.threads());
    }

    /** The outcome of a call, and what it makes of the transaction. */
    @FunctionalInterface
    interface Answer {
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

    /** The next transaction that waits for a participant which has answered since; empty if none does. */
    Optional<TransactionId> waiting() {
        return waits.next();
    }

    /** Calls all of them at the same time, and waits for each as long as a call may take. */
    Map<Step, Answer> call(TransactionRecord tx, List<Step> steps) throws InterruptedException {
        long beganNanos = System.nanoTime();
        long lineNanos = beganNanos + options.callTimeout().toNanos() / LINE_PART;
        Map<Step, Call> called = new LinkedHashMap<>();
        for (Step step : steps) { // those that have a place, before any waits for one
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
                future = threads.submit(this);
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
                return waits.answered(tx.gid(), target, ParticipantCalls.this.call(tx, step));
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
                answer = ParticipantCalls.this.answer(future, nanosLeft);
            } finally {
                if (future.isCancelled() && begun.compareAndSet(false, true)) {
                    made = false;
                    shares.leave(target);
                }
            }
            return made
                    ? answer
                    : Answer.uncalled(
                            threads.isShutdown()
                                    ? "not called, as this process stops"
                                    : "not called, as no thread was free within " + options.callTimeout());
        }
    }

    private Reply call(TransactionRecord tx, Step step) throws Exception {
        BranchRecord branch = tx.branch(step.branch()).orElseThrow();
        String target = branch.targets().get(step.operation());
        if (target == null) {
            throw new TenonException("Branch " + branch.name() + " names no participant for "
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
