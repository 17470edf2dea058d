package dev.tenon.raft;

import dev.tenon.raft.TransactionCommand.BranchChange;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Commands on transactions, for tests. */
final class TransactionCommands {
    private TransactionCommands() {}

    /** A saga of a service "shop" with two steps. */
    static TransactionDraft draft(String gid, String payload) {
        BranchRecord pay =
                BranchRecord.planned("pay", Map.of(Operation.ACTION, "do", Operation.COMPENSATE, "undo"), "");
        BranchRecord ship = BranchRecord.planned("ship", Map.of(Operation.ACTION, "ship"), "");
        return new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.SAGA,
                "shop",
                "order/1",
                payload,
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of(pay, ship.after(List.of("pay"))));
    }

    /** One of every kind. */
    static List<Arbitrary<Command<?>>> kinds() {
        return List.of(
                Combinators.combine(gids(), texts(), branches(), durations(), texts().optional())
                        .as((gid, text, branch, length, other) -> new TransactionCommand.BeginTransaction(
                                new TransactionDraft(
                                        gid,
                                        TransactionKind.values()[text.length() % TransactionKind.values().length],
                                        text,
                                        text,
                                        text,
                                        other.map(any -> gid),
                                        other.isPresent() ? TransactionState.COMMITTING : TransactionState.ACTIVE,
                                        Duration.ofMillis(1).plus(length),
                                        RetryPolicy.FOR_EVER.upTo(1 + text.length()),
                                        List.of(branch)),
                                other,
                                length)),
                gids().map(TransactionCommand.FindTransaction::new),
                Combinators.combine(
                                gids(),
                                progress(),
                                changes().list().ofMaxSize(4),
                                events().list().ofMaxSize(3))
                        .as(TransactionCommand.UpdateTransaction::new),
                Combinators.combine(texts(), texts(), Arbitraries.integers().between(1, 1000))
                        .as((service, owner, limit) -> new TransactionCommand.ClaimTransactions(
                                new Claim(service, owner, Duration.ofMillis(limit), limit))),
                Combinators.combine(filters(), texts(), Arbitraries.integers().between(1, 1000))
                        .as(TransactionCommand.ListTransactions::new),
                gids().map(TransactionCommand.FindHistory::new),
                Combinators.combine(durations(), Arbitraries.integers().between(1, 10_000))
                        .as(TransactionCommand.PurgeTransactions::new),
                Combinators.combine(texts(), durations(), Arbitraries.integers().between(1, 10_000))
                        .as(TransactionCommand.PurgeService::new));
    }

    /** One that meets others: few transactions, few versions. */
    static Command<?> meeting(Random random) {
        TransactionId gid = new TransactionId("t" + random.nextInt(4));
        return switch (random.nextInt(7)) {
            case 0, 1 ->
                new TransactionCommand.BeginTransaction(
                        draft(gid.text(), random.nextInt(4) == 0 ? "other" : ""),
                        Optional.of("o"),
                        Duration.ofSeconds(random.nextInt(9)));
            case 2, 3 -> {
                TransactionState state = TransactionState.values()[random.nextInt(6)];
                Progress progress = new Progress(
                        state,
                        1 + random.nextInt(3),
                        1 + random.nextInt(3),
                        Optional.empty(),
                        Instant.parse("2026-11-21T12:00:00Z").plusSeconds(random.nextInt(100)),
                        random.nextBoolean() ? Optional.of("why") : Optional.empty(),
                        Optional.empty(),
                        random.nextBoolean()
                                ? Optional.of(new Trouble(Instant.EPOCH, Optional.empty()))
                                : Optional.empty());
                BranchChange change = new BranchChange.Moved(
                        random.nextInt(3),
                        BranchState.values()[random.nextInt(6)],
                        random.nextInt(9),
                        Optional.empty(),
                        Optional.of("r"),
                        Optional.empty());
                yield new TransactionCommand.UpdateTransaction(
                        gid,
                        progress,
                        random.nextBoolean() ? List.of(change) : List.of(),
                        List.of(new TransactionEvent(Instant.EPOCH, "e", "b", "d")));
            }
            case 4 -> new TransactionCommand.ClaimTransactions(new Claim("shop", "c", Duration.ofSeconds(5), 2));
            case 5 -> new TransactionCommand.PurgeTransactions(Duration.ofSeconds(10), 1);
            default -> new TransactionCommand.ListTransactions(TransactionFilter.ALL, "", 3);
        };
    }

    private static Arbitrary<TransactionId> gids() {
        return Arbitraries.strings()
                .withCharRange('a', 'z')
                .withChars("._:-0A")
                .ofMinLength(1)
                .ofMaxLength(128)
                .map(TransactionId::new);
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.strings().withCharRange(' ', '~').withChars("äß漢字€").ofMaxLength(100);
    }

    private static Arbitrary<Duration> durations() {
        return Arbitraries.longs().between(0, Duration.ofDays(1).toNanos()).map(Duration::ofNanos);
    }

    private static Arbitrary<Instant> instants() {
        return Arbitraries.longs().between(-1L << 45, 1L << 45).map(Instant::ofEpochMilli);
    }

    private static Arbitrary<BranchRecord> branches() {
        return Combinators.combine(
                        texts(),
                        Arbitraries.of(Operation.class).set(),
                        Arbitraries.of(BranchState.class),
                        instants().optional(),
                        texts().optional())
                .as((text, operations, state, at, other) -> new BranchRecord(
                        text + "!",
                        List.of(),
                        other.isPresent(),
                        operations.stream().collect(java.util.stream.Collectors.toMap(o -> o, o -> text)),
                        text,
                        state,
                        text.length(),
                        at,
                        other,
                        other));
    }

    private static Arbitrary<TransactionFilter> filters() {
        return Combinators.combine(
                        Arbitraries.of(TransactionState.class).optional(),
                        Arbitraries.of(TransactionKind.class).optional(),
                        Arbitraries.of(true, false),
                        Arbitraries.strings().alpha().ofMaxLength(20),
                        durations().optional(),
                        durations().optional())
                .as((state, kind, stuck, text, older, younger) ->
                        new TransactionFilter(state, kind, stuck, Optional.of(text), text, older, younger, text));
    }

    private static Arbitrary<Progress> progress() {
        return Combinators.combine(
                        Arbitraries.of(TransactionState.class),
                        Arbitraries.longs().greaterOrEqual(0),
                        instants(),
                        texts().optional(),
                        instants().optional(),
                        instants().optional())
                .as((state, version, at, text, ended, since) -> new Progress(
                        state,
                        version,
                        version / 2,
                        text,
                        at,
                        text,
                        ended,
                        since.map(first -> new Trouble(first, ended))));
    }

    private static Arbitrary<BranchChange> changes() {
        Arbitrary<Integer> places = Arbitraries.integers().between(0, 1000);
        return Arbitraries.oneOf(
                Combinators.combine(places, branches()).as(BranchChange.Written::new),
                Combinators.combine(
                                places,
                                Arbitraries.of(BranchState.class),
                                places,
                                instants().optional(),
                                texts().optional(),
                                texts().optional())
                        .as(BranchChange.Moved::new),
                places.map(BranchChange.Dropped::new));
    }

    private static Arbitrary<TransactionEvent> events() {
        return Combinators.combine(instants(), texts(), texts(), texts()).as(TransactionEvent::new);
    }
}
