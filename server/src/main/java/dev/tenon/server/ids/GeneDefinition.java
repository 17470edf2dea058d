package dev.tenon.server.ids;

import dev.tenon.id.Gene;
import dev.tenon.id.IdLayout;
import dev.tenon.id.Lane;
import dev.tenon.id.WorkerId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * IDs that carry the shard of a key, such as an order's its user's, in their lowest bits.
 *
 * @param layout of the Snowflake above the shard
 */
record GeneDefinition(Gene gene, IdLayout layout, Label label) implements NumberDefinition {
    private static final int SHARD_BITS = 8;
    private static final int ID_BITS = 63;
    private static final int TIME_BITS = 41;
    private static final int WORKER_BITS_MAX = 10;
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");

    static GeneDefinition read(DefinitionFields fields) {
        Gene gene = new Gene(fields.integer("shardBits", SHARD_BITS, 1, Gene.BITS_MAX));
        JsonNode node = fields.node("layout");
        IdLayout layout = node == null ? layoutAbove(gene) : LayoutFormat.read(node);
        int room = ID_BITS - gene.bits();
        if (layout.timeBits() + layout.workerBits() + layout.sequenceBits() > room) {
            throw DefinitionFields.bad("\"layout\" may have " + room + " bits at most above " + gene.bits()
                    + " bits of shard: give an object with fewer, or leave it out.");
        }
        return new GeneDefinition(gene, layout, Label.ofNumbers(fields));
    }

    /** Milliseconds until 2094, and what is left shared between workers and sequence: with 8 bits of shard, 8 and 6. */
    private static IdLayout layoutAbove(Gene gene) {
        int rest = ID_BITS - gene.bits() - TIME_BITS;
        int workerBits = Math.min(WORKER_BITS_MAX, rest * 4 / 7);
        return IdLayout.builder()
                .timeBits(TIME_BITS)
                .workerBits(workerBits)
                .sequenceBits(rest - workerBits)
                .epoch(EPOCH)
                .build();
    }

    @Override
    public String kind() {
        return "gene";
    }

    @Override
    public boolean hasShards() {
        return true;
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("shardBits", gene.bits());
        fields.put("layout", LayoutFormat.write(layout));
    }

    @Override
    public void check(IdResources resources) {
        underneath().check(resources);
    }

    /** Its numbers have a shard and are not asked for by code, so that nobody is told. */
    @Override
    public boolean passesDoubles() {
        return true;
    }

    @Override
    public NumberIssuer issuer(String name, IdResources resources) {
        WorkerId worker = Workers.lease(name, layout, resources);
        return new SnowflakeIssuer(worker, underneath(), Optional.of(gene), resources.time());
    }

    @Override
    public Map<String, Object> parts(long number) {
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("shard", gene.shardOf(number));
        parts.putAll(LayoutFormat.parts(layout, gene.without(number)));
        return parts;
    }

    @Override
    public Map<String, Object> outlook(String name, IdResources resources) {
        return underneath().outlook(name, resources);
    }

    @Override
    public List<Map<String, Object>> workers(String name, IdResources resources) {
        return underneath().workers(name, resources);
    }

    private SnowflakeDefinition underneath() {
        return new SnowflakeDefinition(layout, Lane.STRICT, label);
    }
}
