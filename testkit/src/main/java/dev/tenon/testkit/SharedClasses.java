package dev.tenon.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The classes of the JVMs that a build's tests start again and again, read and verified once: an archive of the JVM's
 * class-data sharing (JEP 310), without which loading them is half of what the start of a server costs.
 *
 * <p>The first {@value #ENOUGH} JVMs of a main class write down what they load; the first start once one of them has
 * written all makes the archive, which is used from then on. It serves every JVM whose class path begins with the jars
 * of these classes; so they come first there, those of Tenon's own modules as they are now ({@link FrozenModules}). A
 * server with peers loads a lot that others do not, and has an archive of its own. Where the system property
 * {@value #FOLDER} names no folder for it, and wherever it can't be made, JVMs start as they always do. Thread-safe.
 */
final class SharedClasses {
    private static final String FOLDER = "tenon.test.classes";
    private static final String JARS = ".jars";
    private static final String LOADED = ".loaded";
    private static final String SOURCES = ".sources";
    private static final String SOURCE = "source: file:";
    private static final String STARTS = ".starts";
    private static final String ARCHIVE = ".jsa";
    private static final int ENOUGH = 3;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** A JVM that has loaded nothing for so long has started. */
    private static final Duration QUIET = Duration.ofSeconds(2);

    private static final String PEERS = "--peers";

    /** The class path of this JVM; to look at all files of the modules takes longer than to start a JVM. */
    private static final Once<List<String>> FROZEN = new Once<>(() -> frozen(Path.of(System.getProperty(FOLDER))));

    private final Path folder;
    private final String kind;
    private final List<String> classPath;

    private SharedClasses(Path folder, String kind, List<String> classPath) {
        this.folder = folder;
        this.kind = kind;
        this.classPath = classPath;
    }

    /**
     * The options for a JVM with the class path of this one, and that class path.
     *
     * @param arguments what its main class is given
     */
    static List<String> optionsFor(String main, List<String> arguments) {
        String folder = System.getProperty(FOLDER);
        if (folder == null) {
            return List.of("-cp", System.getProperty("java.class.path"));
        }
        String kind = arguments.contains(PEERS) ? main + "+peers" : main;
        return optionsFor(kind, Path.of(folder), FROZEN.value());
    }

    /** As {@link #optionsFor(String, List)}, with another class path. */
    static List<String> optionsFor(String main, String classPath) {
        String folder = System.getProperty(FOLDER);
        return folder == null
                ? List.of("-cp", classPath)
                : optionsFor(main, Path.of(folder), frozen(classPath, Path.of(folder)));
    }

    static List<String> optionsFor(String kind, Path folder, List<String> classPath) {
        try {
            return new SharedClasses(Files.createDirectories(folder), kind, classPath).options();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep an archive of classes in " + folder, e);
        }
    }

    /** The class path of this JVM, as it is now. */
    static List<String> frozen(Path folder) {
        return frozen(System.getProperty("java.class.path"), folder);
    }

    private static List<String> frozen(String classPath, Path folder) {
        try {
            return FrozenModules.of(List.of(classPath.split(File.pathSeparator)), Files.createDirectories(folder));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep classes in " + folder, e);
        }
    }

    private List<String> options() throws IOException {
        Optional<Path> known = known();
        if (known.isEmpty()) {
            Path jars = folder.resolve(kind + "-" + ProcessHandle.current().pid() + JARS);
            Files.write(jars, jars());
            return recorded(jars, 0);
        }
        Path jars = known.get();
        Path archive = beside(jars, ARCHIVE);
        if (Files.exists(archive)) {
            return archived(jars, archive);
        }
        long starts = started(jars);
        if (starts < ENOUGH) {
            return recorded(jars, starts);
        }
        OptionalInt start = longest(jars);
        if (start.isPresent() && isFirst(jars)) {
            make(jars, archive, start.getAsInt());
        }
        return Files.exists(archive) ? archived(jars, archive) : options(jars);
    }

    private List<String> recorded(Path jars, long start) throws IOException {
        return options(
                jars,
                "-XX:DumpLoadedClassList=" + beside(jars, LOADED + start),
                "-Xlog:class+load:file=" + beside(jars, SOURCES + start));
    }

    private List<String> archived(Path jars, Path archive) throws IOException {
        return options(jars, "-XX:SharedArchiveFile=" + archive, "-Xlog:disable");
    }

    /** The list of the jars of an archive of this kind that are all on the class path. */
    private Optional<Path> known() throws IOException {
        Set<String> mine = new HashSet<>(classPath);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith(kind + "-") && name.endsWith(JARS) && mine.containsAll(Files.readAllLines(file))) {
                    return Optional.of(file);
                }
            }
        }
        return Optional.empty();
    }

    private List<String> jars() {
        return classPath.stream().filter(entry -> entry.endsWith(".jar")).toList();
    }

    private List<String> options(Path jars, String... more) throws IOException {
        Set<String> ordered = new LinkedHashSet<>(Files.readAllLines(jars));
        ordered.addAll(classPath);
        List<String> options = new ArrayList<>(List.of(more));
        options.addAll(List.of("-cp", String.join(File.pathSeparator, ordered)));
        return options;
    }

    /** How many there were after the first. */
    private long started(Path jars) throws IOException {
        Path starts = beside(jars, STARTS);
        Files.writeString(starts, ".", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return Files.size(starts);
    }

    private boolean isFirst(Path jars) throws IOException {
        try {
            Files.createFile(beside(jars, ".made"));
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /**
     * The start that wrote down most: others may have been killed at once, or refused to start. None that still writes:
     * three servers of a cluster that have just been started have written down next to nothing.
     */
    private OptionalInt longest(Path jars) throws IOException {
        OptionalInt longest = OptionalInt.empty();
        long most = 0;
        Instant quietSince = Instant.now().minus(QUIET);
        for (int start = 0; start < ENOUGH; start++) {
            Path loaded = beside(jars, LOADED + start);
            if (!Files.exists(loaded) || !Files.exists(beside(jars, SOURCES + start))) {
                continue;
            }
            boolean writes = Files.getLastModifiedTime(loaded).toInstant().isAfter(quietSince);
            if (!writes && Files.size(loaded) > most) {
                longest = OptionalInt.of(start);
                most = Files.size(loaded);
            }
        }
        return longest;
    }

    private void make(Path jars, Path archive, int start) throws IOException {
        Path loaded = beside(jars, LOADED + start);
        // Whoever wrote it may have been killed in the midst of its last line.
        List<String> whole = Files.readAllLines(loaded);
        Path classes = Files.write(beside(jars, ".list"), whole.subList(0, Math.max(0, whole.size() - 1)));
        Path made = beside(jars, ".new");
        // Without those that only this module's tests have, so that it serves the servers of other modules' tests too.
        Set<String> sources = sources(beside(jars, SOURCES + start));
        List<String> needed =
                Files.readAllLines(jars).stream().filter(sources::contains).toList();
        if (needed.isEmpty()) {
            return;
        }
        String path = String.join(File.pathSeparator, needed);
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:dump",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:SharedClassListFile=" + classes,
                "-XX:SharedArchiveFile=" + made,
                "-Xlog:disable",
                "-cp",
                path);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD);
        ChildProcess child =
                ChildProcess.start(Guard.ofThisJvm().newFolder("classes"), ChildProcess.Reach.ALONE, builder);
        if (!child.waitFor(LIMIT)) {
            child.kill();
        } else if (child.process().exitValue() == 0 && Files.exists(made)) {
            Path list = Files.write(beside(jars, ".needed"), needed);
            Files.move(list, jars, StandardCopyOption.ATOMIC_MOVE);
            Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** The jars that classes were loaded from, by the log of a JVM. */
    private static Set<String> sources(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains(SOURCE))
                    .map(line -> line.substring(line.indexOf(SOURCE) + SOURCE.length()))
                    .collect(Collectors.toSet());
        }
    }

    private Path beside(Path jars, String ending) {
        String name = jars.getFileName().toString();
        return folder.resolve(name.substring(0, name.length() - JARS.length()) + ending);
    }
}
