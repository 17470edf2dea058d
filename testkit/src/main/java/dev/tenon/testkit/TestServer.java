package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A real server of this test's own: a child process on a free loopback port, or a container where only a Docker engine
 * is to be had. It can be killed, paused and restarted on the same port and data, and is gone, data included, once it
 * is closed or this JVM ends, kill -9 included. What it has acknowledged survives {@link #kill()}, except on a Redis
 * server that keeps no log. Threads may share it.
 */
public abstract sealed class TestServer implements AutoCloseable
        permits RedisServer,
                MariaDbServer,
                MySqlServer,
                PostgresServer,
                ZooKeeperServer,
                EtcdServer,
                KafkaServer,
                RabbitMqServer,
                RocketMqServer,
                TenonTestServer {
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private final TestPort port = TestPort.reserve();
    private final ReentrantLock lifecycle = new ReentrantLock();
    private final ServerRecipe recipe;
    private final ServerHost host;
    private boolean closed;

    TestServer(ServerRecipe recipe) {
        this.recipe = recipe;
        host = ServerHost.choose(recipe, port.number());
    }

    final void startFirst() {
        try {
            host.start();
            awaitReady();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Does something to several servers at the same time. */
    static <S extends TestServer> void sideBySide(List<S> servers, Consumer<S> step) {
        ExecutorService threads = Executors.newFixedThreadPool(servers.size());
        try {
            CompletableFuture.allOf(servers.stream()
                            .map(server -> CompletableFuture.runAsync(() -> step.accept(server), threads))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        } finally {
            threads.shutdown();
        }
    }

    /** Where the server listens: 127.0.0.1 and its port, the same after every restart. */
    public final InetSocketAddress socket() {
        return port.address();
    }

    /** Whether the server's process runs; a paused one does. */
    public final boolean running() {
        return host.running();
    }

    /** Kill -9, as a crash would be; returns when the process is gone. No file is lost or flushed by it. */
    public final void kill() {
        inLifecycle(host::kill);
    }

    /** Ends the server in order; returns when it is gone. The data stays for {@link #restart()}. */
    public final void stop() {
        inLifecycle(host::stop);
    }

    /**
     * Brings the server up on the same port and data, ending it in order before if it runs; returns when it answers.
     *
     * @throws IllegalStateException if it does not come up; the message shows the end of its log
     */
    public final void restart() {
        inLifecycle(() -> {
            if (host.running()) {
                host.stop();
            }
            host.start();
            awaitReady();
        });
    }

    /** Freezes the server (SIGSTOP): its connections stay open and nothing answers. Returns when it stands still. */
    public final void pause() {
        inLifecycle(host::pause);
    }

    /** Lets a paused server go on (SIGCONT). */
    public final void resume() {
        inLifecycle(host::resume);
    }

    /**
     * Sets the clock of a server that was started with one of its own ({@code startWithClock}), at once.
     *
     * @param ahead of the machine's; negative: behind
     * @throws IllegalStateException if the server has the machine's clock
     */
    public final void setClock(Duration ahead) {
        if (!(recipe instanceof FakedTime clock)) {
            throw new IllegalStateException("this server was not started with a clock of its own");
        }
        clock.set(ahead);
    }

    /**
     * Lets no file of the server grow beyond a size from now on, as a full disk would (RLIMIT_FSIZE; writes fail with
     * EFBIG).
     *
     * @throws IllegalStateException if the server is no process of this machine, or there is no {@code prlimit}
     */
    public final void limitFiles(long bytes) {
        inLifecycle(() -> localHost().limitFiles(Long.toString(bytes)));
    }

    /** Lifts {@link #limitFiles}. */
    public final void unlimitFiles() {
        inLifecycle(() -> localHost().limitFiles("unlimited"));
    }

    /** Where all of its files are. */
    final Path folder() {
        return localHost().folder();
    }

    private LocalHost localHost() {
        if (!(host instanceof LocalHost local)) {
            throw new IllegalStateException("the files of a server in a container can't be got at");
        }
        return local;
    }

    /** The end of what the server has logged so far, for messages of failed tests. */
    public final String log() {
        return host.log();
    }

    /** Ends the server and removes its data. Harmless when done twice. */
    @Override
    public final void close() {
        lifecycle.lock();
        try {
            if (!closed) {
                closed = true;
                host.close();
                port.close();
            }
        } finally {
            lifecycle.unlock();
        }
    }

    private void inLifecycle(Runnable step) {
        lifecycle.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this server was closed");
            }
            step.run();
        } finally {
            lifecycle.unlock();
        }
    }

    private void awaitReady() {
        try {
            Awaitility.await()
                    .atMost(START_LIMIT)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> !host.running() || recipe.ready(socket()));
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException("the server is not ready after " + START_LIMIT + ":\n" + log(), e);
        }
        if (!host.running()) {
            throw new IllegalStateException("the server ended while starting:\n" + log());
        }
    }
}
