package dev.tenon.testkit;

import dev.tenon.testkit.FaultProxy.Traffic;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One connection through a {@link FaultProxy}. Each way has a thread that reads and stamps what comes, and one that
 * writes it when it is due: so a message on its way holds up no other.
 */
final class ProxiedConnection {
    private static final int CONNECT_MILLIS = 10_000;
    private static final int CHUNK = 16 * 1024;
    /** Chunks on their way; past that the sender is held up, as by a full line. */
    private static final int IN_FLIGHT = 8 * 1024;

    private static final byte[] END = new byte[0];

    private final FaultProxy proxy;
    private final Socket client;
    private final Socket server = new Socket();
    private final BlockingQueue<Chunk> toServer = new ArrayBlockingQueue<>(IN_FLIGHT);
    private final BlockingQueue<Chunk> toClient = new ArrayBlockingQueue<>(IN_FLIGHT);
    private final AtomicInteger waysOpen = new AtomicInteger(2);
    private volatile boolean clientSpokeLast;
    private volatile boolean torn;
    private volatile boolean over;

    private record Chunk(byte[] bytes, long dueNanos) {}

    ProxiedConnection(FaultProxy proxy, Socket client) {
        this.proxy = proxy;
        this.client = client;
    }

    /** Connects to the server and starts both ways; a server that is not there resets the client. */
    void open() {
        try {
            proxy.awaitPassage();
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(proxy.target(), CONNECT_MILLIS);
            FaultProxy.daemon("tenon-proxy-requests-read", () -> read(proxy.toServer(), client, toServer));
            FaultProxy.daemon("tenon-proxy-requests-write", () -> write(toServer, server));
            FaultProxy.daemon("tenon-proxy-replies-read", () -> read(proxy.toClient(), server, toClient));
            FaultProxy.daemon("tenon-proxy-replies-write", () -> write(toClient, client));
        } catch (IOException e) {
            reset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reset();
        }
    }

    /** Ends the connection at both sides at once, by a reset rather than an orderly close. */
    void reset() {
        over = true;
        proxy.ended(this);
        for (Socket socket : new Socket[] {client, server}) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException e) {
                // It is closed already.
            }
            close(socket);
        }
        // Whoever waits for room in a line, or for something in it, goes on and finds that it is over.
        for (BlockingQueue<Chunk> line : List.of(toServer, toClient)) {
            line.clear();
            line.offer(new Chunk(END, System.nanoTime()));
        }
    }

    /** Resets the connection if replies on it were lost: what follows would make no sense to the client. */
    void resetIfTorn() {
        if (torn) {
            reset();
        }
    }

    private void read(Traffic traffic, Socket from, BlockingQueue<Chunk> line) {
        boolean fromClient = traffic == proxy.toServer();
        byte[] buffer = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                long due = System.nanoTime() + traffic.delayNanos();
                traffic.count(length);
                if (fromClient && !clientSpokeLast) {
                    proxy.exchangeBegins();
                }
                clientSpokeLast = fromClient;
                line.put(new Chunk(Arrays.copyOf(buffer, length), due));
            }
            line.put(new Chunk(END, System.nanoTime() + traffic.delayNanos()));
        } catch (IOException e) {
            if (!over) {
                reset();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(BlockingQueue<Chunk> line, Socket to) {
        try {
            OutputStream out = to.getOutputStream();
            while (!over) {
                Chunk chunk = line.take();
                awaitDue(chunk.dueNanos());
                proxy.awaitPassage();
                if (line == toClient && (torn || proxy.dropsReplies())) {
                    torn = true;
                    // Healed between the question and the note: nobody else would end this connection.
                    if (!proxy.dropsReplies()) {
                        reset();
                    }
                } else if (chunk.bytes() == END) {
                    to.shutdownOutput();
                    if (waysOpen.decrementAndGet() == 0) {
                        proxy.ended(this);
                        close(client);
                        close(server);
                    }
                    return;
                } else {
                    out.write(chunk.bytes());
                }
            }
        } catch (IOException e) {
            if (!over) {
                reset();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitDue(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more, whatever is wrong with it.
        }
    }
}
