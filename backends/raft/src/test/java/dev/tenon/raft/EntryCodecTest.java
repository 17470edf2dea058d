package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class EntryCodecTest {
    @Property(tries = 500)
    void whatIsWrittenIsRead(
            @ForAll("commands") List<Command<?>> commands,
            @ForAll @LongRange(min = -(1L << 52), max = 1L << 52) long micros) {
        Instant time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
        EntryCodec.Entry entry = EntryCodec.decode(ByteBuffer.wrap(encode(time, commands)));
        assertThat(entry.time()).isEqualTo(time);
        assertThat(entry.commands()).isEqualTo(commands);
    }

    @Property(tries = 200)
    void whatIsCutOffIsRefused(@ForAll("commands") List<Command<?>> commands, @ForAll int cut) {
        byte[] bytes = encode(Instant.EPOCH, commands);
        ByteBuffer part = ByteBuffer.wrap(bytes, 0, Math.floorMod(cut, bytes.length));
        assertThatThrownBy(() -> EntryCodec.decode(part)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void everyKindOfCommandIsTried() {
        Set<Class<?>> tried = kinds().stream().map(a -> a.sample().getClass()).collect(Collectors.toSet());
        Set<Class<?>> all = Arrays.stream(Command.class.getPermittedSubclasses())
                .flatMap(kind -> Arrays.stream(kind.getPermittedSubclasses()))
                .collect(Collectors.toSet());
        assertThat(tried).isEqualTo(all);
    }

    private static final List<Command<?>> SOME = List.of(
            new LockCommand.AcquireLock(
                    new Acquire("n", "s", "r", "o", Optional.of(Duration.ofSeconds(30)), Duration.ofMillis(5))),
            new IdCommand.NextRange("seq", 100));
    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
    private static final String SOME_BYTES =
            "02" + "06" + "016e" + "0173" + "0172" + "016f" + "013c00" + "00c096b102" + "20" + "03736571" + "c801";

    @Test
    void theFormIsStableAsOldLogsMustBeRead() {
        byte[] bytes = bytes(
                new EntryCodec.Sender(new UUID(1, -1), 7),
                THEN,
                SOME.stream().map(EntryCodec::encodeCommand).toList());
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("03808082e288d2a306" + "02" + "01" + "07" + SOME_BYTES);
    }

    @Test
    void anEntryOfTheSecondVersionIsRead() {
        byte[] bytes = HexFormat.of().parseHex("02808082e288d2a306" + SOME_BYTES);
        EntryCodec.Entry entry = EntryCodec.decode(ByteBuffer.wrap(bytes));
        assertThat(entry).isEqualTo(new EntryCodec.Entry(THEN, Optional.empty(), SOME));
    }

    @Test
    void theFormOfAClaimIsStableAndThatOfAWantedSlotIsAnother() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        WorkerClaim claim = new WorkerClaim("r", "o", "l", 16, Duration.ofSeconds(30), now, Duration.ofSeconds(40));
        String any = hex(new IdCommand.ClaimWorker("g", claim, ClaimTerms.COUNTED));
        assertThat(any).isEqualTo("2401670172016f016c103c0080e4ad950d005000");
        assertThat(hex(new IdCommand.ClaimWorker("g", claim.wanting(7), ClaimTerms.COUNTED)))
                .isEqualTo("2b" + any.substring(2) + "07");
        assertThat(hex(new IdCommand.ClaimWorker("g", claim, ClaimTerms.in("i"))))
                .isEqualTo("2e" + any.substring(2) + "0169" + "00");
        assertThat(hex(new IdCommand.ClaimWorker(
                        "g", claim.wanting(7).keeping(7, 1).inNewStore(), ClaimTerms.own("i"))))
                .isEqualTo("2e" + any.substring(2) + "0169" + "0f" + "07" + "07" + "02");
    }

    @Test
    void theFormOfARenewalIsStable() {
        WorkerSlot slot = new WorkerSlot(3, 1, Instant.EPOCH, Instant.EPOCH);
        String any = hex(new IdCommand.RenewWorker("g", slot, Duration.ofSeconds(30), Instant.EPOCH, ""));
        assertThat(any).isEqualTo("25" + "0167" + "06" + "02" + "0000" + "0000" + "3c00" + "0000");
        assertThat(hex(new IdCommand.RenewWorker("g", slot, Duration.ofSeconds(30), Instant.EPOCH, "i")))
                .isEqualTo("2f" + any.substring(2) + "0169");
    }

    @Test
    void theFormOfAChangedDefinitionIsStable() {
        assertThat(hex(new IdCommand.ReplaceDefinition("n", "a", "b"))).isEqualTo("2c016e01610162");
        assertThat(hex(new IdCommand.RemoveDefinition("n", "a"))).isEqualTo("2d016e0161");
    }

    @Test
    void theFormOfTransactionsIsStable() {
        BranchRecord branch = BranchRecord.planned("b", Map.of(Operation.ACTION, "t"), "p");
        TransactionDraft draft = new TransactionDraft(
                new TransactionId("g"),
                TransactionKind.SAGA,
                "s",
                "n",
                "p",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofSeconds(30),
                RetryPolicy.FOR_EVER,
                List.of(branch));
        assertThat(hex(new TransactionCommand.BeginTransaction(draft, Optional.of("o"), Duration.ofSeconds(5))))
                .isEqualTo("40" + "0167" + "0453414741" + "0173" + "016e" + "0170" + "00" + "06414354495645" + "3c00"
                        + "0d5054315320322e30205054354d" + "01" + "0162" + "00" + "00" + "01" + "06414354494f4e"
                        + "0174" + "0170" + "07504c414e4e4544" + "00" + "00" + "00" + "00" + "01016f" + "0a00");
    }

    private static String hex(Command<?> command) {
        return HexFormat.of().formatHex(EntryCodec.encodeCommand(command));
    }

    @Test
    void anotherVersionIsRefused() {
        byte[] bytes = encode(Instant.EPOCH, List.of());
        bytes[0] = 1;
        assertThatThrownBy(() -> EntryCodec.decode(ByteBuffer.wrap(bytes)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("version 1");
    }

    @Test
    void anUnknownCommandIsRefused() {
        for (int tag : new int[] {0, 31, 48, 74, 255}) {
            byte[] bytes = bytes(Instant.EPOCH, List.of(new byte[] {(byte) tag}));
            assertThatThrownBy(() -> EntryCodec.decode(ByteBuffer.wrap(bytes)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("tag " + tag);
        }
    }

    @Test
    void whatIsLeftOverIsRefused() {
        byte[] bytes = encode(Instant.EPOCH, List.of(new LockCommand.AdvanceTime()));
        assertThatThrownBy(() -> EntryCodec.decode(ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("left over");
    }

    static byte[] encode(Instant time, List<? extends Command<?>> commands) {
        return bytes(time, commands.stream().map(EntryCodec::encodeCommand).toList());
    }

    /** An entry of a sender that nobody else is. */
    static byte[] bytes(Instant time, List<byte[]> commands) {
        return bytes(new EntryCodec.Sender(UUID.randomUUID(), 1), time, commands);
    }

    static byte[] bytes(EntryCodec.Sender sender, Instant time, List<byte[]> commands) {
        byte[] stamp = EntryCodec.stamp(time);
        byte[] body = EntryCodec.encode(sender, commands);
        byte[] both = Arrays.copyOf(stamp, stamp.length + body.length);
        System.arraycopy(body, 0, both, stamp.length, body.length);
        return both;
    }

    @Provide
    Arbitrary<List<Command<?>>> commands() {
        return Arbitraries.oneOf(kinds()).list().ofMaxSize(20);
    }

    private static Arbitrary<Acquire> acquires() {
        return Combinators.combine(
                        names(), names(), names(), names(), durations().optional(), durations(), terms())
                .as(Acquire::new);
    }

    private static Arbitrary<Acquire.Terms> terms() {
        Arbitrary<LockMode> modes = Arbitraries.oneOf(
                Arbitraries.of(LockMode.EXCLUSIVE, LockMode.SHARED, LockMode.UPDATE),
                Arbitraries.integers().between(1, 5).map(n -> LockMode.permits(n, 5)));
        return Arbitraries.oneOf(
                Arbitraries.just(Acquire.Terms.EXCLUSIVE),
                Combinators.combine(
                                modes,
                                Arbitraries.of(true, false),
                                Arbitraries.longs().between(0, 3_600_000).map(Duration::ofMillis),
                                longs().optional())
                        .as((mode, fair, delay, token) -> new Acquire.Terms(
                                mode, fair, delay, token.map(OptionalLong::of).orElseGet(OptionalLong::empty))));
    }

    private static List<Arbitrary<Command<?>>> kinds() {
        return Stream.concat(lockAndIdKinds().stream(), TransactionCommands.kinds().stream())
                .toList();
    }

    private static List<Arbitrary<Command<?>>> lockAndIdKinds() {
        return List.of(
                Arbitraries.just(new LockCommand.AdvanceTime()),
                Combinators.combine(names(), names(), durations())
                        .as((id, owner, ttl) -> new LockCommand.OpenSession(new SessionSpec(id, owner, ttl))),
                names().map(LockCommand.FindSession::new),
                names().map(LockCommand.KeepAlive::new),
                durations().map(LockCommand.KeepAllAlive::new),
                names().map(LockCommand.CloseSession::new),
                acquires().map(LockCommand.AcquireLock::new),
                acquires().list().ofMaxSize(5).map(LockCommand.AcquireLocks::new),
                Combinators.combine(names(), names()).as(LockCommand.RevokeLock::new),
                Combinators.combine(names(), longs())
                        .as(Release::new)
                        .list()
                        .ofMaxSize(5)
                        .map(LockCommand.ReleaseLocks::new),
                Combinators.combine(names(), longs(), durations().optional())
                        .as(Renew::new)
                        .list()
                        .ofMaxSize(5)
                        .map(LockCommand.RenewLocks::new),
                Combinators.combine(names(), names()).as((n, r) -> new LockCommand.CancelWait(new Cancel(n, r))),
                names().map(LockCommand.InspectLock::new),
                Combinators.combine(names(), names(), Arbitraries.integers().between(1, 1000))
                        .as(LockCommand.ListLocks::new),
                Combinators.combine(names(), longs(), names()).as(LockCommand.EvictLock::new),
                Combinators.combine(names(), longs()).as(IdCommand.NextRange::new),
                Combinators.combine(
                                names(),
                                Arbitraries.longs().between(0, 1 << 20),
                                Arbitraries.longs().between(1, RangeDefinition.STEP_MAX))
                        .as((n, start, step) ->
                                new IdCommand.DefineRange(n, new RangeDefinition(start, step, Long.MAX_VALUE))),
                names().map(IdCommand.FindRange::new),
                Combinators.combine(names(), longs()).as(IdCommand.RaiseRange::new),
                Combinators.combine(names(), names(), names(), instants(), durations())
                        .as((group, request, owner, now, reserve) -> new IdCommand.ClaimWorker(
                                group,
                                new WorkerClaim(request, owner, "layout", 1024, Duration.ofSeconds(9), now, reserve),
                                ClaimTerms.COUNTED)),
                Combinators.combine(names(), claims(), names(), Arbitraries.of(true, false))
                        .as((group, claim, incarnation, own) -> new IdCommand.ClaimWorker(
                                group, claim, own ? ClaimTerms.own(incarnation) : ClaimTerms.in(incarnation))),
                Combinators.combine(names(), names(), Arbitraries.integers().between(0, 1023), instants(), durations())
                        .as((group, request, wanted, now, reserve) -> new IdCommand.ClaimWorker(
                                group,
                                new WorkerClaim(request, "o", "layout", 1024, Duration.ofSeconds(9), now, reserve)
                                        .wanting(wanted),
                                ClaimTerms.COUNTED)),
                Combinators.combine(names(), slots(), durations(), instants(), Arbitraries.of("", "start 7"))
                        .as(IdCommand.RenewWorker::new),
                Combinators.combine(names(), slots(), instants()).as(IdCommand.ReleaseWorker::new),
                names().map(IdCommand.WorkerCensus::new),
                names().map(IdCommand.FindDefinition::new),
                Combinators.combine(names(), names()).as(IdCommand.PutDefinition::new),
                Combinators.combine(names(), names(), names()).as(IdCommand.ReplaceDefinition::new),
                Combinators.combine(names(), names()).as(IdCommand.RemoveDefinition::new),
                Arbitraries.just(new IdCommand.AllDefinitions()));
    }

    private static Arbitrary<WorkerClaim> claims() {
        return Combinators.combine(
                        instants(),
                        durations(),
                        Arbitraries.integers().between(-1, 1023),
                        Arbitraries.integers().between(-1, 1023),
                        Arbitraries.of(true, false))
                .as((now, reserve, wanted, kept, newStore) -> {
                    WorkerClaim claim = new WorkerClaim("r", "o", "layout", 1024, Duration.ofSeconds(9), now, reserve);
                    claim = wanted < 0 ? claim : claim.wanting(wanted);
                    claim = kept < 0 ? claim : claim.keeping(kept, 7L * kept);
                    return newStore ? claim.inNewStore() : claim;
                });
    }

    private static Arbitrary<String> names() {
        return Arbitraries.strings()
                .withCharRange(' ', '~')
                .withChars("äß漢字€")
                .ofMinLength(1)
                .ofMaxLength(200);
    }

    private static Arbitrary<Long> longs() {
        return Arbitraries.longs();
    }

    private static Arbitrary<Duration> durations() {
        return Arbitraries.longs().between(1, Duration.ofDays(1).toNanos()).map(Duration::ofNanos);
    }

    private static Arbitrary<Instant> instants() {
        return Arbitraries.longs().between(-1L << 45, 1L << 45).map(Instant::ofEpochMilli);
    }

    private static Arbitrary<WorkerSlot> slots() {
        return Combinators.combine(Arbitraries.integers().greaterOrEqual(0), longs(), instants(), instants())
                .as(WorkerSlot::new);
    }
}
