package dev.tenon.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What the URI of the options names.
 *
 * @param kind one Redis, or several, and in which way
 * @param seeds where to connect: for a cluster each node that the URI names, else one address
 */
record RedisTarget(Kind kind, List<RedisURI> seeds) {
    private static final String CLUSTER = "redis-cluster://";
    private static final String CLUSTER_TLS = "rediss-cluster://";

    enum Kind {
        /** The Redis of that address. */
        ONE,
        /** The Redis that Sentinels name when asked. */
        SENTINEL,
        /** Many, each with some of the slots. */
        CLUSTER
    }

    static RedisTarget of(RedisOptions options) {
        String uri = options.uri();
        int host = uri.indexOf("://") + 3;
        if (host < 3) {
            throw new IllegalArgumentException("Not a URI of Redis: " + options.address());
        }
        String scheme = uri.substring(0, host).toLowerCase(Locale.ROOT);
        boolean cluster = scheme.equals(CLUSTER) || scheme.equals(CLUSTER_TLS);
        String authority = uri.substring(scheme.length()).replaceFirst("[/?#].*$", "");
        if (!cluster && !scheme.contains("sentinel") && authority.contains(",")) {
            throw new IllegalArgumentException("A URI with several hosts must say what they are, " + CLUSTER
                    + "… or redis-sentinel://…#master: " + options.address());
        }
        List<RedisURI> seeds = cluster
                ? nodes(scheme.equals(CLUSTER) ? "redis://" : "rediss://", uri.substring(scheme.length()), options)
                : List.of(RedisURI.create(uri));
        seeds.forEach(seed -> seed.setTimeout(options.commandTimeout()));
        Kind kind = cluster ? Kind.CLUSTER : seeds.get(0).getSentinels().isEmpty() ? Kind.ONE : Kind.SENTINEL;
        // What asks the Sentinels must give up in time too.
        seeds.get(0).getSentinels().forEach(sentinel -> sentinel.setTimeout(options.commandTimeout()));
        return new RedisTarget(kind, seeds);
    }

    boolean isCluster() {
        return kind == Kind.CLUSTER;
    }

    /** The same credentials and settings, for another node of the cluster. */
    RedisURI at(String host, int port) {
        return RedisURI.builder(seeds.get(0)).withHost(host).withPort(port).build();
    }

    private static List<RedisURI> nodes(String scheme, String rest, RedisOptions options) {
        String query = rest.contains("?") ? rest.substring(rest.indexOf('?')) : "";
        String authority = rest.substring(0, rest.length() - query.length()).replaceFirst("/$", "");
        if (authority.contains("/")) {
            throw new IllegalArgumentException("A cluster has one database only: " + options.address());
        }
        int at = authority.lastIndexOf('@');
        String user = authority.substring(0, at + 1);
        return Stream.of(authority.substring(at + 1).split(","))
                .map(host -> RedisURI.create(scheme + user + host + query))
                .toList();
    }
}
