package dev.tenon.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** All routes. Immutable, thread-safe. */
final class RouteTable {
    private final List<Route> routes;

    RouteTable(List<Route> routes) {
        this.routes = List.copyOf(routes);
    }

    /** What each route is called. */
    List<String> labels() {
        return routes.stream().map(Route::label).toList();
    }

    /** A route and the decoded variables of its path. */
    record Match(Route route, List<String> variables) {}

    /**
     * What is served at a path.
     *
     * @param matches one a method; empty: there is nothing at this path
     */
    record Found(List<Match> matches) {
        /** The route for a method. */
        Optional<Match> forMethod(String method) {
            return matches.stream()
                    .filter(m -> m.route().methods().contains(method))
                    .findFirst();
        }

        /** The value of the {@code Allow} header. */
        String allow() {
            TreeSet<String> methods = new TreeSet<>(List.of("OPTIONS"));
            matches.forEach(m -> methods.addAll(m.route().methods()));
            return String.join(", ", methods);
        }
    }

    /** Finds a path as it came over the wire, still encoded: an encoded slash is part of a name. */
    Found find(String rawPath) {
        List<String> path = Route.segments(rawPath);
        List<Match> matches = new ArrayList<>();
        for (Route route : routes) {
            route.match(path).ifPresent(raw -> {
                List<String> variables =
                        raw.stream().map(v -> PercentEncoding.decoded(v, false)).toList();
                matches.add(new Match(route, variables));
            });
        }
        return new Found(matches);
    }
}
