package dev.tenon.ring;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Consistent hashing: nodes own points on a circle of 2<sup>32</sup> positions, and a key belongs to the node of the
 * first point at or after the position of the key. When a node joins, the keys that move are those that it takes; when
 * one leaves, those that it had. (With {@link RingHash#KETAMA} and unequal weights a few others move as well, as they
 * do in the clients that it is compatible with.)
 *
 * <p>The ring depends on the labels and weights of its nodes alone: whoever builds it, in whichever order, gets the
 * same one. With {@code p} points a node, the share of a node strays from its fair one by about {@code 1/√p} of it
 * (standard deviation): 8 % with the default {@value #POINTS_DEFAULT}.
 *
 * <p>Immutable, thus thread-safe. A lookup takes {@code O(log(points))}; a change builds a new ring.
 *
 * <p>Source: David Karger et al., <a href="https://doi.org/10.1145/258533.258660">Consistent Hashing and Random
 * Trees</a>, STOC 1997; virtual nodes as in Frank Dabek et al., <a
 * href="https://doi.org/10.1145/502034.502054">Wide-area cooperative storage with CFS</a>, SOSP 2001.
 *
 * @param <N> the nodes; their {@code equals} tells them apart, their label places them
 */
public final class HashRing<N> {
    /** Points of a node of weight 1, unless the builder says otherwise. */
    public static final int POINTS_DEFAULT = 160;

    /** The most points that all nodes of a ring may have together: 128 MiB of them. */
    public static final int POINTS_MAX = 1 << 24;

    private static final int OWNER_BITS = 31;
    private static final long OWNER_MASK = (1L << OWNER_BITS) - 1;

    private final Function<? super N, String> label;
    private final RingHash hash;
    private final int pointsPerWeight;
    private final Map<N, Integer> weights;
    /**
     * By label, so that an owner's number, and with it who wins when two points fall together, is the same everywhere.
     */
    private final List<N> owners;
    /** Position and number of the owner in one word each, ascending. */
    private final long[] points;

    private HashRing(Function<? super N, String> label, RingHash hash, int pointsPerWeight, Map<N, Integer> weights) {
        this.label = label;
        this.hash = hash;
        this.pointsPerWeight = pointsPerWeight;
        this.weights = Collections.unmodifiableMap(new LinkedHashMap<>(weights));
        TreeMap<String, N> byLabel = byLabel(weights.keySet(), label);
        this.owners = List.copyOf(byLabel.values());
        this.points = place(List.copyOf(byLabel.keySet()));
    }

    /**
     * A ring of nodes that are their own labels, all of weight 1, with {@link RingHash#XXH64} and
     * {@link #POINTS_DEFAULT}.
     *
     * @throws IllegalArgumentException if there is no node, or one twice
     */
    public static HashRing<String> of(Collection<String> nodes) {
        Builder<String> builder = builder(Function.identity());
        nodes.forEach(builder::node);
        return builder.build();
    }

    /**
     * Starts a ring.
     *
     * @param label the name of a node, which places it on the ring: unique among the nodes, and the same in every
     *     process
     */
    public static <N> Builder<N> builder(Function<? super N, String> label) {
        return new Builder<>(label);
    }

    /**
     * This ring and one node more.
     *
     * @param weight how many times the share of a node of weight 1 it gets, 1 or more
     * @throws IllegalArgumentException if the ring has this node or its label, or the weight is less than 1
     */
    public HashRing<N> with(N node, int weight) {
        Map<N, Integer> more = new LinkedHashMap<>(weights);
        add(more, node, weight);
        return new HashRing<>(label, hash, pointsPerWeight, more);
    }

    /**
     * This ring and one node less.
     *
     * @throws IllegalArgumentException if the ring does not have this node, or has no other: a ring is never empty
     */
    public HashRing<N> without(N node) {
        Objects.requireNonNull(node, "node");
        if (!weights.containsKey(node)) {
            throw new IllegalArgumentException("No such node in the ring: " + node);
        }
        Map<N, Integer> fewer = new LinkedHashMap<>(weights);
        fewer.remove(node);
        return new HashRing<>(label, hash, pointsPerWeight, requireNodes(fewer));
    }

    /** The node that a key belongs to. */
    public N nodeFor(String key) {
        return owners.get(ownerAt(firstPoint(key)));
    }

    /**
     * The node that a key belongs to and its successors, for replicas: distinct, in the order in which they take over
     * when those before them leave.
     *
     * @param count how many, 1 to the number of nodes
     * @throws IllegalArgumentException if the ring does not have that many nodes, or the count is less than 1
     */
    public List<N> nodesFor(String key, int count) {
        if (count < 1 || count > owners.size()) {
            throw new IllegalArgumentException(
                    "Count must be between 1 and the number of nodes, " + owners.size() + ": " + count);
        }
        Set<N> found = new LinkedHashSet<>();
        for (int at = firstPoint(key); found.size() < count; at = at + 1 == points.length ? 0 : at + 1) {
            found.add(owners.get(ownerAt(at)));
        }
        return List.copyOf(found);
    }

    /** The nodes and their weights, in the order in which they joined; unmodifiable. */
    public Map<N, Integer> weights() {
        return weights;
    }

    /** Whether the other ring has the same nodes and weights and was made in the same way: it then answers the same. */
    @Override
    public boolean equals(Object other) {
        return other instanceof HashRing<?> that
                && weights.equals(that.weights)
                && hash == that.hash
                && owners.equals(that.owners)
                && Arrays.equals(points, that.points);
    }

    @Override
    public int hashCode() {
        return weights.hashCode();
    }

    @Override
    public String toString() {
        return "HashRing[" + hash + ", " + points.length + " points, " + weights + "]";
    }

    /** Index of the first point at or after the position of the key. */
    int firstPoint(String key) {
        long wanted = hash.position(RingHash.utf8(key)) << OWNER_BITS;
        int found = Arrays.binarySearch(points, wanted);
        int at = found >= 0 ? found : -found - 1;
        return at == points.length ? 0 : at;
    }

    long positionOfPoint(int at) {
        return points[at] >>> OWNER_BITS;
    }

    int pointCount() {
        return points.length;
    }

    private int ownerAt(int at) {
        return (int) (points[at] & OWNER_MASK);
    }

    private long[] place(List<String> labels) {
        int[] counts = pointCounts();
        long[] placed = new long[Arrays.stream(counts).sum()];
        int from = 0;
        for (int owner = 0; owner < counts.length; owner++) {
            hash.place(labels.get(owner), counts[owner], placed, from);
            for (int i = from; i < from + counts[owner]; i++) {
                placed[i] = placed[i] << OWNER_BITS | owner;
            }
            from += counts[owner];
        }
        Arrays.sort(placed);
        return placed;
    }

    private int[] pointCounts() {
        long totalWeight =
                weights.values().stream().mapToLong(Integer::longValue).sum();
        if (totalWeight * pointsPerWeight > POINTS_MAX) {
            throw new IllegalArgumentException("The ring would have more than " + POINTS_MAX + " points: weights of "
                    + totalWeight + " with " + pointsPerWeight + " points each; divide the weights");
        }
        int[] counts = new int[owners.size()];
        for (int owner = 0; owner < counts.length; owner++) {
            N node = owners.get(owner);
            int weight = Objects.requireNonNull(weights.get(node));
            counts[owner] = hash.points(pointsPerWeight, weight, (int) totalWeight, counts.length);
            if (counts[owner] == 0) {
                throw new IllegalArgumentException(
                        "The share of " + node + " is too small for a point: weight " + weight + " of " + totalWeight);
            }
        }
        return counts;
    }

    private static <N> TreeMap<String, N> byLabel(Set<N> nodes, Function<? super N, String> label) {
        TreeMap<String, N> byLabel = new TreeMap<>();
        for (N node : nodes) {
            String name = Objects.requireNonNull(label.apply(node), "label of a node");
            N other = byLabel.put(name, node);
            if (other != null) {
                throw new IllegalArgumentException("Two nodes have the label " + name + ": " + other + ", " + node);
            }
        }
        return byLabel;
    }

    private static <N> void add(Map<N, Integer> weights, N node, int weight) {
        Objects.requireNonNull(node, "node");
        if (weight < 1) {
            throw new IllegalArgumentException("Weight must be at least 1: " + weight + " of " + node);
        }
        if (weights.putIfAbsent(node, weight) != null) {
            throw new IllegalArgumentException("The ring has this node already: " + node);
        }
    }

    private static <N> Map<N, Integer> requireNodes(Map<N, Integer> weights) {
        if (weights.isEmpty()) {
            throw new IllegalArgumentException("A ring needs at least one node");
        }
        return weights;
    }

    /**
     * Collects what a ring is made of. Not thread-safe.
     *
     * @param <N> the nodes
     */
    public static final class Builder<N> {
        private final Function<? super N, String> label;
        private final Map<N, Integer> weights = new LinkedHashMap<>();
        private RingHash hash = RingHash.XXH64;
        private int pointsPerWeight = POINTS_DEFAULT;

        private Builder(Function<? super N, String> label) {
            this.label = Objects.requireNonNull(label, "label");
        }

        /** Places keys and points with {@code ringHash} instead of {@link RingHash#XXH64}. */
        public Builder<N> hash(RingHash ringHash) {
            this.hash = Objects.requireNonNull(ringHash, "ringHash");
            return this;
        }

        /**
         * Gives a node of weight 1 that many points instead of {@value HashRing#POINTS_DEFAULT}: more of them balance
         * better and cost memory, 8 bytes each.
         *
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder<N> pointsPerWeight(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("Points must be at least 1: " + count);
            }
            this.pointsPerWeight = count;
            return this;
        }

        /** Adds a node of weight 1; see {@link #node(Object, int)}. */
        public Builder<N> node(N node) {
            return node(node, 1);
        }

        /**
         * Adds a node.
         *
         * @param weight how many times the share of a node of weight 1 it gets, 1 or more
         * @throws IllegalArgumentException if the node was added before, or the weight is less than 1
         */
        public Builder<N> node(N node, int weight) {
            add(weights, node, weight);
            return this;
        }

        /**
         * The ring of what was collected.
         *
         * @throws IllegalArgumentException if there is no node, if two have the same label, if there would be more than
         *     {@link HashRing#POINTS_MAX} points, or if {@link RingHash#KETAMA} has a number of points that is no
         *     multiple of 4 or a node whose share is too small for a point
         */
        public HashRing<N> build() {
            if (hash == RingHash.KETAMA && pointsPerWeight % 4 != 0) {
                throw new IllegalArgumentException(
                        "Ketama makes four points a hash; not a multiple: " + pointsPerWeight);
            }
            return new HashRing<>(label, hash, pointsPerWeight, requireNodes(weights));
        }
    }
}
