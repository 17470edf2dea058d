package dev.tenon.testkit;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server as a child process of this JVM, all of whose files are in one temporary folder. */
final class LocalHost implements ServerHost {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final Duration PREPARE_LIMIT = Duration.ofMinutes(2);
    private static final int LOG_TAIL = 16_000;
    private static final File NO_INPUT = new File("/dev/null");

    private final ServerRecipe.Local commands;
    private final int port;
    private final Path folder;
    private boolean prepared;
    private volatile @Nullable ChildProcess process;

    LocalHost(String name, int port, ServerRecipe.Local commands) {
        this.commands = commands;
        this.port = port;
        this.folder = Guard.ofThisJvm().newFolder(name);
    }

    @Override
    public void start() {
        if (!prepared) {
            commands.prepare(folder);
            prepared = true;
        }
        process = ChildProcess.start(
                folder,
                ChildProcess.Reach.FAMILY,
                new ProcessBuilder(commands.serve(folder, port))
                        .directory(folder.toFile())
                        .redirectInput(NO_INPUT)
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(logFile(folder).toFile())));
    }

    @Override
    public boolean running() {
        ChildProcess now = process;
        return now != null && now.alive();
    }

    @Override
    public void stop() {
        if (running()) {
            theProcess().end(commands.stopSignal(), STOP_LIMIT);
        }
    }

    @Override
    public void kill() {
        theProcess().kill();
    }

    @Override
    public void pause() {
        theProcess().pause();
    }

    @Override
    public void resume() {
        theProcess().resume();
    }

    Path folder() {
        return folder;
    }

    void limitFiles(String bytes) {
        theProcess().limitFiles(bytes);
    }

    @Override
    public String log() {
        return tail(logFile(folder));
    }

    @Override
    public void close() {
        stop();
        if (Files.exists(folder.resolve(Guard.CLEANUP))) {
            run(folder, List.of("sh", folder.resolve(Guard.CLEANUP).toString()));
        }
        ServerData.delete(folder);
    }

    private ChildProcess theProcess() {
        ChildProcess now = process;
        if (now == null) {
            throw new IllegalStateException("the server was never started");
        }
        return now;
    }

    private static Path logFile(Path folder) {
        return folder.resolve("log");
    }

    /** Runs a command that prepares something to its end; its output goes to the server's log. */
    static void run(Path folder, List<String> command) {
        Path log = logFile(folder);
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectInput(NO_INPUT)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (!process.waitFor(PREPARE_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(command + " does not end:\n" + tail(log));
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException(
                        command + " failed with exit code " + process.exitValue() + ":\n" + tail(log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        }
    }

    static String tail(Path file) {
        if (!Files.exists(file)) {
            return "";
        }
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            in.seek(Math.max(0, in.length() - LOG_TAIL));
            byte[] bytes = new byte[(int) (in.length() - in.getFilePointer())];
            in.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
