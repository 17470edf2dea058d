package dev.tenon.server.http;

import dev.tenon.console.ConsoleFiles;
import dev.tenon.server.access.Need;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The console: {@code /} and its files under {@code /console/}. They are the same for everyone and hold no secret; what
 * they show comes from the interface, and passes the gate.
 */
final class ConsoleRoutes {
    private static final int NOT_MODIFIED = 304;

    List<Route> routes() {
        return ConsoleFiles.all().stream().map(ConsoleRoutes::route).toList();
    }

    private static Route route(ConsoleFiles.File file) {
        Map<String, String> headers = Map.of(
                // Kept, but asked for each time: pages of two versions never mix.
                "Cache-Control", "no-cache",
                "ETag", file.etag(),
                "Content-Security-Policy", ConsoleFiles.POLICY,
                "X-Content-Type-Options", "nosniff",
                "Referrer-Policy", "no-referrer",
                "Cross-Origin-Opener-Policy", "same-origin",
                "Cross-Origin-Resource-Policy", "same-origin");
        Future<RouteResponse> whole = Future.succeededFuture(
                new RouteResponse(200, file.contentType(), Buffer.buffer(file.content()), headers));
        Future<RouteResponse> known =
                Future.succeededFuture(new RouteResponse(NOT_MODIFIED, "", Buffer.buffer(), headers));
        return Route.read(file.path(), Need.NOTHING, x -> {
            x.query();
            return isKnown(x.request().getHeader("If-None-Match"), file.etag()) ? known : whole;
        });
    }

    /** The weak comparison of RFC 9110, 13.1.2. */
    private static boolean isKnown(@Nullable String ifNoneMatch, String etag) {
        return ifNoneMatch != null
                && Arrays.stream(ifNoneMatch.split(","))
                        .map(tag -> tag.strip().replaceFirst("^W/", ""))
                        .anyMatch(tag -> tag.equals("*") || tag.equals(etag));
    }
}
