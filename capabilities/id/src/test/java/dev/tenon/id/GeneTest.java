package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeneTest {
    private static final IdLayout ROOMY =
            IdLayout.builder().workerBits(6).sequenceBits(12).build();

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final Gene gene = new Gene(4);

    /** Published in docs/ids/gene.md, for others to compute the same. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "1, 12, 52012",
        "2, 7, 33767",
        "42, 12, 22988",
        "1000000007, 4, 4420",
        "13800138000, 1, 3281",
        "-1, 1, 24353",
        "9223372036854775807, 10, 60906",
        "-9223372036854775808, 3, 42131"
    })
    void shardsOfNumbersAreAsPublished(long key, int ofSixteen, int ofAll) {
        assertThat(gene.shardFor(key)).isEqualTo(ofSixteen);
        assertThat(new Gene(16).shardFor(key)).isEqualTo(ofAll);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 6, 10534",
        "'a', 11, 52827",
        "'foobar', 11, 26411",
        "'alice@example.org', 0, 62944",
        "'13800138000', 8, 14232",
        "'Zoë', 9, 55225",
        "'订单', 10, 29498",
        "'😀', 6, 62342"
    })
    void shardsOfTextAreAsPublished(String key, int ofSixteen, int ofAll) {
        assertThat(gene.shardFor(key)).isEqualTo(ofSixteen);
        assertThat(new Gene(16).shardFor(key)).isEqualTo(ofAll);
    }

    /** FNV-1a by the book, over the bytes that the JDK makes of the text. */
    @Property(tries = 500)
    void textIsHashedAsUtf8(@ForAll String key, @ForAll @IntRange(min = 1, max = 16) int bits) {
        long hash = 0xcbf29ce484222325L;
        for (byte octet : wellFormed(key).getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ octet & 0xff) * 0x100000001b3L;
        }
        assertThat(new Gene(bits).shardFor(key)).isEqualTo(new Gene(bits).shardFor(hash));
    }

    private static String wellFormed(String text) {
        return text.codePoints()
                .map(point -> point >= 0xd800 && point < 0xe000 ? 0xfffd : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void anOrderRoutesLikeItsUser() {
        GeneGenerator users = GeneGenerator.create(SnowflakeGenerator.create(ROOMY, WorkerId.fixed(1, clock)), gene);
        GeneGenerator orders = GeneGenerator.create(SnowflakeGenerator.create(ROOMY, WorkerId.fixed(2, clock)), gene);
        Set<Long> all = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            String mail = "user" + i + "@example.org";
            long user = users.idFor(mail);
            long order = orders.idLike(user);
            long another = orders.idFor(mail);
            assertThat(gene.shardOf(order))
                    .isEqualTo(gene.shardOf(user))
                    .isEqualTo(gene.shardOf(another))
                    .isEqualTo(gene.shardFor(mail));
            assertThat(another).isGreaterThan(order);
            assertThat(ROOMY.decode(gene.without(order)).workerId()).isEqualTo(2);
            assertThat(all.add(user) & all.add(order) & all.add(another)).isTrue();
        }
    }

    @Test
    void whatIsAboveTheGeneIsUniqueAlone() {
        AtomicLong counter = new AtomicLong();
        GeneGenerator ids = GeneGenerator.create(counter::incrementAndGet, gene);
        long before = 0;
        for (int i = 0; i < 1000; i++) {
            long above = gene.without(ids.idFor(i));
            assertThat(above).isGreaterThan(before);
            before = above;
        }
        assertThat(counter.get()).as("one in sixteen is skipped").isBetween(1020L, 1120L);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 17, 64})
    void refusesGenesThatAreNone(int bits) {
        assertThatThrownBy(() -> new Gene(bits)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesALayoutWithoutRoom() {
        SnowflakeGenerator full = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(1, clock));
        assertThatThrownBy(() -> GeneGenerator.create(full, gene))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("59 bits");
        SnowflakeGenerator roomy = SnowflakeGenerator.create(ROOMY, WorkerId.fixed(1, clock));
        assertThat(GeneGenerator.create(roomy, gene).gene()).isEqualTo(gene);
        assertThatThrownBy(() -> GeneGenerator.create(roomy, new Gene(5))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesToLoseBitsOfAnId() {
        AtomicLong counter = new AtomicLong(gene.roomMax() - 200);
        GeneGenerator ids = GeneGenerator.create(counter::incrementAndGet, gene);
        assertThatThrownBy(() -> {
                    while (true) {
                        assertThat(ids.idFor("k")).isPositive();
                    }
                })
                .isInstanceOf(RangeExhaustedException.class);
        assertThat(counter.get()).isBetween(gene.roomMax() + 1, gene.roomMax() + 2);
        assertThatThrownBy(() -> GeneGenerator.create(() -> -1, gene).idFor(1))
                .isInstanceOf(RangeExhaustedException.class);
    }
}
