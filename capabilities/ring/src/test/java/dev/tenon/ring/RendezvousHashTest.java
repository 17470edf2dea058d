package dev.tenon.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RendezvousHashTest {
    private static final List<String> KEYS =
            IntStream.range(0, 20_000).mapToObj(i -> "key-" + i).toList();

    @Test
    void refusesToBeEmpty() {
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousHash.of(List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousHash.of(Map.of(), Object::toString));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(List.of("a")).without("a"));
    }

    @Test
    void refusesANodeTwice() {
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousHash.of(List.of("a", "a")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(List.of("a")).with("a", 2));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(Map.of("a", 1.0, "b", 1.0), node -> "same"))
                .withMessageContaining("label same");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void refusesAWeightThatIsNotPositiveAndFinite(double weight) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(List.of("a")).with("b", weight));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(Map.of("a", weight), Function.identity()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 4})
    void refusesACountOfReplicasThatItCannotGive(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(List.of("a", "b", "c")).nodesFor("key", count));
    }

    @Test
    @SuppressWarnings("DataFlowIssue")
    void refusesNull() {
        RendezvousHash<String> nodes = RendezvousHash.of(List.of("a", "b"));
        assertThatNullPointerException().isThrownBy(() -> nodes.nodeFor(null));
        assertThatNullPointerException().isThrownBy(() -> nodes.with(null, 1));
        assertThatNullPointerException().isThrownBy(() -> nodes.without(null));
        assertThatNullPointerException().isThrownBy(() -> RendezvousHash.of(Collections.singletonList(null)));
    }

    @Test
    void refusesANodeThatIsNotThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousHash.of(List.of("a", "b")).without("c"));
    }

    @Property(tries = 30)
    void whenANodeJoinsOnlyItsKeysMove(
            @ForAll @IntRange(min = 1, max = 20) int nodes, @ForAll @IntRange(min = 1, max = 5) int weight) {
        RendezvousHash<String> before = nodes(nodes);
        RendezvousHash<String> after = before.with("new", weight);
        int moved = 0;
        for (String key : KEYS) {
            String now = after.nodeFor(key);
            if (!now.equals(before.nodeFor(key))) {
                assertThat(now).isEqualTo("new");
                moved++;
            }
        }
        double fair = (double) weight / (nodes + weight);
        assertThat((double) moved / KEYS.size()).isCloseTo(fair, within(sixSigma(fair)));
    }

    @Property(tries = 30)
    void whenANodeLeavesTheNextInLineTakesOver(@ForAll @IntRange(min = 2, max = 20) int nodes, @ForAll int pick) {
        RendezvousHash<String> before = nodes(nodes);
        String leaving = "node-" + Math.floorMod(pick, nodes);
        RendezvousHash<String> after = before.without(leaving);
        for (String key : KEYS.subList(0, 5_000)) {
            List<String> line = before.nodesFor(key, 2);
            assertThat(after.nodeFor(key)).isEqualTo(line.get(line.get(0).equals(leaving) ? 1 : 0));
        }
    }

    @Property(tries = 30)
    void theOrderOfBuildingDoesNotMatter(@ForAll @IntRange(min = 1, max = 20) int nodes, @ForAll long seed) {
        List<String> order = new ArrayList<>(
                IntStream.range(0, nodes).mapToObj(i -> "node-" + i).toList());
        Collections.shuffle(order, new Random(seed));
        RendezvousHash<String> shuffled = RendezvousHash.of(order);
        assertThat(shuffled).isEqualTo(nodes(nodes)).hasSameHashCodeAs(nodes(nodes));
        for (String key : KEYS.subList(0, 500)) {
            assertThat(shuffled.nodesFor(key, nodes)).isEqualTo(nodes(nodes).nodesFor(key, nodes));
        }
    }

    @Test
    void sharesAreInProportionToTheWeights() {
        Map<String, Double> weights = new LinkedHashMap<>();
        weights.put("a", 0.5);
        weights.put("b", 1.0);
        weights.put("c", 2.5);
        weights.put("d", 6.0);
        RendezvousHash<String> nodes = RendezvousHash.of(weights, Function.identity());
        Map<String, Integer> keys = new HashMap<>();
        KEYS.forEach(key -> keys.merge(nodes.nodeFor(key), 1, Integer::sum));
        weights.forEach((node, weight) -> {
            double fair = weight / 10;
            assertThat(keys.get(node) / (double) KEYS.size()).as(node).isCloseTo(fair, within(sixSigma(fair)));
        });
    }

    /** Computed apart from this code, with the C library's XXH64: they pin the placement for ever. */
    @Test
    void placementIsPartOfTheFormat() {
        RendezvousHash<String> nodes = nodes(5);
        assertThat(IntStream.range(0, 12).mapToObj(i -> nodes.nodeFor("key-" + i)))
                .containsExactly(
                        "node-1", "node-3", "node-4", "node-2", "node-4", "node-0", "node-3", "node-3", "node-4",
                        "node-3", "node-3", "node-3");
    }

    /** Six standard deviations of a share that is sampled with KEYS. */
    private static double sixSigma(double share) {
        return 6 * Math.sqrt(share * (1 - share) / KEYS.size());
    }

    private static RendezvousHash<String> nodes(int count) {
        return RendezvousHash.of(
                IntStream.range(0, count).mapToObj(i -> "node-" + i).toList());
    }
}
