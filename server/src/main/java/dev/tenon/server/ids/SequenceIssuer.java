package dev.tenon.server.ids;

import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.util.Map;

/** Numbers of a sequence, straight from the store: one call a request, however many it asks for. */
final class SequenceIssuer implements Issuer {
    private final RangeStore ranges;
    private final String name;

    SequenceIssuer(RangeStore ranges, String name) {
        this.ranges = ranges;
        this.name = name;
    }

    @Override
    public boolean admit(int count, Order order) {
        return false;
    }

    @Override
    public long[] take(int count, Order order) {
        IdRange range = ranges.next(name, count);
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
    public void close() {}
}
