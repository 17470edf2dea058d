package dev.tenon.server.access;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * How much of a server one client, and all of them, may have. Beyond each, a request is refused and nothing else is
 * lost.
 *
 * @param rate requests a second of one key, or of one address where no key is asked for
 * @param connections at a time, in all
 * @param connectionsPerAddress at a time, of one address
 * @param quotas of each resource
 * @param headerBytes the first line and the headers of a request, each
 * @param bodyBytes the body of a request
 * @param patience for the rest of a request that has begun, and for a client to take its answer
 * @param idle for the next request on a connection, or the first
 */
public record Limits(
        int rate,
        int connections,
        int connectionsPerAddress,
        Map<LimitedResource, Share> quotas,
        int headerBytes,
        int bodyBytes,
        Duration patience,
        Duration idle) {
    /** One key may have this part of what there may be in all, where nothing else is said. */
    public static final int KEYS = 4;

    /** The state may take this part of the heap. */
    private static final int STATE_PART = 4;

    private static final int LOCK_BYTES = 1_000;
    private static final int DEFINITION_BYTES = 2_000;
    private static final long MOST = 1_000_000;

    /** What a server has if it is told nothing. */
    public static final Limits DEFAULT = new Limits(
            100_000,
            20_000,
            10_000,
            quotas(Runtime.getRuntime().maxMemory() / STATE_PART),
            8 * 1024,
            64 * 1024,
            Duration.ofSeconds(30),
            Duration.ofSeconds(75));

    /**
     * How much there may be of something.
     *
     * @param all here
     * @param perKey of that, of one API key
     */
    public record Share(long all, long perKey) {
        /** The usual part of it for one key. */
        public static Share of(long all) {
            return new Share(all, Math.max(1, all / KEYS));
        }
    }

    public Limits {
        quotas = Map.copyOf(quotas);
    }

    /**
     * What there may be where nothing else is said.
     *
     * @param state how many bytes of memory the state may take
     */
    public static Map<LimitedResource, Share> quotas(long state) {
        Map<LimitedResource, Share> quotas = new EnumMap<>(LimitedResource.class);
        quotas.put(LimitedResource.SESSIONS, new Share(100_000, 10_000));
        quotas.put(LimitedResource.WAITERS, new Share(50_000, 10_000));
        quotas.put(LimitedResource.LOCKS, Share.of(Math.min(MOST, state / LOCK_BYTES)));
        quotas.put(LimitedResource.TRANSACTIONS, Share.of(Math.min(MOST, state / LOCK_BYTES)));
        quotas.put(LimitedResource.DEFINITIONS, Share.of(Math.min(MOST, state / DEFINITION_BYTES)));
        quotas.put(LimitedResource.STATE, Share.of(state));
        return quotas;
    }

    /** How much there may be of a resource. */
    public Share of(LimitedResource resource) {
        return quotas.getOrDefault(resource, new Share(Long.MAX_VALUE, Long.MAX_VALUE));
    }

    /** This, with another quota. */
    public Limits with(LimitedResource resource, Share share) {
        Map<LimitedResource, Share> other = new EnumMap<>(quotas);
        other.put(resource, share);
        return new Limits(rate, connections, connectionsPerAddress, other, headerBytes, bodyBytes, patience, idle);
    }
}
