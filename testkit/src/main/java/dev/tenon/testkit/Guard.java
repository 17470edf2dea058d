package dev.tenon.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One small process beside this JVM that ends every child of it, and removes their folders, once the JVM is gone,
 * however it went. The JVM holds a pipe to it and writes nothing: the kernel closes the pipe even on kill -9.
 */
final class Guard {
    /** The script in a child's folder that removes what it leaves outside of the folder. */
    static final String CLEANUP = "cleanup";

    private static final Once<Guard> OF_THIS_JVM = new Once<>(Guard::new);

    private final Path root;
    /** Never read again: it must stay reachable, or its finalised pipe would tell the guard that this JVM has ended. */
    private final OutputStream pipe;

    private final AtomicLong folders = new AtomicLong();

    private Guard() {
        try {
            root = Files.createTempDirectory("tenon-test-");
            // A server that runs as another user must reach its own data folder below.
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path script = root.resolve("guard.sh");
            try (InputStream in = Objects.requireNonNull(Guard.class.getResourceAsStream("guard.sh"))) {
                Files.copy(in, script);
            }
            Process process = new ProcessBuilder("sh", script.toString(), "watch", root.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            pipe = process.getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the process that guards the children of this JVM", e);
        }
    }

    static Guard ofThisJvm() {
        return OF_THIS_JVM.value();
    }

    /** A new empty folder for one child; what is noted in it is cleared up when this JVM ends. */
    Path newFolder(String name) {
        try {
            Path folder = root.resolve(name + "-" + folders.incrementAndGet());
            Files.createDirectory(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The command that notes its process in the folder and then becomes the given command. */
    List<String> guarded(Path folder, ChildProcess.Reach reach, List<String> command) {
        Objects.requireNonNull(pipe);
        List<String> all = new ArrayList<>(
                List.of("sh", root.resolve("guard.sh").toString(), "run", folder.toString(), reach.name()));
        all.addAll(command);
        return all;
    }
}
