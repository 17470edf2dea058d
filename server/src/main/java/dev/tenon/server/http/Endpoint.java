package dev.tenon.server.http;

import dev.tenon.server.access.Limits;
import dev.tenon.server.transport.Tls;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Where the public port is, and what is checked there before a route is found.
 *
 * @param host the address to listen on
 * @param port 0: any free one
 * @param limits of connections, headers and bodies
 * @param tls empty: plain text
 * @param pages keeps out web pages of other sites
 */
public record Endpoint(String host, int port, Limits limits, Optional<Tls> tls, WebPages pages) {
    /** Calls at once on one connection: each is a request, and a client has one connection for all its threads. */
    private static final int STREAMS_MAX = 1000;

    /** The options of a server that listens here, but for the port. */
    HttpServerOptions options() {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(host)
                .setTcpKeepAlive(true)
                .setTcpNoDelay(true)
                .setInitialSettings(new Http2Settings().setMaxConcurrentStreams(STREAMS_MAX))
                .setHandle100ContinueAutomatically(true)
                .setMaxHeaderSize(limits.headerBytes())
                .setMaxInitialLineLength(limits.headerBytes());
        options.getInitialSettings().setMaxHeaderListSize(limits.headerBytes());
        // Only for clients that send nothing at all: see SlowPeers, which takes over at the first byte.
        options.setIdleTimeout((int) limits.patience().toMillis()).setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
        tls.ifPresent(t -> t.applyTo(options));
        return options;
    }
}
