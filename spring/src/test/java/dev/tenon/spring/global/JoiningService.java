package dev.tenon.spring.global;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.tx.global.GlobalTransactions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A service over HTTP on loopback that takes part in each global transaction whose header comes with a call, and takes
 * each decision. Below {@value #SILENT} it does not answer for its part. Thread-safe.
 */
final class JoiningService implements AutoCloseable {
    /** A path at which a call's part gets no answer. */
    static final String SILENT = "/lost";

    private final Queue<List<String>> headers = new ConcurrentLinkedQueue<>();
    private final HttpServer server;

    private JoiningService(HttpServer server) {
        this.server = server;
    }

    /** Starts one on a free port. */
    static JoiningService start() throws IOException {
        JoiningService service =
                new JoiningService(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        service.server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            List<String> received = exchange.getRequestHeaders().getOrDefault(GlobalTransactions.HEADER, List.of());
            if (!path.equals(GlobalTransactions.PATH) && !path.equals(SILENT)) {
                service.headers.add(received);
                exchange.getResponseHeaders().put(GlobalTransactions.HEADER, received);
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        service.server.start();
        return service;
    }

    /** Where it is: {@code http://localhost:port}. */
    String address() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** The header's values of each call so far, in the order of the calls; to be cleared by the test. */
    Queue<List<String>> headers() {
        return headers;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
