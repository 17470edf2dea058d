package dev.tenon.server.ids;

import dev.tenon.id.SequenceGenerator;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Numbers of a sequence, straight from the store: one call a request, however many it asks for. */
final class SequenceIssuer implements NumberIssuer {
    private final SequenceGenerator generator;

    SequenceIssuer(RangeStore ranges, String name) {
        this.generator = SequenceGenerator.create(ranges, name);
    }

    @Override
    public boolean admit(IdRequest request) {
        return false;
    }

    @Override
    public long[] take(IdRequest request) {
        IdRange range = generator.nextRange(request.count());
        long[] taken = new long[(int) range.count()];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = range.first() + i * range.step();
        }
        return taken;
    }

    @Override
    public Map<String, Object> state() {
        return Map.of();
    }

    @Override
    public Optional<SequenceRegressedException> regression() {
        return generator.regression();
    }

    @Override
    public OptionalLong highestSeen() {
        return generator.highestSeen();
    }

    @Override
    public void close() {}
}
