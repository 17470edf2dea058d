package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class IdLayoutTest {
    /** The example of Wikipedia's article "Snowflake ID": a post of June 2022. */
    @Test
    void decodesAnIdOfTwitter() {
        assertThat(IdLayout.twitter().decode(1541815603606036480L))
                .isEqualTo(new IdParts(Instant.parse("2022-06-28T16:07:40.105Z"), 378, 11, 26, 0));
    }

    /** The example of Discord's developer documentation: worker 1, process 0, increment 7. */
    @Test
    void decodesAnIdOfDiscord() {
        IdLayout discord = IdLayout.twitter().withEpoch(Instant.ofEpochMilli(1420070400000L));
        assertThat(discord.decode(175928847299117063L))
                .isEqualTo(new IdParts(Instant.parse("2016-04-30T11:18:25.796Z"), 32, 1, 0, 7));
    }

    /** Sonyflake composes {@code time << 24 | sequence << 16 | machine}. */
    @Test
    void decodesAnIdOfSonyflake() {
        long id = 39_000_000_000L << 24 | 200L << 16 | 0xC0A8;
        assertThat(IdLayout.sonyflake().decode(id))
                .isEqualTo(new IdParts(
                        Instant.parse("2014-09-01T00:00:00Z").plusSeconds(390_000_000), 0xC0A8, 0, 0xC0A8, 200));
    }

    /** Baidu composes {@code seconds << 35 | worker << 13 | sequence}. */
    @Test
    void decodesAnIdOfBaidu() {
        IdLayout original = IdLayout.baidu().withEpoch(Instant.parse("2016-05-19T16:00:00Z"));
        assertThat(original.decode(1000L << 35 | 77L << 13 | 5))
                .isEqualTo(new IdParts(Instant.parse("2016-05-19T16:16:40Z"), 77, 0, 77, 5));
        assertThat(original.expiry()).isEqualTo(Instant.parse("2024-11-20T13:24:16Z"));
    }

    @Test
    void presetsHaveTheirPublishedShape() {
        assertThat(IdLayout.twitter().workers()).isEqualTo(1024);
        assertThat(IdLayout.twitter().idsPerSecond()).isEqualTo(4_096_000);
        assertThat(IdLayout.twitter().expiry()).isEqualTo(Instant.parse("2080-07-10T17:30:30.209Z"));
        assertThat(IdLayout.twitter().maxId()).isEqualTo(Long.MAX_VALUE);
        assertThat(IdLayout.sonyflake().workers()).isEqualTo(65536);
        assertThat(IdLayout.sonyflake().idsPerSecond()).isEqualTo(25_600);
        assertThat(Duration.between(
                                        IdLayout.sonyflake().epoch(),
                                        IdLayout.sonyflake().expiry())
                                .toDays()
                        / 365)
                .isEqualTo(174);
        assertThat(IdLayout.baidu().workers()).isEqualTo(1 << 22);
        assertThat(IdLayout.baidu().idsPerSecond()).isEqualTo(8192);
        assertThat(IdLayout.jsSafe().maxId()).isEqualTo((1L << 53) - 1);
    }

    @Test
    void composesDatacenterAndWorker() {
        IdLayout layout = IdLayout.twitter();
        assertThat(layout.workerId(11, 26)).isEqualTo(378);
        assertThat(layout.workerId(31, 31)).isEqualTo(1023);
        assertThatThrownBy(() -> layout.workerId(32, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout.workerId(0, 32)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout.workerId(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> layout.workerId(0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesWhatCannotBe() {
        List<IdLayout.Builder> bad = List.of(
                IdLayout.builder().timeBits(42),
                IdLayout.builder().timeBits(0),
                IdLayout.builder().timeBits(-1),
                IdLayout.builder().timeBits(Integer.MAX_VALUE),
                IdLayout.builder().workerBits(-1),
                IdLayout.builder().timeBits(30).workerBits(23).sequenceBits(5),
                IdLayout.builder().sequenceBits(-1),
                IdLayout.builder().timeBits(20).sequenceBits(32),
                IdLayout.builder().datacenterBits(11),
                IdLayout.builder().datacenterBits(-1),
                IdLayout.builder().unit(Duration.ZERO),
                IdLayout.builder().unit(Duration.ofMillis(-1)),
                IdLayout.builder().unit(Duration.ofNanos(1_500_000)),
                IdLayout.builder().unit(Duration.ofMinutes(61)),
                IdLayout.builder().unit(Duration.ofSeconds(Long.MAX_VALUE)),
                IdLayout.builder().epoch(Instant.ofEpochMilli(-1)),
                IdLayout.builder().epoch(Instant.ofEpochSecond(0, 1)),
                IdLayout.builder().timeBits(63).workerBits(0).sequenceBits(0));
        for (IdLayout.Builder builder : bad) {
            assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void refusesNumbersThatAreNotItsIds() {
        assertThatThrownBy(() -> IdLayout.twitter().decode(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IdLayout.jsSafe().decode(1L << 53)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IdLayout.twitter().firstIdAt(IdLayout.twitter().expiry()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(IdLayout.twitter().firstIdAt(Instant.MIN)).isZero();
    }

    @Test
    void textTellsLayoutsApartAndIsAName() {
        List<IdLayout> layouts = List.of(
                IdLayout.twitter(),
                IdLayout.builder().build(),
                IdLayout.sonyflake(),
                IdLayout.baidu(),
                IdLayout.jsSafe(),
                IdLayout.twitter().withEpoch(Instant.EPOCH),
                IdLayout.builder().workerLast().build(),
                IdLayout.builder().unit(Duration.ofMillis(2)).build());
        assertThat(layouts).extracting(IdLayout::text).doesNotHaveDuplicates();
        assertThat(layouts).doesNotHaveDuplicates();
        layouts.forEach(layout ->
                assertThat(Names.requireValid("layout", layout.text())).isNotEmpty());
        assertThat(IdLayout.twitter()).isEqualTo(IdLayout.twitter()).hasSameHashCodeAs(IdLayout.twitter());
        assertThat(IdLayout.sonyflake().text())
                .isEqualTo("unit PT0.01S, time 39, sequence 8, worker 16, epoch 2014-09-01T00:00:00Z");
        assertThat(IdLayout.sonyflake().withEpoch(Instant.EPOCH).text()).contains("sequence 8, worker 16");
    }

    @Property
    void theFirstIdOfAMomentHasItsTime(
            @ForAll @IntRange(min = 0, max = 3) int preset,
            @ForAll @LongRange(min = 0, max = 3_000_000_000L) long millis) {
        IdLayout layout = List.of(IdLayout.twitter(), IdLayout.sonyflake(), IdLayout.baidu(), IdLayout.jsSafe())
                .get(preset);
        Instant moment = layout.epoch().plusMillis(millis);
        long first = layout.firstIdAt(moment);
        IdParts parts = layout.decode(first);
        assertThat(parts.time()).isAfter(moment.minus(layout.unit())).isBeforeOrEqualTo(moment);
        assertThat(parts.sequence() + parts.workerId()).isZero();
        if (first > 0) {
            assertThat(layout.decode(first - 1).time()).isEqualTo(parts.time().minus(layout.unit()));
        }
    }
}
