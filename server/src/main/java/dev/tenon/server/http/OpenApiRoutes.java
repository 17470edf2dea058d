package dev.tenon.server.http;

import dev.tenon.server.access.Need;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * {@code /openapi.json}: the description of this interface (OpenAPI 3.1), as it stands in the resource
 * {@code openapi.json}.
 */
final class OpenApiRoutes {
    private static final String RESOURCE = "/dev/tenon/server/openapi.json";

    private final RouteResponse description = new RouteResponse(200, RouteResponse.JSON, read(), Map.of());

    List<Route> routes() {
        return List.of(Route.read("/openapi.json", Need.NOTHING, this::describe));
    }

    private Future<RouteResponse> describe(Exchange x) {
        x.query();
        return Future.succeededFuture(description);
    }

    private static Buffer read() {
        try (InputStream in = Objects.requireNonNull(OpenApiRoutes.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            return Buffer.buffer(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
