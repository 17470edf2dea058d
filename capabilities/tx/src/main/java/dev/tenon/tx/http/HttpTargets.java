package dev.tenon.tx.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Which addresses may be participants: of {@code http} and {@code https}, and of {@code grpc} and {@code grpcs}, which are HTTP/2. Whoever may begin a transaction has this process call what he names, from where
 * it stands in the network: name the addresses that are participants, and no others are called. Immutable, thread-safe.
 */
public final class HttpTargets {
    /** Every address of these schemes. */
    public static final HttpTargets ANY = new HttpTargets(List.of());

    private static final int PORT_MAX = 65_535;

    private final List<URI> prefixes;

    private HttpTargets(List<URI> prefixes) {
        this.prefixes = prefixes;
    }

    /**
     * Only addresses that begin with one of these: the same scheme, host and port, and a path that is the prefix's or below it.
     *
     * @param prefixes such as {@code https://stock.example.com} {@code http://10.0.0.7:8080/tenon/} or {@code grpc://stock:9090}; none: {@link #ANY}
     * @throws IllegalArgumentException if one is no address
     */
    public static HttpTargets within(List<String> prefixes) {
        return prefixes.isEmpty()
                ? ANY
                : new HttpTargets(prefixes.stream().map(HttpTargets::parsed).toList());
    }

    /**
     * The address that a target stands for.
     *
     * @throws IllegalArgumentException if it is no address, or not one of those that are allowed; the message says why
     */
    public URI require(String target) {
        URI uri = parsed(target);
        if (!isAllowed(uri)) {
            throw new IllegalArgumentException(
                    "\"" + target + "\" is not among the participants that may be called: begin it with one of "
                            + prefixes.stream().map(URI::toString).toList());
        }
        return uri;
    }

    /** Whether a target has the form of an address of HTTP, allowed or not. */
    public static boolean isHttp(String target) {
        return begins(target, "http://") || begins(target, "https://");
    }

    /** Whether a target has the form of an address of gRPC, allowed or not. */
    public static boolean isGrpc(String target) {
        return begins(target, "grpc://") || begins(target, "grpcs://");
    }

    private static boolean begins(String target, String scheme) {
        return target.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    private boolean isAllowed(URI uri) {
        return prefixes.isEmpty() || prefixes.stream().anyMatch(prefix -> isWithin(uri, prefix));
    }

    private static boolean isWithin(URI uri, URI prefix) {
        String path = path(uri);
        String start = path(prefix);
        return uri.getScheme().equalsIgnoreCase(prefix.getScheme())
                && uri.getHost().equalsIgnoreCase(prefix.getHost())
                && port(uri) == port(prefix)
                && (path.equals(start) || path.startsWith(start.endsWith("/") ? start : start + "/"));
    }

    private static String path(URI uri) {
        return uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    }

    private static int port(URI uri) {
        boolean tls = uri.getScheme().toLowerCase(Locale.ROOT).endsWith("s");
        return uri.getPort() >= 0 ? uri.getPort() : tls ? 443 : 80;
    }

    private static URI parsed(String target) {
        URI uri;
        try {
            uri = new URI(target);
        } catch (URISyntaxException e) {
            throw refused(target, e.getReason());
        }
        if (!isHttp(target) && !isGrpc(target)) {
            throw refused(target, "it must begin with http://, https://, grpc:// or grpcs://");
        }
        if (isGrpc(target) && uri.getRawQuery() != null) {
            throw refused(target, "it has a query (?), which gRPC does not send");
        }
        if (uri.getHost() == null) {
            throw refused(target, "it has no host (names of hosts have letters, digits, dots and dashes)");
        }
        if (uri.getRawUserInfo() != null) {
            throw refused(target, "it has credentials in it, which would stand in the log");
        }
        if (uri.getRawFragment() != null) {
            throw refused(target, "it has a fragment (#), which is never sent");
        }
        if (uri.getPort() > PORT_MAX || uri.getPort() == 0) {
            throw refused(target, "its port is not 1 to " + PORT_MAX);
        }
        // What a server between makes of these is not known, so that no prefix could be told.
        boolean climbs = uri.getPath() != null
                && Arrays.stream(uri.getPath().split("[/\\\\]", -1))
                        .map(s -> s.replaceFirst(
                                ";.*", "")) // parameters of a segment, which servlet containers take off first
                        .anyMatch(s -> s.equals(".") || s.equals(".."));
        if (climbs) {
            throw refused(target, "its path has \".\" or \"..\" in it");
        }
        return uri;
    }

    private static IllegalArgumentException refused(String target, String why) {
        String shown = target.length() <= 200 ? target : target.substring(0, 200) + "…";
        return new IllegalArgumentException("\"" + shown + "\" is no address of a participant: " + why);
    }
}
