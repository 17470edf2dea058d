package dev.tenon.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One node on a folder of its own, for all tests of a class. */
final class RaftNode implements BeforeAllCallback, AfterAllCallback {
    private Path folder;
    private RaftBackend backend;

    RaftBackend backend() {
        return backend;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        folder = Files.createTempDirectory("tenon-raft");
        backend = RaftBackend.open(folder, RaftOptions.DEFAULT);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        backend.close();
        delete(folder);
    }

    static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
