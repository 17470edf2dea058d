package dev.tenon.id;

/**
 * Gives out unique numbers. Each implementation states its scope of uniqueness, its order, its rate limit, and what
 * happens when a clock or a store misbehaves. Implementations are thread-safe.
 */
public interface IdGenerator {
    /** The next ID, 0 or more. */
    long nextId();

    /**
     * Fills an array with IDs, as {@code ids.length} calls of {@link #nextId} would, but faster. If it throws,
     * nothing of the array may be used; IDs that were already taken for it are wasted.
     */
    default void fill(long[] ids) {
        for (int i = 0; i < ids.length; i++) {
            ids[i] = nextId();
        }
    }
}
