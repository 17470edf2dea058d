package dev.tenon.spring;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import java.util.Objects;
import java.util.function.Function;

/**
 * The store under this application, as the starter sees it. A bean of this type that the application has itself takes
 * the place of those that are made from {@code tenon.backend}.
 *
 * @param kind what it is, for health and the {@code tenon} endpoint: {@code jdbc}, say
 * @param locks its locks; closed by whoever made them
 * @param ranges its number ranges
 * @param workerIds its worker IDs, by group
 */
public record TenonBackend(String kind, Locks locks, RangeStore ranges, Function<String, WorkerIdSource> workerIds) {
    /** Checks that nothing is missing. */
    public TenonBackend {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(locks, "locks");
        Objects.requireNonNull(ranges, "ranges");
        Objects.requireNonNull(workerIds, "workerIds");
    }
}
