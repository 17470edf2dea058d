package dev.tenon.server.ids;

import dev.tenon.id.IdLayout;
import dev.tenon.id.Lane;
import dev.tenon.id.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Time, worker ID and sequence in one number. */
record SnowflakeDefinition(IdLayout layout, Lane lane, Label label) implements NumberDefinition {
    private static final Duration WARNED_AHEAD = Duration.ofDays(365);

    static SnowflakeDefinition read(DefinitionFields fields) {
        Lane lane = switch (fields.text("lane").orElse("strict")) {
            case "strict" -> Lane.STRICT;
            case "striped" -> Lane.STRIPED;
            default -> throw DefinitionFields.bad("\"lane\" must be \"strict\" or \"striped\".");
        };
        return new SnowflakeDefinition(LayoutFormat.read(fields.node("layout")), lane, Label.ofNumbers(fields));
    }

    @Override
    public String kind() {
        return "snowflake";
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("layout", LayoutFormat.write(layout));
        fields.put("lane", lane == Lane.STRIPED ? "striped" : "strict");
    }

    @Override
    public void check(IdResources resources) {
        Instant now = resources.now();
        if (layout.epoch().isAfter(now)) {
            throw DefinitionFields.bad("The layout begins at " + layout.epoch()
                    + ", which is to come: give an \"epoch\" in the past, as close as you like.");
        }
        if (!layout.expiry().isAfter(now)) {
            throw DefinitionFields.bad("The layout ended at " + layout.expiry()
                    + ": give it a later \"epoch\", more \"timeBits\" or a longer \"unit\".");
        }
    }

    @Override
    public boolean passesDoubles() {
        int bits = layout.timeBits() + layout.workerBits() + layout.sequenceBits();
        return bits > Long.SIZE - Long.numberOfLeadingZeros(DOUBLE_MAX);
    }

    @Override
    public NumberIssuer issuer(String name, IdResources resources) {
        WorkerId worker = Workers.lease(name, layout, resources);
        return new SnowflakeIssuer(worker, this, Optional.empty(), resources.time());
    }

    @Override
    public Map<String, Object> parts(long number) {
        return LayoutFormat.parts(layout, number);
    }

    @Override
    public Map<String, Object> outlook(String name, IdResources resources) {
        Map<String, Object> outlook = new LinkedHashMap<>();
        outlook.put("expires", layout.expiry().toString());
        outlook.put("idsPerSecond", layout.idsPerSecond());
        outlook.put("workers", layout.workers());
        Duration left = Duration.between(resources.now(), layout.expiry());
        if (left.compareTo(WARNED_AHEAD) < 0) {
            outlook.put("warning", "The layout ends in " + left.toDays() + " days: define another name in time");
        }
        return outlook;
    }

    @Override
    public List<Map<String, Object>> workers(String name, IdResources resources) {
        return Workers.of(resources.workerIds(name));
    }
}
