package dev.tenon.server.ids;

import dev.tenon.id.spi.RangeDefinition;
import java.util.Map;

/**
 * This server's share of 1, 2, 3 …, others of which are other servers' on stores of their own: node i of N has i, i +
 * N, i + 2N and so on, in segments that are taken in advance.
 *
 * @param nodes how many stores share the numbers
 * @param node which of them this is, from 1
 */
record InterleavedDefinition(int nodes, int node, Label label) implements RangeKind {
    private static final int NODES_MAX = 1000;

    static InterleavedDefinition read(DefinitionFields fields) {
        if (fields.node("nodes") == null || fields.node("node") == null) {
            throw DefinitionFields.bad(
                    "\"nodes\" (how many stores share the numbers) and \"node\" (which of them this is, from 1) "
                            + "must both be given.");
        }
        int nodes = fields.integer("nodes", 0, 1, NODES_MAX);
        return new InterleavedDefinition(nodes, fields.integer("node", 0, 1, nodes), Label.ofNumbers(fields));
    }

    @Override
    public String kind() {
        return "interleaved";
    }

    @Override
    public RangeDefinition range() {
        return new RangeDefinition(node, nodes, Long.MAX_VALUE);
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("nodes", nodes);
        fields.put("node", node);
    }

    @Override
    public NumberIssuer issuer(String name, IdResources resources) {
        return new SegmentIssuer(defined(name, resources), name, SegmentDefinition.STEP, IdRequest.Order.ASCENDING);
    }
}
