package dev.tenon.dist.notices;

import dev.tenon.dist.notices.LicensePolicy.Notice;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Writes {@code THIRD-PARTY.txt} and {@code licenses/}: each jar of the distribution with its license, what that
 * license asks for, and what the jar itself says of its authors (docs/adr/0058-supply-chain.md).
 */
final class ThirdPartyNotices {
    private static final Pattern NOTICE_FILE = Pattern.compile(
            "(?!META-INF/services/)(META-INF/|dev/tenon/|)(.*/)?([^/]*[-_.])?(licen[sc]es?|notices?|copying)([-_.][^/]*)?",
            Pattern.CASE_INSENSITIVE);

    private final LicensePolicy policy;
    private final Path texts;
    private final Path target;

    ThirdPartyNotices(Path folder, Path target) {
        this.policy = LicensePolicy.of(folder);
        this.texts = folder.resolve("licenses");
        this.target = target;
    }

    /**
     * @param arguments the bill of materials, the folder of {@code third-party.json}, and the one to write to; the jars
     *     are those on the class path
     */
    public static void main(String... arguments) throws IOException {
        Map<String, Path> jars = Arrays.stream(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().endsWith(".jar"))
                .collect(Collectors.toMap(path -> path.getFileName().toString(), Function.identity()));
        Path target = Path.of(arguments[2]);
        Path billOfMaterials = Path.of(arguments[0]);
        if (!Files.exists(billOfMaterials)) {
            throw new IllegalStateException(billOfMaterials
                    + " is missing: Maven skips the plugin that writes it when it is told to be offline (-o).");
        }
        Files.createDirectories(target);
        Files.copy(billOfMaterials, target.resolve("sbom.cdx.json"), StandardCopyOption.REPLACE_EXISTING);
        new ThirdPartyNotices(Path.of(arguments[1]), target).write(Component.of(billOfMaterials), jars);
    }

    /**
     * @param jars by file name
     * @throws IllegalStateException if a jar may not be in the distribution as it is, or is not among the jars
     */
    void write(List<Component> components, Map<String, Path> jars) throws IOException {
        StringBuilder list = new StringBuilder("""
                What others wrote, and is in this distribution
                ==============================================
                Each jar is in lib/ as its authors published it, under the license named here, of which the text is in licenses/.
                With several licenses, whoever uses the jar chooses. What a jar itself says of licenses and authors is
                in licenses/jars/ too. sbom.cdx.json has the same jars with their checksums, for programs.
                """);
        Set<String> needed = new TreeSet<>();
        List<Component> sorted =
                components.stream().sorted(Comparator.comparing(Component::jar)).toList();
        for (Component component : sorted) {
            Path jar = jars.get(component.jar());
            if (jar == null) {
                throw new IllegalStateException(
                        component.jar() + " is in the bill of materials and not on the class path.");
            }
            List<String> own = noticesIn(jar);
            if (component.isOurs() && own.isEmpty()) {
                continue;
            }
            Notice notice = policy.notice(component, !own.isEmpty());
            needed.addAll(notice.texts());
            list.append('\n').append(component.jar()).append('\n');
            list.append("  from: ").append(component.key()).append(':').append(component.version());
            list.append("\n  license: ").append(String.join(" or ", notice.licenses()));
            for (String text : notice.texts()) {
                list.append("\n  text: licenses/").append(text);
            }
            notice.lines().forEach(line -> list.append("\n  ").append(line));
            own.forEach(file -> list.append("\n  its own: ").append(file));
            list.append('\n');
        }
        if (!policy.unused().isEmpty()) {
            throw new IllegalStateException("Nothing needs these entries of third-party.json: " + policy.unused());
        }
        copyTexts(needed);
        Files.writeString(target.resolve("THIRD-PARTY.txt"), list);
    }

    private void copyTexts(Set<String> needed) throws IOException {
        Files.createDirectories(target.resolve("licenses"));
        for (String text : needed) {
            Files.writeString(target.resolve("licenses").resolve(text), Files.readString(texts.resolve(text)));
        }
        try (Stream<Path> files = Files.list(texts)) {
            List<Path> idle = files.filter(
                            file -> !needed.contains(file.getFileName().toString()))
                    .toList();
            if (!idle.isEmpty()) {
                throw new IllegalStateException("No jar is under " + idle);
            }
        }
    }

    /** Copies what a jar says of licenses and authors, and returns the files' paths in the distribution. */
    private List<String> noticesIn(Path jar) throws IOException {
        List<String> written = new ArrayList<>();
        String folder = "licenses/jars/" + jar.getFileName().toString().replaceAll("\\.jar$", "");
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            List<? extends ZipEntry> entries = zip.stream()
                    .filter(entry -> !entry.isDirectory() && isNotice(entry.getName()))
                    .sorted(Comparator.comparing(ZipEntry::getName))
                    .toList();
            for (ZipEntry entry : entries) {
                String path = folder + "/" + entry.getName().replaceFirst("^META-INF/", "");
                Path file = target.resolve(path).normalize();
                if (!file.startsWith(target.normalize())) {
                    throw new IllegalStateException(jar + " has an entry outside itself: " + entry.getName());
                }
                Files.createDirectories(file.getParent());
                Files.write(file, zip.getInputStream(entry).readAllBytes());
                written.add(path);
            }
        }
        return written;
    }

    static boolean isNotice(String entry) {
        return NOTICE_FILE.matcher(entry).matches() && !entry.endsWith(".class");
    }
}
