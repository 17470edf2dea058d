package dev.tenon.server.ids;

import dev.tenon.id.standard.EpochUuidGenerator;
import dev.tenon.id.standard.GregorianUuidGenerator;
import dev.tenon.id.standard.RandomUuidGenerator;
import dev.tenon.id.standard.Rfc9562;
import dev.tenon.id.standard.UuidGenerator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * UUIDs of RFC 9562.
 *
 * @param version 1 or 6 (time and node), 4 (random) or 7 (time and random)
 */
record UuidDefinition(int version, Label label) implements GeneratorDefinition {
    private static final int DEFAULT = 7;
    private static final Set<Long> VERSIONS = Set.of(1L, 4L, 6L, 7L);
    private static final int VARIANT = 2;

    static UuidDefinition read(DefinitionFields fields) {
        long version = fields.number("version").orElse((long) DEFAULT);
        if (!VERSIONS.contains(version)) {
            throw DefinitionFields.bad("\"version\" must be 1, 4, 6 or 7, not " + version
                    + ": 3, 5 and 8 are made of names and data that you have yourself.");
        }
        return new UuidDefinition((int) version, Label.read(fields));
    }

    @Override
    public String kind() {
        return "uuid";
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("version", version);
    }

    @Override
    public Issuer issuer(String name, IdResources resources) {
        UuidGenerator generator = switch (version) {
            case 1 -> GregorianUuidGenerator.version1();
            case 4 -> RandomUuidGenerator.create();
            case 6 -> GregorianUuidGenerator.version6();
            default -> EpochUuidGenerator.create();
        };
        return new TextIssuer(() -> generator.nextUuid().toString());
    }

    @Override
    public Map<String, Object> parts(String text, IdResources resources) {
        UUID uuid = canonical(text);
        if (uuid.version() != version || uuid.variant() != VARIANT) {
            throw new IllegalArgumentException("it is a UUID of version " + uuid.version() + ", not " + version);
        }
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("version", version);
        Rfc9562.time(uuid).ifPresent(time -> parts.put("time", time.toString()));
        if (version == 1 || version == 6) {
            parts.put("clockSequence", Rfc9562.clockSequence(uuid));
            parts.put("node", "%012x".formatted(Rfc9562.node(uuid)));
        }
        return parts;
    }

    /** As the generator writes it: what {@link UUID#fromString} reads besides could be one ID in many texts. */
    private static UUID canonical(String text) {
        try {
            UUID uuid = UUID.fromString(text);
            if (uuid.toString().equals(text)) {
                return uuid;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new IllegalArgumentException("it must have the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, in lower case");
    }
}
