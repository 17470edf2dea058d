package dev.tenon.id.standard;

import dev.tenon.id.codec.TypePrefix;
import java.util.Objects;

/**
 * TypeIDs of one type, over UUIDs of version 7: scope of uniqueness, order, rate limit and what a clock may do are
 * those of {@link EpochUuidGenerator}; the order of the texts is that of the UUIDs. Thread-safe.
 */
public final class TypeIdGenerator {
    private final String prefix;
    private final EpochUuidGenerator uuids;

    private TypeIdGenerator(String prefix, EpochUuidGenerator uuids) {
        this.prefix = TypePrefix.requireValid(prefix);
        this.uuids = Objects.requireNonNull(uuids, "uuids");
    }

    /**
     * A generator by the system's clock.
     *
     * @throws IllegalArgumentException if the prefix breaks a rule of {@link TypePrefix}
     */
    public static TypeIdGenerator create(String prefix) {
        return create(prefix, EpochUuidGenerator.create());
    }

    /** A generator over another one, which several types may share. */
    public static TypeIdGenerator create(String prefix, EpochUuidGenerator uuids) {
        return new TypeIdGenerator(prefix, uuids);
    }

    /** The next TypeID. Throws as {@link EpochUuidGenerator#nextUuid} does. */
    public TypeId nextTypeId() {
        return new TypeId(prefix, uuids.nextUuid());
    }
}
