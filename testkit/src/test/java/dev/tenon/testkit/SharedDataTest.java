package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedDataTest {
    private static final int AT_ONCE = 4;

    @TempDir
    private Path folder;

    private Path program;
    private SharedData shared;
    private int made;

    @BeforeEach
    void aServer() throws IOException {
        program = Files.writeString(folder.resolve("server"), "1.0");
        shared = SharedData.in(folder.resolve("shared"));
    }

    /** A server's folder with its data. */
    private Path provided(String name, String... options) throws IOException {
        Path own = Files.createDirectory(folder.resolve(name));
        Path data = own.resolve("data");
        shared.provide(own, data, program, List.of(options), () -> {
            made++;
            make(data, "new");
        });
        return data;
    }

    private static void make(Path data, String text) {
        try {
            Files.writeString(Files.createDirectories(data.resolve("tables")).resolve("t"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String table(Path data) throws IOException {
        return Files.readString(data.resolve("tables").resolve("t"));
    }

    @Test
    void itIsMadeOnceAndWhatAServerWritesIsItsOwn() throws IOException {
        Path first = provided("first");
        Files.writeString(first.resolve("tables").resolve("t"), "written");
        Path second = provided("second");
        Files.writeString(second.resolve("tables").resolve("t"), "written");
        assertThat(table(provided("third"))).isEqualTo("new");
        assertThat(made).isEqualTo(1);
    }

    @Test
    void anEmptyFolderIsFilled() throws IOException {
        provided("first");
        Path own = Files.createDirectory(folder.resolve("second"));
        Path data = Files.createDirectory(own.resolve("data"));
        shared.provide(own, data, program, List.of(), () -> made++);
        assertThat(table(data)).isEqualTo("new");
        assertThat(made).isEqualTo(1);
    }

    @Test
    void anotherServerOrOtherOptionsHaveTheirOwn() throws IOException {
        provided("first");
        provided("options", "--big");
        assertThat(made).isEqualTo(2);
        Files.setLastModifiedTime(program, FileTime.fromMillis(1));
        provided("time");
        assertThat(made).isEqualTo(3);
        Files.writeString(program, "1.0.1");
        Files.setLastModifiedTime(program, FileTime.fromMillis(1));
        provided("size");
        assertThat(made).isEqualTo(4);
    }

    @Test
    void whatCouldNotBeMadeIsNotShared() throws IOException {
        Path own = Files.createDirectory(folder.resolve("first"));
        Path data = own.resolve("data");
        assertThatThrownBy(() -> shared.provide(own, data, program, List.of(), () -> {
                    make(data, "half");
                    throw new IllegalStateException("the disk is full");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(table(provided("second"))).isEqualTo("new");
    }

    @Test
    void whoComesAtTheSameTimeMakesItsOwnAndOneOfThemStays() throws Exception {
        CyclicBarrier together = new CyclicBarrier(AT_ONCE);
        List<Path> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            Path own = Files.createDirectory(folder.resolve("own" + i));
            Path data = own.resolve("data");
            all.add(data);
            threads.add(FaultProxy.daemon(
                    "own" + i,
                    () -> shared.provide(own, data, program, List.of(), () -> {
                        try {
                            together.await();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        make(data, "new");
                    })));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Path data : all) {
            assertThat(table(data)).isEqualTo("new");
        }
        try (Stream<Path> templates = Files.list(folder.resolve("shared"))) {
            assertThat(templates).hasSize(1);
        }
        provided("later");
        assertThat(made).isZero();
    }
}
