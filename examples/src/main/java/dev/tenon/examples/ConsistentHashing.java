package dev.tenon.examples;

import dev.tenon.ring.HashRing;
import java.util.List;
import java.util.stream.IntStream;

/** Spreads keys over nodes so that few of them move when a node joins or leaves. */
public final class ConsistentHashing {
    private static final int KEYS = 100_000;

    private ConsistentHashing() {}

    /** Runs the example. */
    public static void main(String[] args) {
        // tag::ring[]
        HashRing<String> three = HashRing.of(List.of("redis-1", "redis-2", "redis-3"));
        HashRing<String> four = three.with("redis-4", 1);
        String node = four.nodeFor("stock:42");
        List<String> replicas = four.nodesFor("stock:42", 2); // distinct nodes, in the order in which they take over
        // end::ring[]
        System.out.println("stock:42 is on " + node + ", with its replica on " + replicas.get(1));

        long moved = IntStream.range(0, KEYS)
                .mapToObj(i -> "key:" + i)
                .filter(key -> !three.nodeFor(key).equals(four.nodeFor(key)))
                .count();
        System.out.println("When the fourth node joins, " + 100 * moved / KEYS
                + " % of the keys move, all of them to it; by hash modulo the number of nodes, 75 % would move.");
    }
}
