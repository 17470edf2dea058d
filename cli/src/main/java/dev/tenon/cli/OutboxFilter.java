package dev.tenon.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which dead letters. */
final class OutboxFilter {
    @Option(names = "--target", paramLabel = "T", defaultValue = "", description = "Only those to this target.")
    private String target = "";

    @Option(names = "--message-key", paramLabel = "K", defaultValue = "", description = "Only those with this key.")
    private String key = "";

    @Option(names = "--type", paramLabel = "T", defaultValue = "", description = "Only those of this type.")
    private String type = "";

    boolean isGiven() {
        return !(target + key + type).isEmpty();
    }

    /** As further parameters of a query. */
    String query() {
        return OutboxDocument.with("target", target)
                + OutboxDocument.with("key", key)
                + OutboxDocument.with("type", type);
    }

    /** As fields of a body. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>(Map.of("target", target, "key", key, "type", type));
        fields.values().removeIf(""::equals);
        return fields;
    }
}
