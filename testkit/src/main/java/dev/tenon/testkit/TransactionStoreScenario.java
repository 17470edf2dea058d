package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;

/**
 * A service and IDs of its own for each test, and short words for what the contracts of {@link TransactionStore} do.
 */
abstract class TransactionStoreScenario {
    static final Duration LEASE = Duration.ofMinutes(10);
    static final Duration SHORT = Duration.ofMillis(300);
    static final Duration PATIENCE = Duration.ofSeconds(30);

    String service = "";

    /** The store under test, as one process has it. */
    protected abstract TransactionStore store();

    /** The same log, as another process has it; the same store where there can be no other process. */
    protected TransactionStore otherStore() {
        return store();
    }

    /** The clock that the store is on, if a test can move it; else tests wait for short leases to end. */
    protected Optional<ManualClock> clock() {
        return Optional.empty();
    }

    @BeforeEach
    void chooseService() {
        service = "contract-" + UUID.randomUUID();
    }

    /** Waits; each look at the condition lets the time that a {@link #clock} has pass by {@link #SHORT}. */
    ConditionFactory await() {
        return Awaitility.await()
                .atMost(PATIENCE)
                .conditionEvaluationListener(look -> clock().ifPresent(clock -> clock.advance(SHORT)));
    }

    TransactionId gid(String suffix) {
        return new TransactionId(service + suffix);
    }

    /** A draft of one branch that is different for each suffix. */
    TransactionDraft draft(String suffix) {
        return draft(suffix, List.of(branch("pay"), branch("ship").after(List.of("pay"))));
    }

    TransactionDraft draft(String suffix, List<BranchRecord> branches) {
        return new TransactionDraft(
                gid(suffix),
                TransactionKind.SAGA,
                service,
                "order/1",
                "{}",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                branches);
    }

    static BranchRecord branch(String name) {
        return BranchRecord.planned(name, Map.of(Operation.ACTION, "do", Operation.COMPENSATE, "undo"), "payload");
    }

    /** A draft with something in every field. */
    TransactionDraft fullDraft(String suffix) {
        String text = "ä\u4E2D\uD83D\uDE00\\'%\"\n\t\u0001{}";
        BranchRecord first = new BranchRecord(
                        text + " first",
                        List.of(),
                        false,
                        Map.of(Operation.ACTION, text, Operation.COMPENSATE, "https://127.0.0.1/undo?x=1&y=ä"),
                        text,
                        BranchState.CALLED,
                        3,
                        Optional.of(Instant.parse("2031-02-03T04:05:06.789012Z")),
                        Optional.of(text),
                        Optional.of(text))
                .asPivot();
        Map<Operation, String> all = Stream.of(Operation.values())
                .collect(java.util.stream.Collectors.toMap(operation -> operation, Operation::text));
        BranchRecord second = BranchRecord.planned("second", all, "").after(List.of(first.name()));
        return new TransactionDraft(
                gid(suffix),
                TransactionKind.AT,
                service,
                text,
                text,
                Optional.of(gid("-parent")),
                TransactionState.COMMITTING,
                Duration.ofMillis(86_400_001),
                new RetryPolicy(Duration.ofMillis(7), 1.5, Duration.ofHours(2), java.util.OptionalInt.of(9)),
                List.of(first, second, BranchRecord.planned("third", Map.of(), "")));
    }

    /** Begins a transaction that nobody drives and that is due at once. */
    TransactionRecord begin(String suffix) {
        return created(store().begin(draft(suffix), Optional.empty(), Duration.ZERO));
    }

    /** Begins a transaction that is due that long ago, or, if negative, in so long. */
    TransactionRecord beginDue(String suffix, Duration ago) {
        TransactionRecord tx = begin(suffix);
        Instant due = store().now().minus(ago).truncatedTo(ChronoUnit.MILLIS);
        return updated(tx, tx.due(due, Optional.empty()));
    }

    static TransactionRecord created(Begun begun) {
        assertThat(begun).isInstanceOf(Begun.Created.class);
        return begun.transaction();
    }

    TransactionRecord updated(TransactionRecord before, TransactionRecord after, TransactionEvent... events) {
        return store().update(before, after, List.of(events)).orElseThrow();
    }

    /** One that has begun, in that state; one that is closed was suspended before, as a server asks for. */
    TransactionRecord brought(TransactionRecord begun, TransactionState state) {
        if (state != TransactionState.CLOSED) {
            return updated(begun, begun.in(state));
        }
        TransactionRecord waiting = updated(begun, begun.suspendedFor(Optional.of("why")));
        return updated(waiting, waiting.in(state).suspendedFor(Optional.of("closed by me: why")));
    }

    TransactionRecord found(String suffix) {
        return otherStore().find(gid(suffix)).orElseThrow();
    }

    List<TransactionRecord> claim(TransactionStore store, String owner, Duration lease, int limit) {
        return store.claim(new Claim(service, owner, lease, limit));
    }

    List<String> suffixes(List<TransactionRecord> transactions) {
        return transactions.stream()
                .map(tx -> tx.gid().text().substring(service.length()))
                .toList();
    }

    TransactionEvent event(String what) {
        return new TransactionEvent(
                Instant.parse("2031-02-03T04:05:06.789Z"), what, "bob \u4E2D", "because 'of' \uD83D\uDE00");
    }
}
