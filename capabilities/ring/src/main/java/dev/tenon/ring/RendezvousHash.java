package dev.tenon.ring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Rendezvous hashing (highest random weight): every node draws a score for a key, and the highest has it. Shares are as
 * even as the hash itself, without virtual nodes; a joining node takes its keys from all others in proportion, and the
 * keys of a leaving one spread over all others. A lookup costs {@code O(nodes)}: for tens of nodes; for hundreds, use
 * {@link HashRing}.
 *
 * <p>The score of a node of weight {@code w} is {@code -w / ln(u)}, where {@code u} in (0, 1) is the XXH64 of the key,
 * seeded with the XXH64 of the node's label; shares are then in proportion to the weights. Equal scores go to the
 * smaller label, so that nothing depends on the order in which nodes were added.
 *
 * <p>Immutable, thus thread-safe.
 *
 * <p>Source: David Thaler, Chinya Ravishankar, <a href="https://doi.org/10.1109/90.663936">Using Name-Based Mappings to
 * Increase Hit Rates</a>, IEEE/ACM Transactions on Networking 6(1), 1998; the weights by Jason Resch, <a
 * href="https://www.snia.org/sites/default/files/SDC15_presentations/dist_sys/Jason_Resch_New_Consistent_Hashings_Rev.pdf">New
 * Hashing Algorithms for Data Storage</a>, SDC 2015.
 *
 * @param <N> the nodes; their {@code equals} tells them apart, their label draws their scores
 */
public final class RendezvousHash<N> {
    private static final double UNIT = 0x1p-52;

    private final Function<? super N, String> label;
    private final Map<N, Double> weights;
    private final List<Candidate<N>> candidates;

    private RendezvousHash(Function<? super N, String> label, Map<N, Double> weights) {
        if (weights.isEmpty()) {
            throw new IllegalArgumentException("Rendezvous needs at least one node");
        }
        this.label = label;
        this.weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        this.candidates = candidates(weights, label);
    }

    /**
     * Nodes that are their own labels, all of weight 1.
     *
     * @throws IllegalArgumentException if there is no node, or one twice
     */
    public static RendezvousHash<String> of(Collection<String> nodes) {
        Map<String, Double> weights = new LinkedHashMap<>();
        nodes.forEach(node -> add(weights, node, 1));
        return new RendezvousHash<>(Function.identity(), weights);
    }

    /**
     * Nodes with weights.
     *
     * @param label the name of a node, which draws its scores: unique among the nodes, and the same in every process
     * @throws IllegalArgumentException if there is no node, if two have the same label, or if a weight is not positive
     *     and finite
     */
    public static <N> RendezvousHash<N> of(Map<N, Double> weights, Function<? super N, String> label) {
        Map<N, Double> checked = new LinkedHashMap<>();
        weights.forEach((node, weight) -> add(checked, node, weight));
        return new RendezvousHash<>(Objects.requireNonNull(label, "label"), checked);
    }

    /**
     * These nodes and one more.
     *
     * @param weight its share in proportion to the weights of the others; positive and finite
     * @throws IllegalArgumentException if the node or its label is there already, or the weight is not positive and
     *     finite
     */
    public RendezvousHash<N> with(N node, double weight) {
        Map<N, Double> more = new LinkedHashMap<>(weights);
        add(more, node, weight);
        return new RendezvousHash<>(label, more);
    }

    /**
     * These nodes and one less.
     *
     * @throws IllegalArgumentException if the node is not there, or is the only one
     */
    public RendezvousHash<N> without(N node) {
        Objects.requireNonNull(node, "node");
        if (!weights.containsKey(node)) {
            throw new IllegalArgumentException("No such node: " + node);
        }
        Map<N, Double> fewer = new LinkedHashMap<>(weights);
        fewer.remove(node);
        return new RendezvousHash<>(label, fewer);
    }

    /** The node that a key belongs to. */
    public N nodeFor(String key) {
        byte[] bytes = RingHash.utf8(key);
        Candidate<N> best = candidates.get(0);
        double bestScore = best.score(bytes);
        for (int i = 1; i < candidates.size(); i++) {
            Candidate<N> candidate = candidates.get(i);
            double score = candidate.score(bytes);
            if (score > bestScore) {
                best = candidate;
                bestScore = score;
            }
        }
        return best.node;
    }

    /**
     * The node that a key belongs to and those that take over when the ones before them leave.
     *
     * @param count how many, 1 to the number of nodes
     * @throws IllegalArgumentException if there are not that many nodes, or the count is less than 1
     */
    public List<N> nodesFor(String key, int count) {
        if (count < 1 || count > candidates.size()) {
            throw new IllegalArgumentException(
                    "Count must be between 1 and the number of nodes, " + candidates.size() + ": " + count);
        }
        byte[] bytes = RingHash.utf8(key);
        record Scored<N>(N node, double score) {}
        List<Scored<N>> scored = new ArrayList<>();
        candidates.forEach(candidate -> scored.add(new Scored<>(candidate.node, candidate.score(bytes))));
        // A stable sort keeps the order of the labels among equal scores.
        scored.sort(Comparator.comparingDouble((Scored<N> one) -> one.score).reversed());
        return scored.stream().limit(count).map(Scored::node).toList();
    }

    /** The nodes and their weights, in the order in which they joined; unmodifiable. */
    public Map<N, Double> weights() {
        return weights;
    }

    /** Whether the other has the same nodes, under the same labels, with the same weights: it then answers the same. */
    @Override
    public boolean equals(Object other) {
        return other instanceof RendezvousHash<?> that && candidates.equals(that.candidates);
    }

    @Override
    public int hashCode() {
        return weights.hashCode();
    }

    @Override
    public String toString() {
        return "RendezvousHash" + weights;
    }

    private static <N> List<Candidate<N>> candidates(Map<N, Double> weights, Function<? super N, String> label) {
        TreeMap<String, Candidate<N>> byLabel = new TreeMap<>();
        weights.forEach((node, weight) -> {
            String name = Objects.requireNonNull(label.apply(node), "label of a node");
            long seed = XxHash64.hash(RingHash.utf8(name), 0);
            if (byLabel.put(name, new Candidate<>(node, seed, weight)) != null) {
                throw new IllegalArgumentException("Two nodes have the label " + name);
            }
        });
        return List.copyOf(byLabel.values());
    }

    private static <N> void add(Map<N, Double> weights, N node, double weight) {
        Objects.requireNonNull(node, "node");
        if (!(weight > 0) || Double.isInfinite(weight)) {
            throw new IllegalArgumentException("Weight must be positive and finite: " + weight + " of " + node);
        }
        if (weights.putIfAbsent(node, weight) != null) {
            throw new IllegalArgumentException("This node is there already: " + node);
        }
    }

    private record Candidate<N>(N node, long seed, double weight) {
        double score(byte[] key) {
            // 52 bits and half a step: never 0 or 1, so that the logarithm is finite and not zero. (53 would round up
            // to 1.)
            double u = ((XxHash64.hash(key, seed) >>> 12) + 0.5) * UNIT;
            // Math.log may differ in its last bit between machines, and then two of them could disagree on a node.
            return -weight / StrictMath.log(u);
        }
    }
}
