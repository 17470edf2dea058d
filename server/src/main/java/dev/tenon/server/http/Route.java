package dev.tenon.server.http;

import dev.tenon.server.access.Need;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A method and a path, and what is done there.
 *
 * @param method such as {@code GET}
 * @param pattern segments of the path; {@code {}} stands for any one segment
 * @param need what its caller must be allowed to do
 * @param safe whether it changes nothing, so that HEAD may be answered too
 * @param handler what is done
 */
record Route(String method, List<String> pattern, Need need, boolean safe, Handler handler) {
    /** Answers one request. It may throw, and must not block. */
    @FunctionalInterface
    interface Handler {
        Future<RouteResponse> handle(Exchange exchange);
    }

    /** A route that changes something. */
    static Route of(String method, String path, Need need, Handler handler) {
        return new Route(method, segments(path), need, false, handler);
    }

    /** A GET that changes nothing. */
    static Route read(String path, Need need, Handler handler) {
        return new Route("GET", segments(path), need, true, handler);
    }

    /** What this route is called where requests are counted. */
    String label() {
        return method + " /" + String.join("/", pattern);
    }

    /** The segments of a raw path. */
    static List<String> segments(String path) {
        return List.of(path.substring(path.startsWith("/") ? 1 : 0).split("/", -1));
    }

    /** What stands in the path for each {@code {}}, still encoded; empty if this is not the path of the route. */
    Optional<List<String>> match(List<String> path) {
        if (path.size() != pattern.size()) {
            return Optional.empty();
        }
        List<String> variables = new ArrayList<>();
        for (int i = 0; i < pattern.size(); i++) {
            if (pattern.get(i).equals("{}")) {
                variables.add(path.get(i));
            } else if (!pattern.get(i).equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(variables);
    }

    /** The methods that are answered here. */
    List<String> methods() {
        return safe ? List.of("GET", "HEAD") : List.of(method);
    }
}
