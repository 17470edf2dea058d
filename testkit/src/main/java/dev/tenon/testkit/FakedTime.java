package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A server whose clock a test can set, by libfaketime (Debian: libfaketime), which is loaded before the C library and
 * reads how far it is off from a file. Its monotonic clock goes on as it is, as it would when an administrator sets the
 * time.
 */
final class FakedTime implements ServerRecipe {
    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "faketime/libfaketimeMT.so.1";

    private final ServerRecipe recipe;
    private volatile @Nullable Path file;

    FakedTime(ServerRecipe recipe) {
        this.recipe = recipe;
    }

    /** Sets the clock so far ahead of the machine's; a negative duration: behind. */
    void set(Duration ahead) {
        Path clock = file;
        if (clock == null) {
            throw new IllegalStateException("the server was never started as a process of this machine");
        }
        write(clock, ahead);
    }

    /** Sets the clock that is read from this file. */
    static void write(Path clock, Duration ahead) {
        try {
            Path next = clock.resolveSibling("clock.next");
            Files.writeString(next, (ahead.isNegative() ? "" : "+") + ahead.toSeconds() + "\n");
            Files.move(next, clock, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What comes before the command of a JVM that is to have the clock of this file.
     *
     * @throws IllegalStateException if there is no libfaketime
     */
    static List<String> ofJvm(Path clock) {
        Path faketime = library(LIBRARY)
                .orElseThrow(() -> new IllegalStateException("there is no libfaketime (Debian: libfaketime)"));
        // A JVM has its condition variables wait by the monotonic clock; what older versions of glibc needed makes them
        // miss it.
        List<String> command = new ArrayList<>(environment(faketime.toString(), clock));
        command.add("FAKETIME_FORCE_MONOTONIC_FIX=0");
        return command;
    }

    private static List<String> environment(String preload, Path clock) {
        return List.of(
                "env",
                "LD_PRELOAD=" + preload,
                "FAKETIME_TIMESTAMP_FILE=" + clock,
                "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    @Override
    public String name() {
        return recipe.name();
    }

    @Override
    public String toInstall() {
        return recipe.toInstall() + " and libfaketime (Debian: libfaketime)";
    }

    @Override
    public Optional<Local> local() {
        Optional<Path> faketime = library(LIBRARY);
        return faketime.isEmpty()
                ? Optional.empty()
                : recipe.local().map(own -> new Faked(own, preloaded(faketime.get())));
    }

    /**
     * Redis brings an allocator that asks for the time before libfaketime is ready; glibc's own, put first, does not.
     */
    private static String preloaded(Path faketime) {
        return library("libc_malloc_debug.so.0").map(malloc -> malloc + ":").orElse("") + faketime;
    }

    private static Optional<Path> library(String name) {
        if (!Files.isDirectory(LIBRARIES)) {
            return Optional.empty();
        }
        List<Path> folders = new ArrayList<>(List.of(LIBRARIES));
        try (DirectoryStream<Path> architectures = Files.newDirectoryStream(LIBRARIES, "*-linux-gnu*")) {
            architectures.forEach(folders::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::exists)
                .findFirst();
    }

    @Override
    public List<String> container() {
        throw new IllegalStateException("the clock of a server in a container can't be set: install " + toInstall());
    }

    @Override
    public int containerPort() {
        return recipe.containerPort();
    }

    @Override
    public boolean ready(InetSocketAddress address) {
        return recipe.ready(address);
    }

    private final class Faked implements Local {
        private final Local own;
        private final String preload;

        Faked(Local own, String preload) {
            this.own = own;
            this.preload = preload;
        }

        @Override
        public void prepare(Path folder) {
            own.prepare(folder);
            file = folder.resolve("clock");
            set(Duration.ZERO);
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(own.serve(folder, port));
            // After the change of the user, if there is one: libfaketime shares memory with nobody but its own user.
            command.addAll(command.indexOf("--") + 1, environment(preload, folder.resolve("clock")));
            return command;
        }

        @Override
        public String stopSignal() {
            return own.stopSignal();
        }
    }
}
