package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A TCP port on loopback that nobody listens on, kept from every other test JVM of this user until it is closed or this
 * JVM ends: a server may come and go on it. It lies below the range from which the system takes ports for outgoing
 * connections, so that none of those can take it while the server is down. Threads may share it.
 */
public final class TestPort implements AutoCloseable {
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final Once<FileChannel> REGISTER = new Once<>(TestPort::openRegister);

    private final int number;
    private final FileLock lock;

    private TestPort(int number, FileLock lock) {
        this.number = number;
        this.lock = lock;
    }

    /**
     * Finds a free port and keeps it.
     *
     * @return the port; close it to let others have it
     * @throws IllegalStateException if no port can be had
     */
    public static TestPort reserve() {
        for (int attempt = 0; attempt < LAST - FIRST; attempt++) {
            int number = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            Optional<TestPort> port = reserve(number);
            if (port.isPresent()) {
                return port.get();
            }
        }
        throw new IllegalStateException("no free port between " + FIRST + " and " + LAST);
    }

    /** Keeps this port, if it is free. */
    static Optional<TestPort> reserve(int number) {
        try {
            // One byte of the file for each port. The channel is never closed: that would drop all of its locks.
            FileLock lock = REGISTER.value().tryLock(number, 1, false);
            if (lock == null) {
                return Optional.empty();
            }
            if (free(number)) {
                return Optional.of(new TestPort(number, lock));
            }
            lock.release();
            return Optional.empty();
        } catch (OverlappingFileLockException e) {
            // This JVM itself has it.
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot reserve a port", e);
        }
    }

    /** The port. */
    public int number() {
        return number;
    }

    /** The port on the loopback address 127.0.0.1. */
    public InetSocketAddress address() {
        return loopback(number);
    }

    /** Lets others have the port. Harmless when done twice. */
    @Override
    public void close() {
        try {
            lock.release();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }

    private static boolean free(int number) {
        try (ServerSocket probe = new ServerSocket(number, 1, InetAddress.getByName("127.0.0.1"))) {
            return probe.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static FileChannel openRegister() {
        Path file = Path.of(
                System.getProperty("java.io.tmpdir"), "tenon-test-ports-" + System.getProperty("user.name") + ".lock");
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
