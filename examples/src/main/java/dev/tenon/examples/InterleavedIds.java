package dev.tenon.examples;

import dev.tenon.id.InterleavedGenerator;
import dev.tenon.jdbc.JdbcBackend;
import java.util.ArrayList;
import java.util.List;

/** Five stores with start 1 to 5 and step 5, here H2 databases in memory: IDs go on when two of them are gone. */
public final class InterleavedIds {
    private InterleavedIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        List<JdbcBackend> nodes = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            nodes.add(JdbcBackend.connect("jdbc:h2:mem:node" + i));
        }
        // tag::interleaved[]
        InterleavedGenerator.Builder builder = InterleavedGenerator.builder("orders");
        nodes.forEach(node -> builder.member(node.ranges())); // the first has 1, 6, 11 …, the second 2, 7, 12 …
        try (InterleavedGenerator ids = builder.build()) {
            System.out.println("Order " + ids.nextId());
            nodes.get(1).close();
            nodes.get(3).close();
            System.out.println("Order " + ids.nextId()); // of whoever has the least number at hand
            ids.members().forEach(System.out::println); // how each of them is
        }
        // end::interleaved[]
        nodes.forEach(JdbcBackend::close);
    }
}
