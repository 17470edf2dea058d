package dev.tenon.spring;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A library that a backend stands on.
 *
 * @param classes what the names of its classes begin with
 * @param anchor a class that each version of it has
 * @param group the group of its artifact
 * @param artifact its artifact
 * @param oldest the oldest version that is tested
 * @param newest the newest version that is tested; empty if newer ones do
 */
record KnownLibrary(
        String classes, String anchor, String group, String artifact, String oldest, Optional<String> newest) {
    /** Which there are, and the versions that the build is of. */
    static final String FILE = "libraries.properties";

    /** {@code …/lettuce-core-6.6.0.RELEASE.jar}, and the same in a jar of jars. */
    private static final Pattern JAR = Pattern.compile("([^/!]+?)(?:-(\\d[^/!]*))?\\.jar!?/");

    private static final int PARTS = 4;

    /**
     * Where a library was found.
     *
     * @param jar the name of the file
     * @param version by the file's name; empty if that does not say
     */
    record Found(String jar, String version) {}

    /** The library that a class is of. */
    static Optional<KnownLibrary> of(String type) {
        return all().stream()
                .filter(library -> type.startsWith(library.classes + "."))
                .max(Comparator.comparingInt(library -> library.classes.length()));
    }

    /** Every jar on the class path that has it: more than one is a conflict, too. */
    List<Found> find(ClassLoader loader) {
        try {
            return Collections.list(loader.getResources(anchor.replace('.', '/') + ".class")).stream()
                    .map(this::found)
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** What is needed of it, in words. */
    String needed() {
        if (newest.isEmpty()) {
            return oldest + " or newer";
        }
        return newest.get().equals(oldest) ? oldest : oldest + " to " + newest.get() + " (those are tested)";
    }

    private Found found(URL url) {
        Matcher jar = JAR.matcher(url.toString());
        String name = "";
        String version = "";
        while (jar.find()) { // the innermost one
            name = jar.group(1);
            version = jar.group(2) == null ? "" : jar.group(2);
        }
        if (name.isEmpty()) {
            return new Found(url.toString(), version);
        }
        return new Found(name + (version.isEmpty() ? "" : "-" + version) + ".jar", version);
    }

    /** Read when something is wrong only. */
    private static List<KnownLibrary> all() {
        Properties lines = new Properties();
        try (InputStream file = KnownLibrary.class.getResourceAsStream(FILE)) {
            if (file != null) { // not in a native image, whose classes fit
                lines.load(file);
            }
        } catch (IOException e) {
            return List.of();
        }
        return lines.stringPropertyNames().stream()
                .map(classes -> read(classes, lines.getProperty(classes)))
                .toList();
    }

    private static KnownLibrary read(String classes, String line) {
        String[] parts = line.split("\\s*,\\s*");
        if (parts.length != PARTS) {
            throw new IllegalStateException(FILE + ": " + classes);
        }
        String[] artifact = parts[1].split(":");
        Optional<String> newest = Optional.of(parts[3]).filter(version -> !version.equals("-"));
        return new KnownLibrary(classes, parts[0], artifact[0], artifact[1], parts[2], newest);
    }
}
