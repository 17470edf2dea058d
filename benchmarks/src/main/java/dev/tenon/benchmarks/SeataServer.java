package dev.tenon.benchmarks;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Seata's coordinator, its log in files that are flushed before it answers: a JVM of its own with its own libraries, in
 * a temporary folder.
 */
final class SeataServer implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Process process;
    private final Path folder;
    private final TestPort port;

    private SeataServer(Process process, Path folder, TestPort port) {
        this.process = process;
        this.folder = folder;
        this.port = port;
    }

    /** Starts it with the class path in that file; returns once it listens. */
    static SeataServer start(Path classPath) throws IOException, InterruptedException {
        if (!Files.exists(classPath)) {
            throw new IllegalStateException("No " + classPath + ": scripts/benchmark writes it");
        }
        Path folder = Files.createTempDirectory("tenon-seata-");
        TestPort port = TestPort.reserve();
        try (TestPort page = TestPort.reserve()) {
            Process process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx512m",
                            "-Duser.home=" + folder,
                            "-Djava.io.tmpdir=" + folder,
                            "-Dlog.home=" + folder,
                            "-Dlogging.level.root=warn",
                            "-Dserver.address=127.0.0.1",
                            "-Dserver.port=" + page.number(),
                            "-Dseata.store.file.flush-disk-mode=sync",
                            "-cp",
                            Files.readString(classPath).strip(),
                            "io.seata.server.ServerApplication",
                            "-h",
                            "127.0.0.1",
                            "-p",
                            String.valueOf(port.number())))
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("out").toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
            SeataServer server = new SeataServer(process, folder, port);
            server.await();
            return server;
        }
    }

    private void await() throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!listens()) {
            if (process.waitFor(100, TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
                String said = Files.readString(folder.resolve("out"));
                close();
                throw new IllegalStateException("Seata's server did not start:\n" + said);
            }
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** As clients take it. */
    String address() {
        return "127.0.0.1:" + port.number();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        port.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
