package dev.tenon.examples;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tenon.lock.FencingGuard;
import dev.tenon.lock.StaleTokenException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * A service that lets no request in whose fencing token is smaller than one that it has seen, on the JDK's own server.
 */
public final class FencedRequests {
    private FencedRequests() {}

    // tag::filter[]
    private static final class FencingFilter extends Filter {
        private final FencingGuard guard = FencingGuard.remembering(100_000);

        @Override
        public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
            String token = exchange.getRequestHeaders().getFirst(FencingGuard.HEADER);
            try {
                guard.check(exchange.getRequestURI().getPath(), token);
            } catch (StaleTokenException e) {
                answer(exchange, 412); // the holder's lease is over: don't send it again
                return;
            } catch (IllegalArgumentException e) {
                answer(exchange, 400); // no token, or none that could be one
                return;
            }
            chain.doFilter(exchange);
        }

        @Override
        public String description() {
            return "Refuses old fencing tokens";
        }
    }
    // end::filter[]

    /** Runs the example. */
    public static void main(String[] args) throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/stock", exchange -> answer(exchange, 204))
                .getFilters()
                .add(new FencingFilter());
        server.start();
        try {
            URI stock = URI.create("http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":"
                    + server.getAddress().getPort() + "/stock/42");
            System.out.println("Token 33: " + put(stock, "33"));
            System.out.println("Token 34, the next holder: " + put(stock, "34"));
            System.out.println("Token 34 again: " + put(stock, "34"));
            System.out.println("Token 33, after its pause: " + put(stock, "33"));
            System.out.println("No number: " + put(stock, "latest"));
        } finally {
            server.stop(0);
        }
    }

    private static int put(URI where, String token) throws IOException, InterruptedException {
        // tag::request[]
        HttpRequest request = HttpRequest.newBuilder(where)
                .header(FencingGuard.HEADER, token) // of the lease: String.valueOf(lease.token())
                .PUT(HttpRequest.BodyPublishers.ofString("9 left"))
                .build();
        // end::request[]
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }
}
