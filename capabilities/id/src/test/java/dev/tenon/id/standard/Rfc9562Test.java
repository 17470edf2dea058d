package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The examples of RFC 9562, appendices A and B, and what surrounds them. */
class Rfc9562Test {
    private static final UUID V1 = UUID.fromString("C232AB00-9414-11EC-B3C8-9F6BDECED846");
    private static final UUID V3 = UUID.fromString("5df41881-3aed-3515-88a7-2f4a814cf09e");
    private static final UUID V4 = UUID.fromString("919108f7-52d1-4320-9bac-f847db4148a8");
    private static final UUID V5 = UUID.fromString("2ed6657d-e927-568b-95e1-2665a8aea6a2");
    private static final UUID V6 = UUID.fromString("1EC9414C-232A-6B00-B3C8-9F6BDECED846");
    private static final UUID V7 = UUID.fromString("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
    private static final UUID V8_TIME = UUID.fromString("2489E9AD-2EE2-8E00-8EC9-32D5F69181C0");
    private static final UUID V8_NAME = UUID.fromString("5c146b14-3c52-8afd-938a-375d0df1fbf6");

    private static final Instant EXAMPLE_TIME = Instant.parse("2022-02-22T19:22:22Z");
    private static final long EXAMPLE_NODE = 0x9F6BDECED846L;
    private static final int EXAMPLE_SEQUENCE = 0x33C8;

    @Test
    void everyExampleHasItsVersionAndVariant() {
        List<UUID> byVersion = List.of(V1, V3, V4, V5, V6, V7, V8_TIME, V8_NAME);
        assertThat(byVersion).extracting(UUID::version).containsExactly(1, 3, 4, 5, 6, 7, 8, 8);
        assertThat(byVersion).extracting(UUID::variant).containsOnly(Rfc9562.VARIANT);
    }

    /** A.1 and A.5: the same moment, clock sequence and node. */
    @Test
    void makesTheExamplesOfVersions1And6() {
        for (int version : new int[] {1, 6}) {
            GregorianUuidGenerator generator = GregorianUuidGenerator.builder(version)
                    .time(new SteppingClock(EXAMPLE_TIME.toEpochMilli()))
                    .node(EXAMPLE_NODE)
                    .clockSequence(EXAMPLE_SEQUENCE)
                    .build();
            assertThat(generator.nextUuid()).isEqualTo(version == 1 ? V1 : V6);
        }
    }

    @Test
    void takesVersions1And6Apart() {
        for (UUID uuid : List.of(V1, V6)) {
            assertThat(Rfc9562.time(uuid)).contains(EXAMPLE_TIME);
            assertThat(Rfc9562.clockSequence(uuid)).isEqualTo(EXAMPLE_SEQUENCE);
            assertThat(Rfc9562.node(uuid)).isEqualTo(EXAMPLE_NODE);
        }
        assertThat(Rfc9562.toVersion6(V1)).isEqualTo(V6);
        assertThat(Rfc9562.toVersion1(V6)).isEqualTo(V1);
        // One tick later: what the millisecond of the example does not show.
        assertThat(Rfc9562.time(UUID.fromString("C232AB01-9414-11EC-B3C8-9F6BDECED846")))
                .contains(EXAMPLE_TIME.plusNanos(100));
    }

    /** A.2, A.4 and B.2. */
    @Test
    void makesTheExamplesOfNames() {
        String name = "www.example.com";
        assertThat(NameUuidGenerator.version3(NameUuidGenerator.DNS).uuid(name)).isEqualTo(V3);
        assertThat(NameUuidGenerator.version5(NameUuidGenerator.DNS).uuid(name)).isEqualTo(V5);
        assertThat(NameUuidGenerator.version8(NameUuidGenerator.DNS).uuid(name)).isEqualTo(V8_NAME);
        assertThat(NameUuidGenerator.version5(NameUuidGenerator.URL).uuid(name)).isNotEqualTo(V5);
        assertThat(List.of(NameUuidGenerator.DNS, NameUuidGenerator.URL, NameUuidGenerator.OID, NameUuidGenerator.X500))
                .extracting(UUID::toString)
                .containsExactly(
                        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                        "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
                        "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
                        "6ba7b814-9dad-11d1-80b4-00c04fd430c8");
    }

    /** A.3: the random bits of the example go where the example has them. */
    @Test
    void makesTheExampleOfVersion4() {
        RepeatedLongs bits = new RepeatedLongs(0x919108f752d13320L, 0x5bacf847db4148a8L);
        assertThat(RandomUuidGenerator.create(bits).nextUuid()).isEqualTo(V4);
        assertThat(RandomUuidGenerator.create().nextUuid())
                .isNotEqualTo(RandomUuidGenerator.create().nextUuid());
    }

    /** A.6. */
    @Test
    void readsTheExampleOfVersion7() {
        assertThat(Rfc9562.time(V7)).contains(EXAMPLE_TIME);
        assertThat(V7.getMostSignificantBits() >>> 16).isEqualTo(0x017F22E279B0L);
    }

    /** B.1. */
    @Test
    void makesTheExampleOfVersion8() {
        assertThat(Rfc9562.version8(0x2489E9AD2EE2L, 0xE00, 0x0EC932D5F69181C0L))
                .isEqualTo(V8_TIME);
        assertThat(Rfc9562.version8((1L << 48) - 1, 0xfff, (1L << 62) - 1))
                .isEqualTo(UUID.fromString("ffffffff-ffff-8fff-bfff-ffffffffffff"));
        assertThatThrownBy(() -> Rfc9562.version8(1L << 48, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rfc9562.version8(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rfc9562.version8(0, 0x1000, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rfc9562.version8(0, -1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rfc9562.version8(0, 0, 1L << 62)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rfc9562.version8(0, 0, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nilAndMaxAreTheEnds() {
        assertThat(Rfc9562.NIL).hasToString("00000000-0000-0000-0000-000000000000");
        assertThat(Rfc9562.MAX).hasToString("ffffffff-ffff-ffff-ffff-ffffffffffff");
        assertThat(Rfc9562.compare(Rfc9562.NIL, Rfc9562.MAX)).isNegative();
        // The JDK's order has it the other way round.
        assertThat(Rfc9562.NIL.compareTo(Rfc9562.MAX)).isPositive();
    }

    @Test
    void otherVersionsHaveNoTimeClockSequenceOrNode() {
        for (UUID uuid : List.of(V3, V4, V5, V8_TIME, V8_NAME, Rfc9562.NIL, Rfc9562.MAX)) {
            assertThat(Rfc9562.time(uuid)).isEmpty();
            assertThatThrownBy(() -> Rfc9562.clockSequence(uuid)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Rfc9562.node(uuid)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Rfc9562.toVersion1(uuid)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Rfc9562.toVersion6(uuid)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Rfc9562.toVersion6(V6)).isInstanceOf(IllegalArgumentException.class);
        // The variant of Microsoft, with a 1 where the version would be.
        assertThat(Rfc9562.time(new UUID(0x1000, 0xc000000000000000L))).isEmpty();
    }

    @Property
    void bytesAndTextHaveTheOrder(@ForAll List<Long> halves) {
        List<UUID> uuids = new ArrayList<>();
        for (int i = 1; i < halves.size(); i++) {
            uuids.add(new UUID(halves.get(i - 1), halves.get(i)));
        }
        List<UUID> byBits = new ArrayList<>(uuids);
        byBits.sort(Rfc9562.ORDER);
        List<UUID> byText = new ArrayList<>(uuids);
        byText.sort(Comparator.comparing(UUID::toString));
        assertThat(byBits).isEqualTo(byText);
        for (UUID uuid : uuids) {
            byte[] bytes = Rfc9562.toBytes(uuid);
            assertThat(Rfc9562.fromBytes(bytes)).isEqualTo(uuid);
            assertThat(java.util.HexFormat.of().formatHex(bytes))
                    .isEqualTo(uuid.toString().replace("-", ""));
        }
    }

    @Test
    void refusesAnotherNumberOfBytes() {
        assertThatThrownBy(() -> Rfc9562.fromBytes(new byte[15])).hasMessageContaining("16 bytes, not 15");
        assertThatThrownBy(() -> Rfc9562.fromBytes(new byte[17])).hasMessageContaining("16 bytes, not 17");
    }

    @Property
    void version1AndVersion6AreTheSame(
            @ForAll @LongRange(min = 0, max = Gregorian.TICK_MAX) long tick,
            @ForAll @IntRange(min = 0, max = Gregorian.SEQUENCE_MAX) int sequence,
            @ForAll @LongRange(min = 0, max = Gregorian.NODE_MAX) long node) {
        UUID one = Gregorian.version1(tick, Gregorian.low(sequence, node));
        UUID six = Gregorian.version6(tick, Gregorian.low(sequence, node));
        assertThat(one.version()).isEqualTo(1);
        assertThat(six.version()).isEqualTo(6);
        assertThat(one.timestamp()).isEqualTo(tick);
        assertThat(one.clockSequence()).isEqualTo(sequence).isEqualTo(Rfc9562.clockSequence(six));
        assertThat(one.node()).isEqualTo(node).isEqualTo(Rfc9562.node(six));
        assertThat(Rfc9562.toVersion6(one)).isEqualTo(six);
        assertThat(Rfc9562.toVersion1(six)).isEqualTo(one);
        assertThat(Rfc9562.time(one)).isEqualTo(Rfc9562.time(six));
    }
}
