package dev.tenon.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs of this machine: on the PATH, then where Debian puts the ones that it keeps off the PATH. */
final class Programs {
    private static final List<Path> SYSTEM =
            List.of(Path.of("/usr/sbin"), Path.of("/usr/local/sbin"), Path.of("/sbin"));
    private static final Path POSTGRES_VERSIONS = Path.of("/usr/lib/postgresql");

    private Programs() {}

    /** The first of the names that is there. */
    static Optional<Path> onPath(String... names) {
        List<Path> folders = new ArrayList<>();
        for (String folder :
                Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator)) {
            if (!folder.isEmpty()) {
                folders.add(Path.of(folder));
            }
        }
        folders.addAll(SYSTEM);
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * MySQL's server: the one that {@code scripts/install-test-servers} unpacked, or else one on the PATH, where
     * MariaDB often has a link of the same name to its own.
     */
    static Optional<Path> mySql() {
        Path unpacked = unpackedServers().resolve("mysql/bin/mysqld");
        return Files.isExecutable(unpacked)
                ? Optional.of(unpacked)
                : onPath("mysqld").filter(Programs::isMySql);
    }

    private static boolean isMySql(Path server) {
        try {
            return server.toRealPath().getFileName().toString().equals("mysqld");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where servers are that were unpacked beside the system's. */
    private static Path unpackedServers() {
        String own = Objects.requireNonNullElse(System.getenv("TENON_TEST_SERVERS"), "");
        String cache = Objects.requireNonNullElse(System.getenv("XDG_CACHE_HOME"), "");
        if (!own.isEmpty()) {
            return Path.of(own);
        }
        return (cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache))
                .resolve("tenon/test-servers");
    }

    /** The folder with {@code initdb} and {@code postgres}, of the newest version of several. */
    static Optional<Path> postgresFolder() {
        Optional<Path> onPath = onPath("initdb").map(Path::toAbsolutePath).map(Path::getParent);
        if (onPath.isPresent() && Files.isExecutable(onPath.get().resolve("postgres"))) {
            return onPath;
        }
        if (!Files.isDirectory(POSTGRES_VERSIONS)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> versions = Files.newDirectoryStream(POSTGRES_VERSIONS, "[0-9]*")) {
            List<Path> found = new ArrayList<>();
            for (Path version : versions) {
                Path bin = version.resolve("bin");
                if (Files.isExecutable(bin.resolve("initdb")) && Files.isExecutable(bin.resolve("postgres"))) {
                    found.add(bin);
                }
            }
            return found.stream().max(Comparator.comparing(Programs::majorVersion));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int majorVersion(Path bin) {
        String version = Objects.requireNonNull(bin.getParent()).getFileName().toString();
        return Integer.parseInt(version.replaceAll("\\D.*", ""));
    }
}
