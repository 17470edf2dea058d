package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A real server of this test's own: a child process on a free loopback port, or a container where only a Docker engine is
 * to be had. It can be killed, paused and restarted on the same port and data, and is gone, data included, once it is
 * closed or this JVM ends, kill -9 included. What it has acknowledged survives {@link #kill()}, except on a Redis server
 * that was not started as durable. Threads may share it.
 */
public abstract sealed class TestServer implements AutoCloseable permits RedisServer, MariaDbServer, PostgresServer {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

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
