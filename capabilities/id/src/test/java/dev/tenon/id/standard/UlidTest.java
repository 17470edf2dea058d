package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.RangeExhaustedException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UlidTest {
    private static final long START = 1_790_000_000_000L;
    private static final long HOUR = 3_600_000;

    private final SteppingClock clock = new SteppingClock(START);

    /** The specification's example, whose time and bits are known. */
    @Test
    void readsTheExample() {
        Ulid ulid = Ulid.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
        assertThat(ulid.time()).isEqualTo(Instant.parse("2016-07-30T23:54:10.259Z"));
        assertThat(ulid.toUuid()).isEqualTo(UUID.fromString("01563e3a-b5d3-d676-4c61-efb99302bd5b"));
        assertThat(Ulid.fromUuid(ulid.toUuid())).isEqualTo(ulid).hasToString("01ARZ3NDEKTSV4RRFFQ69G5FAV");
        assertThat(Ulid.parse("01arz3ndektsv4rrffq69g5fav")).isEqualTo(ulid);
    }

    @Test
    void theGreatestIsTheSpecifications() {
        Ulid greatest = Ulid.parse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
        assertThat(greatest).isEqualTo(new Ulid(-1, -1));
        assertThat(greatest.time().toEpochMilli()).isEqualTo(281474976710655L);
        assertThat(new Ulid(0, 0)).hasToString("00000000000000000000000000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80000000000000000000000000", // 2¹²⁸
                "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
                "01ARZ3NDEKTSV4RRFFQ69G5FA",
                "01ARZ3NDEKTSV4RRFFQ69G5FAVV",
                "",
                "01ARZ3NDEKTSV4RRFFQ69G5FAU",
                "01ARZ3NDEKTSV4RRFFQ69G5FAI",
                "01ARZ3NDEKTSV4RRFFQ69G5FAL",
                "O1ARZ3NDEKTSV4RRFFQ69G5FAV",
                "01ARZ3NDEK-TSV4RRFFQ69G5FA",
                "01ARZ3NDEKTSV4RRFFQ69G5F\u0130V"
            })
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> Ulid.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("A ULID has ");
    }

    /** Such as the Kelvin sign, whose lower case is a k. */
    @Test
    void takesNoLetterThatOnlyLooksLikeOne() {
        for (int unit = 128; unit <= Character.MAX_VALUE; unit++) {
            String text = "01ARZ3NDEKTSV4RRFFQ69G5FA" + (char) unit;
            assertThatThrownBy(() -> Ulid.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** The two of the specification that are one apart. */
    @Test
    void countsAsTheExampleDoes() {
        Ulid first = Ulid.parse("01BX5ZZKBKACTAV9WEVGEMMVRZ");
        SteppingClock stopped = new SteppingClock(first.time().toEpochMilli());
        UlidGenerator ids = UlidGenerator.create(stopped, bitsOf(first));
        assertThat(ids.nextUlid()).hasToString("01BX5ZZKBKACTAV9WEVGEMMVRZ");
        assertThat(ids.nextUlid()).hasToString("01BX5ZZKBKACTAV9WEVGEMMVS0");
        assertThat(ids.nextUlid()).hasToString("01BX5ZZKBKACTAV9WEVGEMMVS1");
    }

    @Test
    void carriesIntoTheUpperRandomBits() {
        Ulid first = new Ulid(START << 16 | 0x12, -1);
        UlidGenerator ids = UlidGenerator.create(clock, bitsOf(first));
        ids.nextUlid();
        assertThat(ids.nextUlid()).isEqualTo(new Ulid(START << 16 | 0x13, 0));
    }

    /**
     * The specification's last example: the random bits overflow, the call fails, the next millisecond has new ones.
     */
    @Test
    void throwsWhenTheRandomBitsOverflow() {
        Ulid nearlyLast = Ulid.parse("01BX5ZZKBKZZZZZZZZZZZZZZZY");
        SteppingClock stopped = new SteppingClock(nearlyLast.time().toEpochMilli());
        UlidGenerator ids = UlidGenerator.create(stopped, bitsOf(nearlyLast));
        assertThat(ids.nextUlid()).hasToString("01BX5ZZKBKZZZZZZZZZZZZZZZY");
        assertThat(ids.nextUlid()).hasToString("01BX5ZZKBKZZZZZZZZZZZZZZZZ");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(ids::nextUlid)
                    .isInstanceOf(RangeExhaustedException.class)
                    .hasMessageContaining("try again");
        }
        stopped.step(1);
        assertThat(ids.nextUlid()).hasToString("01BX5ZZKBMZZZZZZZZZZZZZZZY");
    }

    @Property(tries = 300)
    void ascendsThroughAnyClock(
            @ForAll @Size(min = 1, max = 50) List<@LongRange(min = -HOUR, max = HOUR) Long> steps,
            @ForAll @IntRange(min = 1, max = 20) int each) {
        UlidGenerator ids = UlidGenerator.create(clock, new Random(3));
        Ulid last = new Ulid(0, 0);
        for (long step : steps) {
            clock.step(step);
            for (int i = 0; i < each; i++) {
                Ulid next = ids.nextUlid();
                assertThat(next).isGreaterThan(last);
                assertThat(next.toString()).isGreaterThan(last.toString());
                assertThat(next.time()).isAfterOrEqualTo(clock.now());
                last = next;
            }
        }
    }

    @Test
    void eightThreadsGetNoneTwice() throws Exception {
        UlidGenerator ids = UlidGenerator.create();
        Set<Ulid> seen = new HashSet<>();
        for (List<Ulid> one : Many.draw(50_000, ids::nextUlid)) {
            assertThat(one).isSorted();
            seen.addAll(one);
        }
        assertThat(seen).hasSize(Many.THREADS * 50_000);
    }

    @Test
    void refusesATimeThatNoUlidHas() {
        UlidGenerator ids = UlidGenerator.create(new SteppingClock(1L << 48), new Random(3));
        assertThatThrownBy(ids::nextUlid).isInstanceOf(RangeExhaustedException.class);
        UlidGenerator early = UlidGenerator.create(new SteppingClock(-1), new Random(3));
        assertThat(early.nextUlid().time()).isEqualTo(Instant.EPOCH);
    }

    @Property
    void textAndBytesKeepBitsAndOrder(
            @ForAll long high, @ForAll long low, @ForAll long otherHigh, @ForAll long otherLow) {
        Ulid ulid = new Ulid(high, low);
        Ulid other = new Ulid(otherHigh, otherLow);
        assertThat(Ulid.parse(ulid.toString())).isEqualTo(ulid);
        assertThat(Ulid.parse(ulid.toString().toLowerCase(Locale.ROOT))).isEqualTo(ulid);
        assertThat(Ulid.fromBytes(ulid.toBytes())).isEqualTo(ulid);
        assertThat(Integer.signum(ulid.compareTo(other)))
                .isEqualTo(Integer.signum(ulid.toString().compareTo(other.toString())));
        assertThatThrownBy(() -> Ulid.fromBytes(new byte[17])).isInstanceOf(IllegalArgumentException.class);
    }

    /** Random numbers that make a generator begin at this ULID, in each millisecond. */
    private static RepeatedLongs bitsOf(Ulid ulid) {
        return new RepeatedLongs(ulid.high(), ulid.low());
    }
}
