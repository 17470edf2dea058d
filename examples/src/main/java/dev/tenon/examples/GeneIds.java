package dev.tenon.examples;

import dev.tenon.id.Gene;
import dev.tenon.id.GeneGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.time.Instant;

/** Orders on the shard of their user, found by the order's ID alone. */
public final class GeneIds {
    private GeneIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        // tag::generator[]
        Gene gene = new Gene(4); // the 4 lowest bits: 16 shards
        IdLayout layout = IdLayout.builder()
                .workerBits(6)
                .sequenceBits(12)
                .epoch(Instant.parse("2025-01-01T00:00:00Z"))
                .build(); // 41 + 6 + 12 bits leave 4 of 63
        GeneGenerator users = GeneGenerator.create(SnowflakeGenerator.create(layout, WorkerId.fixed(1)), gene);
        GeneGenerator orders = GeneGenerator.create(SnowflakeGenerator.create(layout, WorkerId.fixed(2)), gene);

        long user = users.idFor("alice@example.org"); // on the shard of that key
        long order = orders.idLike(user); // on the same
        // end::generator[]
        System.out.println("user " + user + " and order " + order + " are on shard " + gene.shardOf(order));

        // tag::route[]
        int shard = gene.shardOf(order); // all that a router needs
        int same = gene.shardFor("alice@example.org"); // before there is any ID
        Instant ordered = layout.decode(gene.without(order)).time();
        // end::route[]
        System.out.println(shard + " = " + same + ", ordered at " + ordered);
    }
}
