package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** The data folder of a server as whoever keeps backups deals with it. */
public final class ServerData {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ServerData() {}

    /** Makes a folder the same as another is now, though a server may be writing in that one; what it had is gone. */
    public static void copy(Path from, Path to) {
        delete(to);
        try {
            Files.walkFileTree(from, new Copying(from, to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes a folder with all in it, if it is there. */
    public static void delete(Path folder) {
        // A server's last child may still drop a file while we walk.
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            if (!Files.exists(folder)) {
                return true;
            }
            try (Stream<Path> tree = Files.walk(folder)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
            return true;
        });
    }

    private static final class Copying extends SimpleFileVisitor<Path> {
        private final Path from;
        private final Path to;

        Copying(Path from, Path to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            copyOne(folder);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            copyOne(file);
            return FileVisitResult.CONTINUE;
        }

        private void copyOne(Path file) throws IOException {
            try {
                Files.copy(file, to.resolve(from.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException e) {
                visitFileFailed(file, e);
            }
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException && !Files.exists(file)) {
                return FileVisitResult.CONTINUE; // renamed or deleted meanwhile
            }
            throw e;
        }
    }
}
