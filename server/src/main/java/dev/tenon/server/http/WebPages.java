package dev.tenon.server.http;

import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages of other sites from using a browser to reach a server that the browser can reach and they can't
 * (cross-site request forgery, DNS rebinding). Other clients send none of the headers that are looked at. Immutable.
 *
 * @param rebindable whether the name in {@code Host} is looked at: where the server is on loopback, no DNS name with a dot in
 *     it should lead there, unless a page has pointed its own name at it
 * @param hosts DNS names that lead here nevertheless
 * @param origins of pages that may use this server, such as {@code https://admin.example.com}
 */
record WebPages(boolean rebindable, Set<String> hosts, Set<String> origins) {
    /** What a page from here may do: use what comes from here, and be in no other page. */
    static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'",
            "Referrer-Policy",
            "no-referrer");

    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

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
        HostAndPort authority = request.authority();
        if (rebindable && (authority == null || !leadsHere(authority.host()))) {
            throw new ProblemException(
                    ProblemType.CROSS_SITE,
                    "This server was asked under the name \""
                            + Texts.shortened(authority == null ? "" : authority.host())
                            + "\", which does not look like one of its own. If it is, start it with --allow-host.");
        }
        return authority;
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
                "A page of another site (" + Texts.shortened(origin)
                        + ") asked for this. If it may, start the server with --allow-origin.");
    }

    private boolean leadsHere(String asked) {
        String host = asked.toLowerCase(Locale.ROOT);
        return host.indexOf('.') < 0 // of this machine or network: nobody else can point such a name anywhere
                || host.endsWith(".localhost")
                || IPV4.matcher(host).matches()
                || host.startsWith("[")
                || hosts.contains(host);
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
