package dev.tenon.server.http;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Locks as JSON shows them. */
final class LockDocuments {
    private LockDocuments() {}

    /** A lock, to whoever looks. */
    record LockDocument(
            String name,
            boolean held,
            @Nullable HolderDocument holder,
            List<HolderDocument> holders,
            List<WaiterDocument> queue) {}

    /** Who holds. */
    record HolderDocument(
            String session,
            String owner,
            long token,
            String since,
            String leaseLeft,
            String mode,
            @Nullable Integer permits,
            @Nullable String revokedBy) {}

    /** Who waits. */
    record WaiterDocument(
            String session,
            String owner,
            String since,
            String waitLeft,
            String mode,
            @Nullable Integer permits) {}

    /** A page of locks. */
    record PageDocument(List<LockDocument> locks, @Nullable String next) {}

    /** A lock, as a store sees it. */
    static LockDocument of(LockView view) {
        List<HolderDocument> holders =
                view.holders().stream().map(LockDocuments::of).toList();
        List<WaiterDocument> queue = view.queue().stream()
                .map(w -> new WaiterDocument(
                        w.sessionId(),
                        w.owner(),
                        w.since().toString(),
                        w.waitLeft().toString(),
                        named(w.mode()),
                        permits(w.mode())))
                .toList();
        return new LockDocument(
                view.name(), !holders.isEmpty(), holders.isEmpty() ? null : holders.get(0), holders, queue);
    }

    private static HolderDocument of(LockView.HolderView h) {
        return new HolderDocument(
                h.sessionId(),
                h.owner(),
                h.token(),
                h.since().toString(),
                h.leaseLeft().toString(),
                named(h.mode()),
                permits(h.mode()),
                h.revokedBy().orElse(null));
    }

    /** The word of a mode. */
    static String named(LockMode mode) {
        return mode.kind().name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable Integer permits(LockMode mode) {
        return mode.kind() == LockMode.Kind.PERMITS ? mode.permits() : null;
    }
}
