package dev.tenon.tx.http;

import dev.tenon.tx.notify.WebhookSecrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Which addresses may be participants: of {@code http} and {@code https}, and of {@code grpc} and {@code grpcs}, which
 * are HTTP/2. A client that may begin a transaction has this process call any address, from its place in the network:
 * list the addresses that are participants, and no others are called. It also says which calls are signed ({@link
 * #signedWith}). Immutable, thread-safe.
 */
public final class HttpTargets {
    /** Every address of these schemes. */
    public static final HttpTargets ANY = new HttpTargets(Optional.empty(), "", List.of());

    private static final int PORT_MAX = 65_535;

    /** Empty: any address. */
    private final Optional<List<URI>> prefixes;

    private final String refusal;
    private final List<Signed> signed;

    private HttpTargets(Optional<List<URI>> prefixes, String refusal, List<Signed> signed) {
        this.prefixes = prefixes;
        this.refusal = refusal;
        this.signed = signed;
    }

    /** What is called below an address is signed with the secret of a name. */
    private record Signed(URI prefix, String secret) {}

    /**
     * Only addresses that begin with one of these: the same scheme, host and port, and a path that is the prefix's or
     * below it.
     *
     * @param prefixes such as {@code https://stock.example.com} {@code http://10.0.0.7:8080/tenon/} or {@code
     *     grpc://stock:9090}; none: {@link #ANY}
     * @throws IllegalArgumentException if one is not an address
     */
    public static HttpTargets within(List<String> prefixes) {
        if (prefixes.isEmpty()) {
            return ANY;
        }
        List<URI> parsed = prefixes.stream().map(HttpTargets::parsed).toList();
        return new HttpTargets(Optional.of(parsed), "begin it with one of " + parsed, List.of());
    }

    /**
     * No address at all.
     *
     * @param refusal what is to be done about it; it ends the message of each refusal
     */
    public static HttpTargets none(String refusal) {
        return new HttpTargets(Optional.of(List.of()), refusal, List.of());
    }

    /**
     * These, and each call to an address that begins as one of the keys does, in the sense of {@link #within}, is
     * signed with the secret whose name is the value ({@link CallSignature}): of several that fit, that of the longest
     * path. Such a secret signs calls to these addresses, and no notification that names it itself.
     *
     * @throws IllegalArgumentException if a key is not an address, or two are the same, or a value can't be the name of
     *     a secret
     */
    public HttpTargets signedWith(Map<String, String> secrets) {
        List<Signed> all = new ArrayList<>();
        secrets.forEach((prefix, name) -> {
            URI uri = parsed(prefix);
            if (all.stream().anyMatch(s -> isWithin(uri, s.prefix()) && isWithin(s.prefix(), uri))) {
                throw new IllegalArgumentException(
                        "Calls to \"" + prefix + "\" are signed with one secret, not with two");
            }
            all.add(new Signed(uri, WebhookSecrets.requireName(name)));
        });
        all.sort(
                Comparator.comparingInt((Signed s) -> path(s.prefix()).length()).reversed());
        return new HttpTargets(prefixes, refusal, List.copyOf(all));
    }

    /**
     * The name of the secret that signs calls to an address; empty if they are not signed.
     *
     * @param address as {@link #require} returns it
     */
    public Optional<String> secret(URI address) {
        return signed.stream()
                .filter(s -> isWithin(address, s.prefix()))
                .map(Signed::secret)
                .findFirst();
    }

    /** Whether the secret of that name signs calls to some of these, and therefore nothing else. */
    public boolean areSignedWith(String secret) {
        return signed.stream().anyMatch(s -> s.secret().equals(secret));
    }

    /**
     * The address that a target stands for.
     *
     * @throws IllegalArgumentException if it is not an address, or not an allowed one; the message says why
     */
    public URI require(String target) {
        URI uri = parsed(target);
        if (!isAllowed(uri)) {
            throw new IllegalArgumentException(
                    "\"" + target + "\" is not among the participants that may be called: " + refusal);
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
        return prefixes.isEmpty() || prefixes.get().stream().anyMatch(prefix -> isWithin(uri, prefix));
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
        // What a server between makes of these is not known, so that no prefix could be told. Servlet containers first
        // take off what
        // follows a semicolon.
        boolean climbs = uri.getPath() != null
                && Arrays.stream(uri.getPath().split("[/\\\\]", -1))
                        .map(s -> s.replaceFirst(";.*", ""))
                        .anyMatch(s -> s.equals(".") || s.equals(".."));
        if (climbs) {
            throw refused(target, "its path has \".\" or \"..\" in it");
        }
        return uri;
    }

    private static IllegalArgumentException refused(String target, String why) {
        String shown = target.length() <= 200 ? target : target.substring(0, 200) + "…";
        return new IllegalArgumentException("\"" + shown + "\" is not the address of a participant: " + why);
    }
}
