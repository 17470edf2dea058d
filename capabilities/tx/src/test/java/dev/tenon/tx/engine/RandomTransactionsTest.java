package dev.tenon.tx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Transactions of every mode, of random shape, in a {@link SimulatedWorld}. */
class RandomTransactionsTest {
    @Property(tries = 1000)
    void sagasEndAsTheirStepsDid(@ForAll long seed) {
        Random random = new Random(seed);
        List<BranchRecord> steps = new ArrayList<>();
        int count = 1 + random.nextInt(5);
        int pivot = random.nextInt(3) == 0 ? random.nextInt(count) : -1;
        for (int i = 0; i < count; i++) {
            Map<Operation, String> targets = targets(Operation.ACTION);
            if (i != pivot && random.nextInt(5) > 0) {
                targets.put(Operation.COMPENSATE, "x");
            }
            List<String> after = new ArrayList<>();
            for (BranchRecord earlier : steps) {
                if (random.nextInt(3) == 0) {
                    after.add(earlier.name());
                }
            }
            BranchRecord step = BranchRecord.planned("step " + i, targets, "").after(after);
            steps.add(i == pivot ? step.asPivot() : step);
        }
        run(random, TransactionKind.SAGA, steps);
    }

    @Property(tries = 1000)
    void twoPhasesAreNeverConfirmedAndCancelled(@ForAll long seed) {
        Random random = new Random(seed);
        List<BranchRecord> branches = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            Map<Operation, String> targets = targets(Operation.TRY, Operation.CONFIRM, Operation.CANCEL);
            if (random.nextInt(6) == 0) {
                targets.remove(Operation.CONFIRM);
            }
            branches.add(BranchRecord.planned("branch " + i, targets, ""));
        }
        run(random, TransactionKind.TCC, branches);
    }

    @Property(tries = 1000)
    void aFirstPhaseOfTheCallerIsConfirmedOrCancelled(@ForAll long seed) {
        Random random = new Random(seed);
        List<BranchRecord> branches = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            branches.add(BranchRecord.planned("branch " + i, targets(Operation.CONFIRM, Operation.CANCEL), ""));
        }
        run(random, TransactionKind.XA, branches);
    }

    @Property(tries = 1000)
    void messagesAreDeliveredIfTheLocalTransactionWasCommitted(@ForAll long seed) {
        Random random = new Random(seed);
        List<BranchRecord> branches = new ArrayList<>();
        branches.add(BranchRecord.planned("check", targets(Operation.CHECK), ""));
        for (int i = random.nextInt(4); i >= 0; i--) {
            branches.add(BranchRecord.planned("target " + i, targets(Operation.DELIVER), ""));
        }
        run(random, TransactionKind.MESSAGE, branches);
    }

    @Property(tries = 1000)
    void notificationsEnd(@ForAll long seed) {
        Random random = new Random(seed);
        run(random, TransactionKind.NOTIFY, List.of(BranchRecord.planned("tell", targets(Operation.NOTIFY), "")));
    }

    /** The properties would hold of a world in which nothing ever happens. */
    @Test
    void everyModeEndsInBothWays() {
        Map<String, Set<TransactionState>> ends = new HashMap<>();
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            TransactionRecord saga = run(
                    random,
                    TransactionKind.SAGA,
                    List.of(
                            BranchRecord.planned("a", targets(Operation.ACTION, Operation.COMPENSATE), ""),
                            BranchRecord.planned("b", targets(Operation.ACTION, Operation.COMPENSATE), "")
                                    .after(List.of("a"))));
            TransactionRecord tcc = run(
                    random,
                    TransactionKind.TCC,
                    List.of(BranchRecord.planned(
                            "a", targets(Operation.TRY, Operation.CONFIRM, Operation.CANCEL), "")));
            for (TransactionRecord end : List.of(saga, tcc)) {
                ends.computeIfAbsent(end.kind().text(), kind -> EnumSet.noneOf(TransactionState.class))
                        .add(end.state());
            }
        }
        assertThat(ends.values()).allMatch(Set.of(TransactionState.COMMITTED, TransactionState.ABORTED)::equals);
    }

    private static Map<Operation, String> targets(Operation... operations) {
        Map<Operation, String> targets = new EnumMap<>(Operation.class);
        for (Operation operation : operations) {
            targets.put(operation, "x");
        }
        return targets;
    }

    private static TransactionRecord run(Random random, TransactionKind kind, List<BranchRecord> branches) {
        OptionalInt limit = random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(3));
        TransactionDraft draft = new TransactionDraft(
                new TransactionId("t"),
                kind,
                "shop",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofSeconds(1 + random.nextInt(120)),
                new RetryPolicy(Duration.ofMillis(1 + random.nextInt(5000)), 2, Duration.ofMinutes(5), limit),
                branches);
        return new SimulatedWorld(random, draft).run();
    }
}
