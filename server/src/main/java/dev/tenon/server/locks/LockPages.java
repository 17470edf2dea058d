package dev.tenon.server.locks;

import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Pages through the locks under several prefixes as if they were one. Thread-safe; nothing blocks. */
public final class LockPages {
    private final LockStore store;

    /** Pages of a store. */
    public LockPages(LockStore store) {
        this.store = store;
    }

    /**
     * A page.
     *
     * @param prefixes in order, none within another
     * @param after only names greater than this one; empty for the first page
     * @param limit greatest number of locks in the page, 1 to 1000
     */
    public CompletionStage<LockPage> list(List<String> prefixes, String after, int limit) {
        return more(prefixes, after, limit, List.of());
    }

    private CompletionStage<LockPage> more(List<String> prefixes, String after, int limit, List<LockView> found) {
        if (prefixes.isEmpty()) {
            return CompletableFuture.completedStage(new LockPage(found, Optional.empty()));
        }
        List<String> others = prefixes.subList(1, prefixes.size());
        return store.list(prefixes.get(0), after, limit - found.size()).thenCompose(page -> {
            List<LockView> all = new ArrayList<>(found);
            all.addAll(page.locks());
            if (page.next().isPresent() || (all.size() == limit && others.isEmpty())) {
                return CompletableFuture.completedStage(new LockPage(all, page.next()));
            }
            if (all.size() == limit) { // there may be more under the others
                return CompletableFuture.completedStage(
                        new LockPage(all, Optional.of(all.get(limit - 1).name())));
            }
            return more(others, after, limit, all);
        });
    }
}
