package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.SessionEnd;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.raft.Command.Applied;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ReplicaTest {
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final Replica replica = new Replica();
    private long index = 100;

    @Property(tries = 60)
    void theSameEntriesLeadToTheSameStateAndAnswersThroughAnySnapshot(@ForAll long seed) {
        Random random = new Random(seed);
        Replica straight = new Replica();
        Replica restarted = new Replica();
        Instant time = START;
        for (int i = 1; i <= 80; i++) {
            time = time.plusMillis(random.nextInt(3000) - 300);
            byte[] entry = EntryCodecTest.encode(time, someCommands(random));
            Applied expected = straight.apply(i, ByteBuffer.wrap(entry));
            if (random.nextInt(8) == 0) {
                byte[] snapshot = restarted.snapshot();
                restarted = new Replica();
                restarted.restore(snapshot);
            }
            Applied actual = restarted.apply(i, ByteBuffer.wrap(entry));
            assertThat(actual)
                    .usingRecursiveComparison()
                    .ignoringFieldsMatchingRegexes(".*stackTrace.*", ".*error.*")
                    .isEqualTo(expected);
        }
        assertThat(restarted.snapshot()).isEqualTo(straight.snapshot());
        assertThat(restarted.nextDeadline()).isEqualTo(straight.nextDeadline());
        Replica fresh = new Replica();
        fresh.restore(straight.snapshot());
        assertThat(fresh.usage()).as("what was counted step by step").isEqualTo(straight.usage());
    }

    @Test
    void anEntryThatIsSentAgainHasOneEffectThroughASnapshotToo() {
        UUID process = UUID.randomUUID();
        List<byte[]> next = List.of(EntryCodec.encodeCommand(new IdCommand.NextRange("r", 10)));
        ByteBuffer first = ByteBuffer.wrap(EntryCodecTest.bytes(new EntryCodec.Sender(process, 1), START, next));
        ByteBuffer second = ByteBuffer.wrap(EntryCodecTest.bytes(new EntryCodec.Sender(process, 2), START, next));
        assertThat(replica.apply(1, first.duplicate()).repeated()).isFalse();
        byte[] once = replica.snapshot();
        assertThat(replica.apply(2, first.duplicate()).repeated()).isTrue();
        assertThat(replica.snapshot()).isEqualTo(once);

        Replica other = new Replica();
        other.restore(once);
        assertThat(other.apply(3, first.duplicate()).answers()).isEmpty();
        assertThat(other.apply(4, second.duplicate()).answers()).hasSize(1);
        // A copy that was long on its way arrives behind a later one.
        assertThat(other.apply(5, first.duplicate()).repeated()).isTrue();
    }

    @Test
    void timeIsWhatTheLogSaysAndNeverGoesBack() {
        openSession("s", Duration.ofHours(1));
        acquire(START, "s", "r1", Duration.ZERO);
        assertThat(acquire(START.minusSeconds(60), "s", "r2", Duration.ZERO)).isInstanceOf(Outcome.Busy.class);
        assertThat(replica.now()).isEqualTo(START);
        assertThat(acquire(START.plus(LEASE).minusMillis(1), "s", "r3", Duration.ZERO))
                .isInstanceOf(Outcome.Busy.class);
        assertThat(acquire(START.plus(LEASE), "s", "r4", Duration.ZERO)).isInstanceOf(Outcome.Granted.class);
    }

    @Test
    void anEntryThatOnlyAdvancesTimeHandsOverWhatIsDue() {
        openSession("s", Duration.ofHours(1));
        acquire(START, "s", "r1", Duration.ZERO);
        acquire(START, "s", "r2", Duration.ofMinutes(1));
        assertThat(replica.nextDeadline()).contains(START.plus(LEASE));

        assertThat(apply(START.plus(LEASE).minusNanos(1_000), new LockCommand.AdvanceTime())
                        .grants())
                .isEmpty();
        assertThat(apply(START.plus(LEASE), new LockCommand.AdvanceTime()).grants())
                .extracting(Grant::requestId)
                .containsExactly("r2");
    }

    @Test
    void aSessionThatIsNotKeptAliveEndsWithWhatItHolds() {
        openSession("s", Duration.ofSeconds(3));
        acquire(START, "s", "r1", Duration.ZERO);
        Applied applied = apply(START.plusSeconds(3), new LockCommand.InspectLock("l"));
        assertThat(applied.ended()).containsExactly(new SessionEnd("s", false));
        assertThat(applied.answers().get(0).value()).isEqualTo(Optional.empty());
    }

    @Test
    void tokensGrowWithinAnEntryAndFollowTheIndex() {
        openSession("s", Duration.ofHours(1));
        Applied applied = apply(
                START,
                new LockCommand.AcquireLock(request("s", "a", "a", Duration.ZERO)),
                new LockCommand.AcquireLock(request("s", "b", "b", Duration.ZERO)));
        assertThat(applied.answers())
                .extracting(a -> ((Outcome.Granted) a.value()).token())
                .containsExactly(index * 32, index * 32 + 32);
        index = 5000;
        Outcome later = (Outcome) apply(START, new LockCommand.AcquireLock(request("s", "c", "c", Duration.ZERO)))
                .answers()
                .get(0)
                .value();
        assertThat(((Outcome.Granted) later).token()).isEqualTo(5001 * 32);
    }

    @Test
    void aRefusalIsAnAnswerAndTheNextCommandRuns() {
        apply(START, new IdCommand.DefineRange("r", new RangeDefinition(1, 1, 2)));
        Applied applied = apply(
                START,
                new IdCommand.NextRange("r", 5),
                new IdCommand.NextRange("r", 1),
                new IdCommand.PutDefinition("d", "text"));
        assertThat(applied.answers().get(0).error()).isNull();
        assertThat(applied.answers().get(1).error()).isInstanceOf(RangeExhaustedException.class);
        assertThat(applied.answers().get(2).value()).isEqualTo("text");
    }

    /**
     * Written by a replica that knew the exclusive mode alone: a lock of a session, and one that is held and waited
     * for.
     */
    private static final String FIRST_VERSION =
            "54454e4f4e534e5001809f8cb00d00809f8cb00d0010010173056f776e65721400949f8cb0"
                    + "0d000105626f756e640e0205626f756e640e010173027231026f310e809f8cb00d00949f8cb00d00000468656c641001017302"
                    + "7232026f3210809f8cb00d00a89f8cb00d00010173027233026f332800809f8cb00d00f89f8cb00d000000004e26d9bd";

    @Test
    void aSnapshotOfTheFirstVersionIsRead() {
        replica.restore(HexFormat.of().parseHex(FIRST_VERSION));

        assertThat(replica.now()).isEqualTo(START);
        Applied applied = apply(
                START.plusSeconds(1),
                new LockCommand.InspectLock("held"),
                new LockCommand.KeepAlive("s"),
                new LockCommand.ReleaseLocks(List.of(new Release("bound", 7))),
                new LockCommand.ReleaseLocks(List.of(new Release("held", 8))));
        assertThat(applied.answers().get(0).value()).isInstanceOfSatisfying(Optional.class, view -> {
            LockView held = (LockView) view.orElseThrow();
            assertThat(held.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.owner()).isEqualTo("o2");
                assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
            });
        });
        assertThat(applied.answers().get(1).value()).isEqualTo(true);
        assertThat(applied.answers().get(2).value()).isEqualTo(List.of(Released.FREED));
        assertThat(applied.answers().get(3).value()).isEqualTo(List.of(Released.HANDED_OVER));
        assertThat(applied.grants()).extracting(Grant::requestId).containsExactly("r3");
    }

    /** Written by a replica that knew no transactions: a sequence, a definition, and who sent them. */
    private static final String THIRD_VERSION =
            "54454e4f4e534e5003809f8cb00d00809f8cb00d000000000101720202feffffffffffffffff0114000101640474657874"
                    + "01020407e4be2eea";

    @Test
    void aSnapshotOfTheThirdVersionIsReadWithoutTransactions() {
        replica.restore(HexFormat.of().parseHex(THIRD_VERSION));
        Applied applied = apply(
                START,
                new IdCommand.NextRange("r", 1),
                new IdCommand.FindDefinition("d"),
                new TransactionCommand.ListTransactions(TransactionFilter.ALL, "", 10));
        assertThat(((IdRange) applied.answers().get(0).value()).first()).isEqualTo(11);
        assertThat(applied.answers().get(1).value()).isEqualTo(Optional.of("text"));
        assertThat(applied.answers().get(2).value()).isEqualTo(new TransactionPage(List.of(), false));
    }

    /**
     * Written by a replica that did not know which transactions are in trouble: one that is suspended, with its
     * history.
     */
    private static final String FOURTH_VERSION =
            "54454e4f4e534e5004809f8cb00d00809f8cb00d000e0000000000000103742d3104534147410473686f70076f726465"
                    + "722f31403733356438353831326435363134626639343364663739343266626563653039313435666336356136643462"
                    + "3138396565373834313131393065396435306166027b7d000d5054315320322e30205054354d809f8cb00d00a0d78cb0"
                    + "0d0006414354495645020100809f8cb00d00010377687900010370617900000206414354494f4e02646f0a434f4d5045"
                    + "4e5341544504756e646f017007504c414e4e45440000000001809f8cb00d000973757370656e64656403626f62037768"
                    + "796fd3dec2";

    @Test
    void aSnapshotOfTheFourthVersionIsReadWithoutTrouble() {
        replica.restore(HexFormat.of().parseHex(FOURTH_VERSION));
        TransactionFilter stuck = TransactionFilter.ALL.ofService("shop").thatAreStuck();
        Applied applied = apply(
                START,
                new TransactionCommand.ListTransactions(stuck, "", 10),
                new TransactionCommand.FindHistory(new TransactionId("t-1")));
        TransactionRecord found = ((TransactionPage) applied.answers().get(0).value())
                .transactions()
                .get(0);
        assertThat(found.suspended()).contains("why");
        assertThat(found.progress().trouble()).isEmpty();
        assertThat(found.branches()).hasSize(1);
        assertThat((List<?>) applied.answers().get(1).value()).hasSize(1);
    }

    @Test
    void aDamagedSnapshotIsRefused() {
        openSession("s", LEASE);
        byte[] snapshot = replica.snapshot();
        for (int i = 0; i < snapshot.length; i++) {
            byte[] damaged = snapshot.clone();
            damaged[i] ^= 4;
            assertThatThrownBy(() -> new Replica().restore(damaged)).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> new Replica().restore(Arrays.copyOf(snapshot, snapshot.length - 1)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new Replica().restore(new byte[0])).isInstanceOf(IllegalStateException.class);
    }

    private void openSession(String id, Duration ttl) {
        apply(START, new LockCommand.OpenSession(new SessionSpec(id, "owner", ttl)));
    }

    private Outcome acquire(Instant at, String session, String requestId, Duration wait) {
        return (Outcome) apply(at, new LockCommand.AcquireLock(request(session, "l", requestId, wait)))
                .answers()
                .get(0)
                .value();
    }

    private static Acquire request(String session, String name, String requestId, Duration wait) {
        return new Acquire(name, session, requestId, "owner", Optional.of(LEASE), wait);
    }

    private Applied apply(Instant at, Command<?>... commands) {
        return replica.apply(++index, ByteBuffer.wrap(EntryCodecTest.encode(at, List.of(commands))));
    }

    /** Commands that meet each other: few names, few sessions. */
    private static List<Command<?>> someCommands(Random random) {
        List<Command<?>> commands = new ArrayList<>();
        for (int left = random.nextInt(5); left > 0; left--) {
            String name = "n" + random.nextInt(3);
            String session = "s" + random.nextInt(3);
            commands.add(
                    switch (random.nextInt(15)) {
                        case 0 -> new LockCommand.OpenSession(new SessionSpec(session, "o", Duration.ofSeconds(20)));
                        case 1 -> new LockCommand.KeepAlive(session);
                        case 2, 3, 4 ->
                            new LockCommand.AcquireLock(new Acquire(
                                    name,
                                    session,
                                    "r" + random.nextInt(40),
                                    "o",
                                    random.nextBoolean() ? Optional.of(LEASE) : Optional.empty(),
                                    Duration.ofSeconds(random.nextInt(9))));
                        case 5 -> new LockCommand.ReleaseLocks(List.of(new Release(name, random.nextInt(80))));
                        case 6 -> new LockCommand.CancelWait(new Cancel(name, "r" + random.nextInt(40)));
                        case 7 -> new IdCommand.NextRange(name, random.nextInt(9) - 1);
                        case 8 -> claimOf(random);
                        case 9, 10, 11 -> TransactionCommands.meeting(random);
                        case 12 ->
                            new IdCommand.ReplaceDefinition(name, "t" + random.nextInt(5), "t" + random.nextInt(5));
                        case 13 -> new IdCommand.RemoveDefinition(name, "t" + random.nextInt(5));
                        default -> new IdCommand.PutDefinition(name, "t" + random.nextInt(5));
                    });
        }
        return commands;
    }

    private static Command<?> claimOf(Random random) {
        WorkerClaim any = new WorkerClaim("r" + random.nextInt(6), "o", "l", 3, LEASE, START, LEASE);
        ClaimTerms terms = List.of(ClaimTerms.COUNTED, ClaimTerms.own("a"), ClaimTerms.in("a"), ClaimTerms.in("b"))
                .get(random.nextInt(4));
        WorkerClaim claim = switch (random.nextInt(4)) {
            case 0 -> any.wanting(random.nextInt(3));
            case 1 -> any.keeping(random.nextInt(3), random.nextInt(9));
            case 2 -> any.inNewStore();
            default -> any;
        };
        return new IdCommand.ClaimWorker("g", claim, terms);
    }
}
