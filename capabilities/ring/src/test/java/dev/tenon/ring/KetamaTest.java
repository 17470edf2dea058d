package dev.tenon.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys must land where the memcached clients put them. */
class KetamaTest {
    /** What spymemcached's own tests expect of its locator, for nodes 127.0.0.1:10000 and up. */
    @ParameterizedTest
    @CsvSource({
        "4, dustin,         0",
        "4, noelani,        2",
        "4, some other key, 0",
        // Beyond the last point: they wrap round to the first.
        "4, V5XS8C8N,       3",
        "4, 8KR2DKR2,       3",
        "4, L9KH6X4X,       3",
        "5, dustin,         0",
        "5, noelani,        2",
        "5, some other key, 4",
        "5, 36,             2",
        "5, 10037,          3",
        "5, 22051,          1",
        "5, 49044,          4"
    })
    void agreesWithSpymemcached(int nodes, String key, int expected) {
        assertThat(spymemcachedRing(nodes).nodeFor(key)).isEqualTo("127.0.0.1:1000" + expected);
    }

    @Test
    void hasFourPointsAHashAndFortyHashesANode() {
        HashRing<String> ring = spymemcachedRing(4);
        assertThat(ring.pointCount()).isEqualTo(4 * 160);
        assertThat(ring.positionOfPoint(ring.pointCount() - 1)).isEqualTo(4_294_887_009L);
    }

    /**
     * The check that libketama ships: for a million keys, the position of the key, that of its point and the server, as
     * lines of text, have this MD5. It covers weights, which libketama calls memory.
     */
    @Test
    void agreesWithLibketama() throws Exception {
        HashRing<String> ring = HashRing.builder(Function.<String>identity())
                .hash(RingHash.KETAMA)
                .node("10.0.1.1:11211", 600)
                .node("10.0.1.2:11211", 300)
                .node("10.0.1.3:11211", 200)
                .node("10.0.1.4:11211", 350)
                .node("10.0.1.5:11211", 1000)
                .node("10.0.1.6:11211", 800)
                .node("10.0.1.7:11211", 950)
                .node("10.0.1.8:11211", 100)
                .build();
        MessageDigest digest = MessageDigest.getInstance("MD5");
        digest.update((byte) '\n');
        for (int i = 0; i < 1_000_000; i++) {
            String key = Integer.toString(i);
            long position = RingHash.KETAMA.position(RingHash.utf8(key));
            long point = ring.positionOfPoint(ring.firstPoint(key));
            String line = position + " " + point + " " + ring.nodeFor(key) + "\n";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo("5672b131391f5aa2b280936aec1eea74");
    }

    @Test
    void refusesPointsThatAreNoMultipleOfFour() {
        HashRing.Builder<String> builder = HashRing.builder(Function.<String>identity())
                .hash(RingHash.KETAMA)
                .pointsPerWeight(161)
                .node("a");
        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining("161");
    }

    @Test
    void refusesANodeWhoseShareIsTooSmallForAPoint() {
        HashRing.Builder<String> builder = HashRing.builder(Function.<String>identity())
                .hash(RingHash.KETAMA)
                .node("light", 1)
                .node("heavy", 10_000);
        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining("share of light");
    }

    @Test
    void equalWeightsGiveEveryNodeAllItsPointsHoweverManyThereAre() {
        HashRing.Builder<String> builder =
                HashRing.builder(Function.<String>identity()).hash(RingHash.KETAMA);
        for (int nodes = 1; nodes <= 200; nodes++) {
            builder.node("node-" + nodes, 3);
            assertThat(builder.build().pointCount()).isEqualTo(nodes * 160);
        }
    }

    private static HashRing<String> spymemcachedRing(int nodes) {
        HashRing.Builder<String> builder =
                HashRing.builder(Function.<String>identity()).hash(RingHash.KETAMA);
        for (int i = 0; i < nodes; i++) {
            builder.node("127.0.0.1:1000" + i);
        }
        return builder.build();
    }
}
