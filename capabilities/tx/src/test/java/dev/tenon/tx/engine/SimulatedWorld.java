package dev.tenon.tx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.ModeProtocol;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionTable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Participants with barriers that answer at random, fail before and after they did what was asked, and take their
 * caller down with them; an operator who decides, suspends and retries in the midst of calls. It checks each call
 * against what must hold, and the end against what the participants did.
 */
final class SimulatedWorld {
    private static final Duration CLAIM = TransactionOptions.DEFAULT.claim();

    private static final int MOODY = 300;
    private static final int PASSES = 400;

    private final Random random;
    private final TransactionDraft draft;
    private final ModeProtocol mode;
    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final TransactionTable table = new TransactionTable();
    private final Map<String, Effects> effects = new HashMap<>();
    private final boolean localCommitted;
    private int mischief;
    private int processes;
    private boolean decidedOutside;
    private @Nullable AssertionError violation;

    /** What one participant did. */
    private static final class Effects {
        boolean done;
        boolean confirmed;
        boolean undone;
        boolean barred;

        boolean isLeft() {
            return done && !undone;
        }
    }

    SimulatedWorld(Random random, TransactionDraft draft) {
        this.random = random;
        this.draft = draft;
        this.mode = SimulatedProcess.MODES.of(draft.kind());
        this.mischief = random.nextInt(30);
        this.localCommitted = random.nextBoolean();
        draft.branches().forEach(b -> effects.put(b.name(), new Effects()));
    }

    /** From the begin to the end, through every crash; returns how it ended. */
    TransactionRecord run() {
        begin();
        SimulatedProcess process = process();
        for (int pass = 0; pass < PASSES && !found().state().isFinal(); pass++) {
            if (pass > MOODY) {
                mischief = 0; // by chance an operator may retry what is stuck too rarely
            }
            process = process.isDead() ? process() : process;
            process.pass();
            boolean moody = mischief > 0;
            clock.advance(moody ? Duration.ofSeconds(random.nextInt(40)) : Duration.ofMinutes(6));
            if (!moody && found().suspended().isPresent()) {
                outside(TransactionMachine::retried);
            } else if (moody && random.nextInt(6) == 0) {
                operator();
            }
        }
        if (violation != null) {
            throw violation;
        }
        TransactionRecord end = found();
        assertThat(end.state().isFinal()).as("%s", end).isTrue();
        checkEnd(end);
        return end;
    }

    private void begin() {
        if (draft.kind() == TransactionKind.XA) {
            table.begin(draft, Optional.empty(), draft.deadline(), clock.now());
            firstPhaseOfCaller();
        } else if (draft.kind() == TransactionKind.MESSAGE) {
            table.begin(draft, Optional.empty(), draft.deadline(), clock.now());
            if (localCommitted && random.nextBoolean()) {
                decide(tx -> Decisions.committed(tx, mode));
            }
        } else if (random.nextBoolean()) {
            process().begin(draft);
        } else {
            table.begin(draft, Optional.empty(), Duration.ZERO, clock.now());
        }
    }

    /** The caller does each branch after it is in the log that it may; and then decides, or dies. */
    private void firstPhaseOfCaller() {
        for (BranchRecord branch : draft.branches()) {
            outside(tx -> tx.state() == TransactionState.ACTIVE
                    ? tx.change(branch.name(), b -> b.called(BranchState.CALLED))
                    : tx);
            if (random.nextInt(8) == 0) {
                return;
            }
            effects.get(branch.name()).done = true;
        }
        if (random.nextBoolean()) {
            decide(tx -> random.nextBoolean() ? Decisions.committed(tx, mode) : Decisions.aborted(tx, mode));
        }
    }

    private SimulatedProcess process() {
        return new SimulatedProcess("process " + ++processes, table, clock, this::call);
    }

    private TransactionRecord found() {
        return table.find(draft.gid()).orElseThrow();
    }

    private void outside(UnaryOperator<TransactionRecord> change) {
        TransactionRecord before = found();
        TransactionRecord after = change.apply(before);
        if (!after.equals(before)) {
            table.update(Decisions.atOnce(after), List.of(), clock.now());
        }
    }

    private void decide(UnaryOperator<TransactionRecord> decision) {
        try {
            outside(decision);
            decidedOutside = true;
        } catch (TransactionConflictException | TransactionAbortedException e) {
            // it was decided before, or can't be decided now
        }
    }

    private void operator() {
        switch (random.nextInt(5)) {
            case 0 -> {
                boolean knows = found().branches().stream() // whether a pivot that is stuck has had its effect
                        .noneMatch(b -> b.pivot() && b.state() == BranchState.STUCK);
                if (knows) {
                    decide(tx -> Decisions.aborted(tx, mode));
                }
            }
            case 1 -> {
                if (draft.kind() != TransactionKind.XA) { // only its caller knows whether it may be
                    decide(tx -> Decisions.committed(tx, mode));
                }
            }
            case 2 -> outside(tx -> tx.state().isFinal() ? tx : tx.suspendedFor(Optional.of("a look")));
            case 3 -> outside(tx -> tx.state().isFinal() ? tx : TransactionMachine.retried(tx));
            default -> outside(tx -> tx.suspendedFor(Optional.empty()));
        }
    }

