package dev.tenon.id.spi;

/**
 * A code of the ID-builder service, as its row has it.
 *
 * @param code the key of the row
 * @param bizCode what the text of an ID begins with; empty: nothing
 * @param step numbers in the next segment, 1 or more
 * @param contiguous whether its numbers are meant to be asked for in ascending order (column {@code is_seq} 0)
 */
public record BuilderConfig(int code, String bizCode, int step, boolean contiguous) {
    public BuilderConfig {
        IdRange.requireCount(step);
    }
}
