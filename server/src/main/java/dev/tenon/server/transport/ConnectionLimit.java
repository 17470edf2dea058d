package dev.tenon.server.transport;

import dev.tenon.server.access.Limits;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts connections, of all event loops together. Thread-safe. */
public final class ConnectionLimit {
    /** How many beyond the limit are kept for a moment, to be told why: one in this many. */
    private static final int MARGIN = 10;

    private final AtomicInteger all = new AtomicInteger();
    private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();
    private final int max;
    private final int maxPerAddress;

    /** No connection yet. */
    public ConnectionLimit(Limits limits) {
        this.max = limits.connections();
        this.maxPerAddress = limits.connectionsPerAddress();
    }

    /** What becomes of a connection. */
    enum Verdict {
        /** It is served. */
        SERVED,
        /** It is told that there are too many. */
        TOLD,
        /** There is no room even for that. */
        CUT
    }

    /** One more. */
    Verdict enter(String address) {
        int ofAll = all.incrementAndGet();
        int ofAddress = byAddress.merge(address, 1, Integer::sum);
        if (ofAll > max + max / MARGIN + 1 || ofAddress > maxPerAddress + maxPerAddress / MARGIN + 1) {
            return Verdict.CUT;
        }
        return ofAll > max || ofAddress > maxPerAddress ? Verdict.TOLD : Verdict.SERVED;
    }

    /** One less. */
    void leave(String address) {
        all.decrementAndGet();
        byAddress.computeIfPresent(address, (a, count) -> count > 1 ? count - 1 : null);
    }
}
