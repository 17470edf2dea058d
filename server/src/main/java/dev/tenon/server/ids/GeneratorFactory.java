package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.server.ServerBackend;

/** Makes generators over a backend. Thread-safe. */
public final class GeneratorFactory implements IssuerFactory {
    private final ServerBackend backend;
    private final TimeSource time;

    /** Generators that take their ranges and worker IDs from {@code backend}. */
    public GeneratorFactory(ServerBackend backend, TimeSource time) {
        this.backend = backend;
        this.time = time;
    }

    @Override
    public Issuer issuer(String name, IdDefinition definition) {
        if (definition instanceof IdDefinition.Snowflake snowflake) {
            return new SnowflakeIssuer(backend.workerIds(name), snowflake.layout(), time);
        }
        if (definition instanceof IdDefinition.Segment segment) {
            return new SegmentIssuer(defined(name, segment.range()), name, segment);
        }
        return new SequenceIssuer(defined(name, ((IdDefinition.Sequence) definition).range()), name);
    }

    /** The definition of the IDs may have been stored by a process that died before it defined their range. */
    private RangeStore defined(String name, RangeDefinition range) {
        RangeStore ranges = backend.ranges();
        ranges.define(name, range);
        return ranges;
    }
}
