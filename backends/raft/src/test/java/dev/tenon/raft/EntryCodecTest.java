package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
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

    @Test
    void theFormIsStableAsOldLogsMustBeRead() {
        byte[] bytes = encode(
                Instant.parse("2026-01-01T00:00:00Z"),
                List.of(
                        new LockCommand.AcquireLock(new Acquire(
                                "n", "s", "r", "o", Optional.of(Duration.ofSeconds(30)), Duration.ofMillis(5))),
                        new IdCommand.NextRange("seq", 100)));
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("01808082e288d2a306" + "02" + "06" + "016e" + "0173" + "0172" + "016f" + "013c00"
                        + "00c096b102" + "20" + "03736571" + "c801");
    }

    @Test
    void anotherVersionIsRefused() {
        byte[] bytes = encode(Instant.EPOCH, List.of());
        bytes[0] = 2;
        assertThatThrownBy(() -> EntryCodec.decode(ByteBuffer.wrap(bytes)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void anUnknownCommandIsRefused() {
        for (int tag : new int[] {0, 31, 43, 255}) {
            byte[] bytes = EntryCodec.encode(Instant.EPOCH, List.of(new byte[] {(byte) tag}));
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
        return EntryCodec.encode(
                time, commands.stream().map(EntryCodec::encodeCommand).toList());
    }

    @Provide
    Arbitrary<List<Command<?>>> commands() {
        return Arbitraries.oneOf(kinds()).list().ofMaxSize(20);
    }

    private static List<Arbitrary<Command<?>>> kinds() {
        return List.of(
                Arbitraries.just(new LockCommand.AdvanceTime()),
                Combinators.combine(names(), names(), durations())
                        .as((id, owner, ttl) -> new LockCommand.OpenSession(new SessionSpec(id, owner, ttl))),
                names().map(LockCommand.FindSession::new),
                names().map(LockCommand.KeepAlive::new),
                names().map(LockCommand.CloseSession::new),
                Combinators.combine(
                                names(), names(), names(), names(), durations().optional(), durations())
                        .as((n, s, r, o, lease, wait) ->
                                new LockCommand.AcquireLock(new Acquire(n, s, r, o, lease, wait))),
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
                                new WorkerClaim(request, owner, "layout", 1024, Duration.ofSeconds(9), now, reserve))),
                Combinators.combine(names(), slots(), durations(), instants()).as(IdCommand.RenewWorker::new),
                Combinators.combine(names(), slots(), instants()).as(IdCommand.ReleaseWorker::new),
                names().map(IdCommand.WorkerCensus::new),
                names().map(IdCommand.FindDefinition::new),
                Combinators.combine(names(), names()).as(IdCommand.PutDefinition::new),
                Arbitraries.just(new IdCommand.AllDefinitions()));
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
