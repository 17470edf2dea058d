package dev.tenon.server.http;

import dev.tenon.server.access.Gate;
import dev.tenon.server.access.HostNames;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.transport.Tls;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages of other sites from using a browser to reach a server that the browser can reach and they can't
 * (cross-site request forgery, DNS rebinding). Other clients send none of the headers that are looked at. Immutable.
 *
 * @param named whether the name in {@code Host} must be one of this server's: a page can have a name of its own lead
 *     here, and then a browser takes the server for a part of that page's site
 * @param hosts names of this server, asked at each request
 * @param origins of pages that may use this server, such as {@code https://admin.example.com}
 */
public record WebPages(boolean named, Predicate<String> hosts, Set<String> origins) {
    /** What a page from here may do: use what comes from here, and be in no other page. */
    static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'",
            "Referrer-Policy",
            "no-referrer");

    /**
     * What a node keeps pages from.
     *
     * <p>The name is looked at wherever a request may be served that shows nothing which a page could not have a
     * browser show: without API keys, and with certificates of clients, which a browser shows by itself. It is looked
     * at on loopback too, whatever is asked for. Where each request needs an API key, a page that has none gets nothing
     * under any name.
     *
     * @param host the address that the node listens on
     * @param hosts further names of the node, as in {@link HostNames#of}
     * @param origins of pages that may use it
     */
    public static WebPages of(String host, Gate gate, Optional<Tls> tls, Set<String> hosts, Set<String> origins) {
        boolean certificates = tls.map(Tls::asksForCertificates).orElse(false);
        boolean keysAlone = gate.asksForKeys() && !certificates;
        HostNames own = HostNames.of(hosts);
        Predicate<String> named = asked -> own.allows(asked)
                || asked.equalsIgnoreCase(host)
                || tls.map(t -> t.names().allows(asked)).orElse(false);
        return new WebPages(!keysAlone || isLoopback(host), named, origins);
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // to listen there will say so
        }
    }

    /**
     * Lets a request through.
     *
     * @throws ProblemException if not
     */
    void check(HttpServerRequest request, Route route) {
        if (route.need().scope() == Scope.OPEN && route.safe()) {
            return;
        }
        HostAndPort authority = checkName(request);
        if (!route.safe()) {
            checkOrigin(request, authority);
        }
    }

    /**
     * Lets a call of gRPC through, whatever its method.
     *
     * @throws ProblemException if not
     */
    void checkCall(HttpServerRequest request) {
        checkOrigin(request, checkName(request));
    }

    private @Nullable HostAndPort checkName(HttpServerRequest request) {
        HostAndPort authority = authority(request);
        if (named && (authority == null || !hosts.test(authority.host()))) {
            String name = QuotedText.shortened(authority == null ? "" : authority.host());
            throw new ProblemException(
                    ProblemType.CROSS_SITE,
                    "The host name \"" + name
                            + "\" is not one of this server's, and may come from a web page (DNS rebinding). If "
                            + "it is right, start the server with --allow-host=" + name
                            + " (a container: -e TENON_ALLOW_HOST=" + name + "); *.example.com allows all subdomains.");
        }
        return authority;
    }

    private static @Nullable HostAndPort authority(HttpServerRequest request) {
        try {
            return request.authority();
        } catch (IndexOutOfBoundsException e) {
            return null; // Vert.x trips over a percent sign
        }
    }

    private void checkOrigin(HttpServerRequest request, @Nullable HostAndPort authority) {
        String origin = request.getHeader("Origin");
        if (origin != null) {
            if (!origins.contains(origin) && !isOwn(origin, authority)) {
                throw refused(origin);
            }
            return;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw refused(site);
        }
    }

    private static ProblemException refused(String origin) {
        return new ProblemException(
                ProblemType.CROSS_SITE,
                "A web page of another site (" + QuotedText.shortened(origin)
                        + ") sent this request. To allow it, start the server with --allow-origin.");
    }

    private static boolean isOwn(String origin, @Nullable HostAndPort authority) {
        int scheme = origin.indexOf("://");
        if (scheme < 0 || authority == null) {
            return false;
        }
        String port = authority.port() < 0 ? "" : ":" + authority.port();
        return origin.substring(scheme + 3).equalsIgnoreCase(authority.host() + port);
    }
}
