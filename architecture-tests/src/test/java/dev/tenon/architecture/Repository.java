package dev.tenon.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What is checked: the modules that the root POM names, and the files under the root. */
final class Repository {
    private static final Set<String> NOT_OURS = Set.of("target", ".git", "node_modules", "tenon-data");

    /** The folder of the root POM. */
    static final Path ROOT = Path.of(System.getProperty("tenon.repository.root", ".."))
            .toAbsolutePath()
            .normalize();

    private Repository() {}

    /**
     * A module.
     *
     * @param path as in the root POM, such as {@code capabilities/ring}
     */
    record Module(String path) {
        Path dir() {
            return ROOT.resolve(path);
        }

        Path classes() {
            return dir().resolve("target/classes");
        }

        /** The last part of the path: {@code ring}. */
        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        List<Source> mainSources() {
            return sources("src/main/java");
        }

        List<Source> testSources() {
            return sources("src/test/java");
        }

        /** Those in Kotlin, which are held to {@link KotlinRules}. */
        List<Source> kotlinSources() {
            return Stream.concat(sources("src/main/kotlin", ".kt").stream(), sources("src/test/kotlin", ".kt").stream())
                    .toList();
        }

        private List<Source> sources(String folder) {
            return sources(folder, ".java");
        }

        private List<Source> sources(String folder, String suffix) {
            return files(dir().resolve(folder), suffix).stream()
                    .map(file -> new Source(path, ROOT.relativize(file).toString(), read(file)))
                    .toList();
        }
    }

    /**
     * A source file.
     *
     * @param module its module's path
     * @param file its own path from the root
     */
    record Source(String module, String file, String text) {}

    static List<Module> modules() {
        List<Module> modules = new ArrayList<>();
        NodeList nodes = xml(ROOT.resolve("pom.xml")).getElementsByTagName("module");
        for (int i = 0; i < nodes.getLength(); i++) {
            modules.add(new Module(nodes.item(i).getTextContent().strip()));
        }
        return modules;
    }

    /** Modules that users put on their class path, and whose API is under review. */
    static List<Module> published() {
        return modules().stream()
                .filter(module -> module.path().equals("core")
                        || module.path().equals("testkit")
                        || module.path().equals("client")
                        || module.path().equals("spring")
                        || module.path().startsWith("capabilities/")
                        || module.path().startsWith("participants/")
                        || module.path().startsWith("backends/")
                        || module.path().startsWith("brokers/")
                        || module.path().startsWith("adapters/"))
                .toList();
    }

    /** Modules that have stores: the backends, and the client, which is one. */
    static List<Module> backends() {
        return modules().stream()
                .filter(module ->
                        module.path().startsWith("backends/") || module.path().equals("client"))
                .toList();
    }

    static List<Path> markdown() {
        return files(ROOT, ".md");
    }

    static List<Path> files(Path folder, String suffix) {
        List<Path> found = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return found;
        }
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                    boolean skipped = !dir.equals(folder)
                            && NOT_OURS.contains(dir.getFileName().toString());
                    return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (file.getFileName().toString().endsWith(suffix)) {
                        found.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(null);
        return found;
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Document xml(Path file) {
        try {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        } catch (Exception e) {
            throw new IllegalStateException("Can't read " + file, e);
        }
    }

    /** The text of the first element of that name; fails if there is none. */
    static String text(Document document, String element) {
        NodeList found = document.getElementsByTagName(element);
        if (found.getLength() == 0) {
            throw new IllegalStateException("No <" + element + "> in " + document.getDocumentURI());
        }
        return ((Element) found.item(0)).getTextContent().strip();
    }
}
