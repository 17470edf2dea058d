package dev.tenon.id;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * IDs that carry a shard in their lowest bits, so that an order is found on its user's shard by the order's ID alone:
 * the IDs of another generator, with a {@link Gene} below them.
 *
 * <ul>
 *   <li><b>Unique</b> as those of the generator underneath, whatever the genes: no two IDs share what is above them.
 *   <li><b>Order:</b> as the generator underneath: the gene decides only between what are different IDs already.
 *   <li><b>Rate limit:</b> that of the generator underneath less one part in {@value #ONE_SKIPPED_OF}.
 *   <li><b>Clock and store:</b> as the generator underneath, whose exceptions are thrown.
 * </ul>
 *
 * <p>Inside a shard, {@code (id >> bits) % 2ⁿ} is uniform too, as it is underneath. Keys that come in a rhythm (each
 * shard in turn, by a batch job) would spoil that: a shard would get every sixteenth number, say. So one number in
 * {@value #ONE_SKIPPED_OF}, chosen at random, is skipped. Thread-safe.
 */
public final class GeneGenerator {
    static final int ONE_SKIPPED_OF = 16;

    private final IdGenerator ids;
    private final Gene gene;

    private GeneGenerator(IdGenerator ids, Gene gene) {
        this.ids = Objects.requireNonNull(ids, "ids");
        this.gene = Objects.requireNonNull(gene, "gene");
    }

    /**
     * A generator over another one.
     *
     * @throws IllegalArgumentException if that is a Snowflake generator whose layout leaves no room: an ID has 63 bits,
     *     the gene's included
     */
    public static GeneGenerator create(IdGenerator ids, Gene gene) {
        if (ids instanceof SnowflakeGenerator snowflake && snowflake.layout().maxId() > gene.roomMax()) {
            throw new IllegalArgumentException("A gene of " + gene.bits() + " bits needs a layout of "
                    + (Long.SIZE - 1 - gene.bits()) + " bits at most: " + snowflake.layout());
        }
        return new GeneGenerator(ids, gene);
    }

    /** Where these IDs carry their shard. */
    public Gene gene() {
        return gene;
    }

    /**
     * An ID that belongs to the shard of a key. Throws as the generator underneath does.
     *
     * @throws RangeExhaustedException if that has no IDs left that leave room for the gene
     */
    public long idFor(long shardKey) {
        return idOn(gene.shardFor(shardKey));
    }

    /** An ID that belongs to the shard of a key. Throws as {@link #idFor(long)} does. */
    public long idFor(CharSequence shardKey) {
        return idOn(gene.shardFor(shardKey));
    }

    /**
     * An ID that belongs to the same shard as another ID with such a gene: an order's, given its user's. Throws as
     * {@link #idFor(long)} does.
     */
    public long idLike(long id) {
        return idOn(gene.shardOf(id));
    }

    private long idOn(int shard) {
        if (ThreadLocalRandom.current().nextInt(ONE_SKIPPED_OF) == 0) {
            ids.nextId();
        }
        long id = ids.nextId();
        if (id < 0 || id > gene.roomMax()) {
            throw new RangeExhaustedException("No room for a gene of " + gene.bits() + " bits below " + id);
        }
        return gene.with(id, shard);
    }
}
