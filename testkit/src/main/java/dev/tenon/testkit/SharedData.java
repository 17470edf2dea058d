package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The data folders of database servers as they are before the first start, made once a build and copied for each
 * server: to make one takes a database ten times as long.
 *
 * <p>One serves the same program as it is now (by its file's size and time), with the same options and user. It is put
 * in its place whole, by whoever is first; JVMs that come at the same time each make their own. Where the system
 * property {@value #FOLDER} names no folder for them, each server makes its own, too. Thread-safe.
 */
final class SharedData {
    private static final String FOLDER = "tenon.test.data";

    private final String shared;

    private SharedData(String shared) {
        this.shared = shared;
    }

    /** Those of this build. */
    static SharedData ofThisBuild() {
        return new SharedData(System.getProperty(FOLDER, ""));
    }

    /** Those in a folder, which need not be there yet. */
    static SharedData in(Path folder) {
        return new SharedData(folder.toString());
    }

    /**
     * Makes a server's data folder.
     *
     * @param folder the server's, for its log
     * @param data the data folder; not there, or empty
     * @param program the server
     * @param options what else decides how it looks
     * @param make makes it
     */
    void provide(Path folder, Path data, Path program, List<String> options, Runnable make) {
        if (shared.isEmpty()) {
            make.run();
            return;
        }
        try {
            Path template = Files.createDirectories(Path.of(shared)).resolve(named(program, options));
            if (Files.isDirectory(template)) {
                Files.deleteIfExists(data);
                copy(folder, template, data);
                return;
            }
            make.run();
            Path fresh = template.resolveSibling(UUID.randomUUID() + ".new");
            copy(folder, data, fresh);
            publish(fresh, template);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep data folders in " + shared, e);
        }
    }

    private static String named(Path program, List<String> options) throws IOException {
        Path real = program.toRealPath();
        BasicFileAttributes is = Files.readAttributes(real, BasicFileAttributes.class);
        List<String> all = new ArrayList<>(List.of(real.toString(), is.size() + " " + is.lastModifiedTime()));
        all.add(System.getProperty("user.name"));
        all.addAll(options);
        UUID name = UUID.nameUUIDFromBytes(String.join("\n", all).getBytes(StandardCharsets.UTF_8));
        return program.getFileName() + "-" + name;
    }

    /**
     * With owners, as a server may run as another user, and without the copying of bytes where the file system can do
     * so.
     */
    private static void copy(Path folder, Path from, Path to) {
        LocalHost.run(folder, List.of("cp", "-Rp", from.toString(), to.toString()));
    }

    private static void publish(Path fresh, Path template) throws IOException {
        try {
            Files.move(fresh, template, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            ServerData.delete(fresh);
            if (!Files.isDirectory(template)) { // else another JVM was first
                throw e;
            }
        }
    }
}
