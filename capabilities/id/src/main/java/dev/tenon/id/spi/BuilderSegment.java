package dev.tenon.id.spi;

/**
 * Numbers of a code that belong to their claimant alone.
 *
 * @param config the row as it was when they were taken: they are {@code config.step()} numbers
 * @param first the least of them, 0 or more
 */
public record BuilderSegment(BuilderConfig config, long first) {
    public BuilderSegment {
        new IdRange(first, config.step(), 1);
    }

    /** The numbers. */
    public IdRange range() {
        return new IdRange(first, config.step(), 1);
    }
}
