package dev.tenon.id.standard;

import java.util.random.RandomGenerator;

/** Random numbers that a test has chosen, over and over. */
final class RepeatedLongs implements RandomGenerator {
    private final long[] values;
    private int at;

    RepeatedLongs(long... values) {
        this.values = values;
    }

    @Override
    public long nextLong() {
        return values[at++ % values.length];
    }
}
