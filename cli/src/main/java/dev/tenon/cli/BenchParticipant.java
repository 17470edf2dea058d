package dev.tenon.cli;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.DaemonThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A participant that has nothing to do: it answers every call with 200. Thread-safe. */
final class BenchParticipant implements AutoCloseable {
    private static final int OK = 200;
    private static final int NO_BODY = -1;

    private final HttpServer http;
    private final ExecutorService threads;

    private BenchParticipant(HttpServer http, ExecutorService threads) {
        this.http = http;
        this.threads = threads;
    }

    /** @param host an address of this machine */
    static BenchParticipant listen(String host) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, 0);
        if (address.isUnresolved()) {
            throw new IOException("unknown host \"" + host + "\"");
        }
        HttpServer http = HttpServer.create(address, 0);
        ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.named("tenon-bench-participant"));
        http.setExecutor(threads);
        http.createContext("/", call -> {
            call.getRequestBody().readAllBytes();
            call.sendResponseHeaders(OK, NO_BODY);
            call.close();
        });
        http.start();
        return new BenchParticipant(http, threads);
    }

    /** Where it is to be called. */
    String url() {
        InetSocketAddress at = http.getAddress();
        String host = at.getHostString();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + at.getPort() + "/";
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
