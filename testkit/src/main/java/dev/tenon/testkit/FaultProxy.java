package dev.tenon.testkit;

import dev.tenon.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on loopback between a client and a server, for the faults of a network: delay, cut, refusal, silence,
 * lost replies. All faults can be set and lifted while connections are open. Threads may share it.
 *
 * <p>Delay is each message's own: many may be on their way at once, as on a long line, and they arrive in order.
 * Measured on an idle machine it is late by some 0.1 ms; set it well above that, such as 10 ms, and divide the time
 * that an action takes by {@code 2 × delay} to count its round trips ({@link RoundTrips}). The handshake of a new
 * connection is not delayed.
 */
public final class FaultProxy implements AutoCloseable {
    private final InetSocketAddress target;
    private final InetSocketAddress address;
    private final Optional<TestPort> reserved;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong accepted = new AtomicLong();
    private final Traffic toServer = new Traffic();
    private final Traffic toClient = new Traffic();
    private final AtomicLong exchanges = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean held;
    private volatile boolean droppingReplies;
    private @Nullable Listener listener;
    private boolean closed;

    private record Listener(ServerSocket socket, Thread acceptor) {}

    /** What goes one way. */
    static final class Traffic {
        private final AtomicLong bytes = new AtomicLong();
        private volatile long delayNanos;

        long delayNanos() {
            return delayNanos;
        }

        void count(int length) {
            bytes.addAndGet(length);
        }
    }

    private FaultProxy(InetSocketAddress address, InetSocketAddress target, Optional<TestPort> reserved) {
        this.address = address;
        this.target = target;
        this.reserved = reserved;
    }

    /**
     * Starts a proxy without faults. The server need not be there yet.
     *
     * @param target the server
     */
    public static FaultProxy to(InetSocketAddress target) {
        TestPort port = TestPort.reserve();
        FaultProxy proxy = new FaultProxy(port.address(), target, Optional.of(port));
        proxy.acceptNew();
        return proxy;
    }

    /**
     * Starts a proxy without faults at an address that the caller has chosen: clients that must use a certain port can
     * be told apart by the loopback address, such as 127.0.1.2, at which each of them looks for the server.
     */
    public static FaultProxy at(InetSocketAddress address, InetSocketAddress target) {
        FaultProxy proxy = new FaultProxy(address, target, Optional.empty());
        proxy.acceptNew();
        return proxy;
    }

    /** Where clients connect, instead of to the server; the same as long as the proxy lives. */
    public InetSocketAddress address() {
        return address;
    }

    /** Delays every message from now on, each way by as much: a round trip takes twice that. Zero lifts it. */
    public void delay(Duration oneWay) {
        delay(oneWay, oneWay);
    }

    /**
     * Delays every message from now on, each way by its own time.
     *
     * @throws IllegalArgumentException if one of them is negative
     */
    public void delay(Duration toServerDelay, Duration toClientDelay) {
        if (toServerDelay.isNegative() || toClientDelay.isNegative()) {
            throw new IllegalArgumentException("a delay cannot be negative");
        }
        toServer.delayNanos = toServerDelay.toNanos();
        toClient.delayNanos = toClientDelay.toNanos();
    }

    /** Resets all open connections, and loses what is on its way. New ones are taken as before. */
    public void cut() {
        connections.forEach(ProxiedConnection::reset);
    }

    /** Refuses new connections from now on, as a server that is down. Open ones stay. */
    public void refuseNew() {
        lock.lock();
        try {
            if (listener != null) {
                listener.socket().close();
                // The port is open as long as the thread is in its accept call.
                listener.acceptor().join();
                listener = null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while closing the proxy's port", e);
        } finally {
            lock.unlock();
        }
    }

    /** Takes new connections again, on the same port. */
    public void acceptNew() {
        lock.lock();
        try {
            if (closed || listener != null) {
                return;
            }
            ServerSocket opened = new ServerSocket();
            opened.setReuseAddress(true);
            opened.bind(address, 512);
            listener = new Listener(opened, daemon("tenon-proxy-accept", () -> accept(opened)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets nothing through, either way, as a network that swallows every packet: connections stay open, new ones are
     * taken, and all is silent. {@link #heal()} delivers what was sent in the meantime, as TCP would by sending again.
     */
    public void blackhole() {
        held = true;
    }

    /**
     * Loses the server's replies from now on while requests still reach it: what was asked for happens, and the client
     * never hears of it. {@link #heal()} resets the connections that have lost something.
     */
    public void dropReplies() {
        droppingReplies = true;
    }

    /** Lifts {@link #blackhole()}, {@link #dropReplies()} and {@link #refuseNew()}; delays stay. */
    public void heal() {
        lock.lock();
        try {
            if (droppingReplies) {
                droppingReplies = false;
                connections.forEach(ProxiedConnection::resetIfTorn);
            }
            held = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        acceptNew();
    }

    /** Connections taken so far, closed ones included. */
    public long connections() {
        return accepted.get();
    }

    /** Connections that are open now. */
    public int openConnections() {
        return connections.size();
    }

    /** Bytes that clients have sent so far. */
    public long bytesToServer() {
        return toServer.bytes.get();
    }

    /** Bytes that the server has sent so far, lost ones included. */
    public long bytesToClient() {
        return toClient.bytes.get();
    }

    /**
     * Exact number of round trips so far, for connections on which a client asks and then waits for the answer: how
     * often a client spoke after the server had, or spoke first. What a server pushes unasked counts as an answer.
     */
    public long exchanges() {
        return exchanges.get();
    }

    /** Resets all connections and stops listening. Harmless when done twice. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        refuseNew();
        cut();
        heal();
        reserved.ifPresent(TestPort::close);
    }

    InetSocketAddress target() {
        return target;
    }

    Traffic toServer() {
        return toServer;
    }

    Traffic toClient() {
        return toClient;
    }

    void exchangeBegins() {
        exchanges.incrementAndGet();
    }

    boolean dropsReplies() {
        return droppingReplies;
    }

    void ended(ProxiedConnection connection) {
        connections.remove(connection);
    }

    /** Returns at once, or when the black hole is gone. */
    void awaitPassage() throws InterruptedException {
        if (!held) {
            return;
        }
        lock.lock();
        try {
            while (held) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    static Thread daemon(String name, Runnable work) {
        Thread thread = DaemonThreads.of(name, work);
        thread.start();
        return thread;
    }

    private void accept(ServerSocket from) {
        while (true) {
            try {
                Socket client = from.accept();
                accepted.incrementAndGet();
                ProxiedConnection connection = new ProxiedConnection(this, client);
                connections.add(connection);
                daemon("tenon-proxy-connect", connection::open);
            } catch (IOException e) {
                // Closed by refuseNew, the only way out.
                return;
            }
        }
    }
}
