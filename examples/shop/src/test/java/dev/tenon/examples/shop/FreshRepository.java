package dev.tenon.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The modules of this build as Maven would install them, in a folder of the test's, under a version that no repository
 * has.
 */
final class FreshRepository {
    static final String VERSION = "0.1.0-fresh";

    private static final String BUILT = "0.1.0-SNAPSHOT";
    private static final Path ROOT = Path.of("../..");
    private static final Pattern ARTIFACT = Pattern.compile(
            "<artifactId>(tenon[\\w-]*)</artifactId>\\s*(<version>[^\\n]*\\s*<packaging>[^\\n]*\\s*)?<name>");

    private FreshRepository() {}

    /** Fills a folder with the modules on this class path, their parent and the BOM. */
    static void fill(Path repository) throws IOException {
        Map<Path, Path> built = new LinkedHashMap<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            Path target = path.getParent();
            boolean ours = target.endsWith("target") && Files.exists(target.resolveSibling("pom.xml"));
            if (ours && !path.endsWith("test-classes")) {
                built.put(target.getParent(), path);
            }
        }
        assertThat(built).hasSizeGreaterThan(5);
        for (Map.Entry<Path, Path> module : built.entrySet()) {
            Path folder = installPom(repository, module.getKey());
            Path jar = folder.resolve(folder.getParent().getFileName() + "-" + VERSION + ".jar");
            if (Files.isDirectory(module.getValue())) {
                pack(module.getValue(), jar);
            } else {
                Files.copy(module.getValue(), jar);
            }
        }
        installPom(repository, ROOT);
        installPom(repository, ROOT.resolve("bom"));
    }

    /** A file of a project that is to have what is in such a repository. */
    static String inVersion(String text) {
        assertThat(text).contains(BUILT);
        return text.replace(BUILT, VERSION);
    }

    private static Path installPom(Path repository, Path module) throws IOException {
        String pom = Files.readString(module.resolve("pom.xml"));
        Matcher artifact = ARTIFACT.matcher(pom);
        assertThat(artifact.find()).as("the name of %s", module).isTrue();
        String name = artifact.group(1);
        Path folder = Files.createDirectories(
                repository.resolve("dev/tenon").resolve(name).resolve(VERSION));
        Files.writeString(folder.resolve(name + "-" + VERSION + ".pom"), inVersion(pom));
        return folder;
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> paths = Files.walk(classes)) {
            List<Path> files = paths.filter(Files::isRegularFile).toList();
            for (Path each : files) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
    }
}
