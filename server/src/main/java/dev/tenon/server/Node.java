package dev.tenon.server;

import dev.tenon.TimeSource;
import dev.tenon.server.http.HttpApi;
import dev.tenon.server.ids.GeneratorFactory;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.locks.LockDesk;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.net.BindException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One running node: a backend, and the HTTP interface to it. Close it to stop; the backend is closed with it. Thread-safe. */
public final class Node implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final int STOP_SECONDS = 10;

    private final Vertx vertx;
    private final ServerBackend backend;
    private final IdCatalog ids;
    private final LockDesk desk;
    private final AtomicBoolean closed = new AtomicBoolean();
    private int port;

    private Node(Vertx vertx, ServerBackend backend) {
        this.vertx = vertx;
        this.backend = backend;
        this.desk = new LockDesk(backend, TimeSource.system());
        this.ids = new IdCatalog(backend, new GeneratorFactory(backend, TimeSource.system()));
    }

    /**
     * Starts to serve.
     *
     * @param port 0: any free one
     * @throws StartException if the address can't be listened on; the backend is closed then too
     */
    public static Node start(String host, int port, ServerBackend backend) {
        return start(vertx(), backend, host, port);
    }

    private static Node start(Vertx vertx, ServerBackend backend, String host, int port) {
        Node node = new Node(vertx, backend);
        try {
            node.ids.defineDefault();
            HttpApi api = new HttpApi(node.vertx, backend.lockStore(), node.desk, node.ids);
            node.port = api.listen(host, port)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get();
            return node;
        } catch (ExecutionException e) {
            node.close();
            throw refused(host, port, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            node.close();
            throw new StartException(ExitCode.FAILED, "Interrupted while starting.", e);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /**
     * Starts to serve from a data folder, which is made if it is not there.
     *
     * @param port 0: any free one
     * @throws StartException if the folder can't be used, or the address can't be listened on
     */
    public static Node open(Path data, String host, int port) {
        // Both take a while, most of it to load classes, and neither needs the other.
        CompletableFuture<Vertx> vertx = CompletableFuture.supplyAsync(Node::vertx);
        try {
            ServerBackend backend = RaftServerBackend.open(data);
            return start(vertx.join(), backend, host, port);
        } catch (StartException e) {
            vertx.join().close();
            throw e;
        }
    }

    private static Vertx vertx() {
        // Nothing is served from files: without this, Vert.x makes a cache folder at each start.
        return Vertx.vertx(new VertxOptions()
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    /** The port that it listens on. */
    public int port() {
        return port;
    }

    /** Stops: waiters are told, worker IDs are given back, leases and queues are kept by the backend. Idempotent. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        desk.close();
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The HTTP interface did not stop cleanly", e);
        }
        try {
            ids.close();
        } finally {
            backend.close();
        }
    }

    private static StartException refused(String host, int port, Throwable cause) {
        if (cause instanceof BindException && String.valueOf(cause.getMessage()).contains("in use")) {
            return new StartException(
                    ExitCode.ADDRESS,
                    "Port " + port + " of " + host + " is in use. Stop what listens there, or choose another: --port 0 "
                            + "takes any free one.",
                    cause);
        }
        if (cause instanceof SocketException) {
            return new StartException(
                    ExitCode.ADDRESS, "Can't listen on " + host + ":" + port + ": " + cause.getMessage() + ".", cause);
        }
        return new StartException(ExitCode.FAILED, "The HTTP interface did not start: " + cause, cause);
    }
}
