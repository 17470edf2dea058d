package dev.tenon.client;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * IDs of one name that are at hand in this process: see {@link ClientIds#local}. When half of them are taken, the next
 * are asked for; as long as the server is out of reach, what is at hand is given out, and then a call blocks and fails
 * as those of {@link ClientIds} do. At most one call for it is on its way. Thread-safe.
 */
public final class LocalIds {
    private final ClientIds source;
    private final int size;
    private final AtomicReference<Batch> batch = new AtomicReference<>(new Batch(List.of()));
    private final AtomicReference<@Nullable CompletableFuture<Batch>> following = new AtomicReference<>();

    private static final class Batch {
        private final String[] ids;
        private final AtomicInteger taken = new AtomicInteger();

        Batch(List<String> ids) {
            this.ids = ids.toArray(String[]::new);
        }
    }

    LocalIds(ClientIds source, int size) {
        if (size < 1 || size > ClientIds.COUNT_MAX) {
            throw new IllegalArgumentException("Size must be between 1 and " + ClientIds.COUNT_MAX + ": " + size);
        }
        this.source = source;
        this.size = size;
    }

    /** An ID: at once if there is one at hand, else it blocks for a round trip. */
    public String next() {
        while (true) {
            Batch current = Objects.requireNonNull(batch.get());
            int at = current.taken.get() < current.ids.length ? current.taken.getAndIncrement() : current.ids.length;
            if (at == current.ids.length / 2) {
                ask();
            }
            if (at < current.ids.length) {
                return current.ids[at];
            }
            advance(current);
        }
    }

    /**
     * {@link #next()} of a kind whose IDs are numbers without a prefix; any other is a {@link NumberFormatException}.
     */
    public long nextLong() {
        return Long.parseLong(next());
    }

    private CompletableFuture<Batch> ask() {
        CompletableFuture<Batch> known = following.get();
        if (known != null) {
            return known;
        }
        CompletableFuture<Batch> fresh = new CompletableFuture<>();
        known = following.compareAndExchange(null, fresh);
        if (known != null) {
            return known;
        }
        source.nextAsync(size).whenComplete((ids, failure) -> {
            if (failure != null) {
                following.compareAndSet(fresh, null); // the next caller asks anew
                fresh.completeExceptionally(failure);
            } else {
                fresh.complete(new Batch(ids));
            }
        });
        return fresh;
    }

    /** Puts the next batch in the place of one that is used up, waiting for it if need be. */
    private void advance(Batch used) {
        CompletableFuture<Batch> next = ask();
        if (batch.get() != used) {
            return; // another thread was quicker; what was asked for is kept for later
        }
        Batch fresh;
        try {
            fresh = ClientLink.await(next);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : e;
        }
        if (batch.compareAndSet(used, fresh)) {
            following.compareAndSet(next, null);
        }
    }
}
