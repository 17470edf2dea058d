package dev.tenon.testkit;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The classes of the build's own modules as they are now: jars named by what is in them. An archive of class-data
 * sharing has nothing from folders, and nothing from a jar that was made anew.
 */
final class FrozenModules {
    private static final String CLASSES = "classes";
    private static final String BUILT = File.separator + "target" + File.separator;
    private static final FileTime ALWAYS = FileTime.fromMillis(1_000_000_000_000L);

    private final Path folder;

    private FrozenModules(Path folder) {
        this.folder = folder;
    }

    /**
     * A class path with the same classes, where the folders of modules ({@code classes}) and their jars are frozen
     * ones.
     */
    static List<String> of(List<String> classPath, Path folder) {
        FrozenModules modules = new FrozenModules(folder);
        return classPath.stream().map(modules::frozen).toList();
    }

    private String frozen(String entry) {
        Path classes = classes(entry);
        try {
            List<Path> files = classes.endsWith(CLASSES) && Files.isDirectory(classes) ? files(classes) : List.of();
            return files.isEmpty() ? entry : jar(classes, files).toString();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot freeze " + classes, e);
        }
    }

    /** A module's own tests have the folder, those of others its jar: it is the same module. */
    private static Path classes(String entry) {
        Path path = Path.of(entry);
        return entry.endsWith(".jar") && entry.contains(BUILT) ? path.resolveSibling(CLASSES) : path;
    }

    private static List<Path> files(Path classes) throws IOException {
        try (Stream<Path> tree = Files.walk(classes)) {
            return tree.filter(path -> !path.equals(classes)).sorted().toList();
        }
    }

    private Path jar(Path classes, List<Path> files) throws IOException {
        Path jar = named(classes, files);
        if (!Files.exists(jar)) {
            Path fresh = fresh();
            try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(fresh));
                    ZipOutputStream zip = new ZipOutputStream(file)) {
                zip.setLevel(Deflater.NO_COMPRESSION);
                for (Path path : files) {
                    boolean directory = Files.isDirectory(path);
                    String name = classes.relativize(path).toString().replace(File.separatorChar, '/');
                    ZipEntry entry = new ZipEntry(directory ? name + "/" : name);
                    entry.setLastModifiedTime(ALWAYS);
                    zip.putNextEntry(entry);
                    if (!directory) {
                        Files.copy(path, zip);
                    }
                    zip.closeEntry();
                }
            }
            publish(fresh, jar);
        }
        return jar;
    }

    /** By the files, their sizes and times, as a build tool tells whether something has changed. */
    private Path named(Path module, List<Path> files) throws IOException {
        List<String> seen = new ArrayList<>();
        for (Path file : files) {
            BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
            seen.add(is.isDirectory() ? file.toString() : file + " " + is.size() + " " + is.lastModifiedTime());
        }
        UUID name = UUID.nameUUIDFromBytes(String.join("\n", seen).getBytes(StandardCharsets.UTF_8));
        String text = module.toString();
        int target = text.lastIndexOf(BUILT);
        Path shown = target < 0 ? module : Path.of(text.substring(0, target));
        return folder.resolve(shown.getFileName() + "-" + name + ".jar");
    }

    private Path fresh() {
        return folder.resolve(UUID.randomUUID() + ".new");
    }

    /** Two JVMs may do so at a time; the archive knows a jar by its size and time, so they make the same one. */
    private static void publish(Path fresh, Path jar) throws IOException {
        Files.setLastModifiedTime(fresh, ALWAYS);
        Files.move(fresh, jar, StandardCopyOption.ATOMIC_MOVE);
    }
}
