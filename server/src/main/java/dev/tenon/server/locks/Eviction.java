package dev.tenon.server.locks;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView.HolderView;
import dev.tenon.server.locks.LockService.Evicted;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a lock away from its holder.
 *
 * @param expected only from a holder under this token, or whose grant it came with; empty: whoever it is
 */
record Eviction(LockStore store, String name, Optional<Long> expected, String reason) {
    private static final Logger LOG = LoggerFactory.getLogger(Eviction.class);

    /**
     * Looks who holds, and takes it away from that one.
     *
     * @param attempts how often to look again when it has changed hands in between
     */
    CompletionStage<Evicted> run(int attempts) {
        return store.inspect(name).thenCompose(view -> {
            Optional<HolderView> holder =
                    view.flatMap(v -> expected.isPresent() ? v.holderUnder(expected.get()) : v.holder());
            if (holder.isEmpty() || attempts == 0) {
                return CompletableFuture.failedStage(new ProblemException(
                        ProblemType.LOCK_NOT_HELD,
                        "Nothing was taken away: nobody holds this lock"
                                + expected.map(t -> " under token " + t).orElse("") + "."));
            }
            HolderView h = holder.get();
            return store.evict(name, h.token(), reason).thenCompose(floor -> {
                if (floor.isEmpty()) {
                    return run(attempts - 1);
                }
                LOG.info("Lock {} taken from {} (token {}): {}", name, h.owner(), h.token(), reason);
                return CompletableFuture.completedStage(new Evicted(h.owner(), h.token(), floor.get()));
            });
        });
    }
}
