package dev.tenon.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files that this build has made. */
public final class ReleaseFiles {
    public static final Path ARCHIVE = Path.of(System.getProperty("tenon.archive"));
    public static final Path JAR = Path.of(System.getProperty("tenon.jar"));
    public static final Path SBOM = Path.of(System.getProperty("tenon.sbom"));

    private ReleaseFiles() {}

    /** Unpacks the archive into the folder and returns the one folder that is in it. */
    public static Path unpack(Path folder) throws IOException, InterruptedException {
        Process tar = new ProcessBuilder("tar", "-xzf", ARCHIVE.toString(), "-C", folder.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tar.waitFor()).as(output).isZero();
        try (Stream<Path> inside = Files.list(folder)) {
            return inside.toList().get(0);
        }
    }

    /** The jars of {@code lib/}, by file name. */
    public static Map<String, Path> jars(Path home) throws IOException {
        try (Stream<Path> files = Files.list(home.resolve("lib"))) {
            return files.collect(Collectors.toMap(file -> file.getFileName().toString(), Function.identity()));
        }
    }

    public static String sha256(Path file) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