    /** What does not hold fails the test, not just the call. */
    private Reply call(SimulatedProcess process, BranchCall call) throws Exception {
        try {
            return checked(process, call);
        } catch (AssertionError e) {
            violation = e;
            throw e;
        }
    }

    private Reply checked(SimulatedProcess process, BranchCall call) throws Exception {
        TransactionRecord written = process.lastWritten();
        BranchRecord branch = written.branch(call.branch()).orElseThrow();
        assertThat(branch.state())
                .as("the log names a branch before it is called")
                .isNotEqualTo(BranchState.PLANNED);
        assertThat(branch.attempts()).isEqualTo(call.attempt());
        assertThat(written.suspended()).isEmpty();
        assertThat(written.state()).as("%s", call).isIn(statesFor(call.operation()));
        Effects its = effects.get(call.branch());
        if (mischief > 0) {
            mischief--;
            switch (random.nextInt(12)) {
                case 0 -> throw new IllegalStateException("failed before");
                case 1 -> {
                    perform(call, its);
                    throw new IllegalStateException("failed after");
                }
                case 2 -> {
                    return Reply.notYet("not yet");
                }
                case 3 -> {
                    boolean knows = call.operation() == Operation.CHECK; // and does not lie
                    if (!knows && !its.done || call.operation().undoes() || call.operation() == Operation.CONFIRM) {
                        return Reply.refused("refused");
                    }
                }
                case 4 -> process.die();
                case 5 -> {
                    perform(call, its);
                    process.die();
                }
                case 6 -> clock.advance(CLAIM.dividedBy(4));
                case 7 -> clock.advance(CLAIM.multipliedBy(2));
                case 8 -> operator();
                default -> {}
            }
            if (process.isDead()) {
                throw new SimulatedProcess.Died();
            }
        }
        return perform(call, its);
    }

    private static List<TransactionState> statesFor(Operation operation) {
        return switch (operation) {
            case ACTION -> List.of(TransactionState.ACTIVE, TransactionState.COMMITTING);
            case TRY, CHECK, NOTIFY -> List.of(TransactionState.ACTIVE);
            case CONFIRM, DELIVER -> List.of(TransactionState.COMMITTING);
            case COMPENSATE, CANCEL -> List.of(TransactionState.ABORTING);
        };
    }

    /** As behind a barrier. */
    private Reply perform(BranchCall call, Effects its) {
        switch (call.operation()) {
            case CHECK -> {
                return localCommitted ? Reply.done() : Reply.refused("rolled back");
            }
            case ACTION, TRY, DELIVER, NOTIFY -> {
                if (its.barred) {
                    return Reply.refused("undone before");
                }
                if (call.operation() == Operation.ACTION && !its.done) {
                    assertThat(before(call.branch()))
                            .as("steps before %s", call)
                            .allMatch(Effects::isLeft);
                }
                its.done = true;
            }
            case CONFIRM -> {
                assertThat(its.isLeft()).as("confirmed what is reserved").isTrue();
                its.confirmed = true;
            }
            default -> {
                assertThat(its.confirmed).as("cancelled what was confirmed").isFalse();
                its.barred |= !its.done;
                if (its.isLeft()) {
                    assertThat(builtOn(call.branch()))
                            .as("undone before %s", call)
                            .noneMatch(Effects::isLeft);
                    its.undone = true;
                }
            }
        }
        return Reply.done("result of " + call.branch());
    }

    private List<Effects> before(String branch) {
        return draft.branches().stream()
                .filter(b -> b.name().equals(branch))
                .flatMap(b -> b.after().stream())
                .map(effects::get)
                .toList();
    }

    /** The steps that may have built on this one, those that can be undone. */
    private List<Effects> builtOn(String branch) {
        Map<String, Boolean> builds = new HashMap<>(Map.of(branch, true));
        return draft.branches().stream()
                .filter(b -> {
                    boolean does = b.after().stream().anyMatch(builds::containsKey);
                    if (does) {
                        builds.put(b.name(), true);
                    }
                    return does && b.targets().containsKey(Operation.COMPENSATE);
                })
                .map(b -> effects.get(b.name()))
                .toList();
    }

    private void checkEnd(TransactionRecord end) {
        boolean committed = end.state() == TransactionState.COMMITTED;
        for (BranchRecord branch : end.branches()) {
            Effects its = effects.get(branch.name());
            boolean undoable = branch.targets().keySet().stream().anyMatch(Operation::undoes);
            boolean asked = !branch.targets().keySet().equals(java.util.Set.of(Operation.CHECK));
            if (committed && asked) {
                assertThat(its.isLeft()).as("%s of %s", branch, end).isTrue();
                assertThat(its.confirmed).isEqualTo(branch.targets().containsKey(Operation.CONFIRM));
            } else if (!committed) {
                assertThat(its.confirmed).isFalse();
                boolean told = end.kind() == TransactionKind.NOTIFY;
                assertThat(its.isLeft()
                                && (undoable
                                        || branch.pivot()
                                        || branch.targets().containsKey(Operation.DELIVER)))
                        .as("%s of %s", branch, end)
                        .isFalse();
                assertThat(told && branch.state() == BranchState.DONE && !decidedOutside)
                        .isFalse();
            }
        }
        if (end.kind() == TransactionKind.MESSAGE && !decidedOutside) {
            assertThat(committed).isEqualTo(localCommitted);
        }
    }
}
