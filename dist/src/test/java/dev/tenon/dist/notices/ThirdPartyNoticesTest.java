package dev.tenon.dist.notices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.dist.ReleaseFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThirdPartyNoticesTest {
    private static final Path FOLDER = Path.of("src/main/third-party");

    @TempDir
    static Path unpacked;

    @TempDir
    Path target;

    private static Path home;
    private static Map<String, Path> jars;

    @BeforeAll
    static void unpack() throws Exception {
        home = ReleaseFiles.unpack(unpacked);
        jars = ReleaseFiles.jars(home);
    }

    /** What is said of each jar, by its file name. */
    private static Map<String, List<String>> listed() throws Exception {
        Map<String, List<String>> listed = new TreeMap<>();
        for (String paragraph :
                Files.readString(home.resolve("THIRD-PARTY.txt")).split("\n\n")) {
            List<String> lines = paragraph.lines().map(String::strip).toList();
            if (lines.get(0).endsWith(".jar")) {
                listed.put(lines.get(0), lines.subList(1, lines.size()));
            }
        }
        return listed;
    }

    @Test
    void everyJarOfOthersIsListedWithItsLicenseAndTheText() throws Exception {
        List<String> others =
                jars.keySet().stream().filter(jar -> !jar.startsWith("tenon-")).toList();
        assertThat(others).hasSizeGreaterThan(50);
        Map<String, List<String>> listed = listed();
        assertThat(listed).containsKeys(others.toArray(String[]::new));
        assertThat(jars).containsKeys(listed.keySet().toArray(String[]::new));
        listed.forEach((jar, lines) -> {
            assertThat(lines).as(jar).anyMatch(line -> line.matches("license: \\S.*"));
            assertThat(lines).as(jar).anyMatch(line -> line.startsWith("text: "));
            assertThat(lines)
                    .filteredOn(line -> line.matches("(text|its own): .*"))
                    .allSatisfy(line -> assertThat(home.resolve(line.replaceFirst(".*: ", "")))
                            .isNotEmptyFile());
        });
    }

    @Test
    void jarsWhoseSourcesMustBeHadSayWhereTheyAre() throws Exception {
        Map<String, List<String>> listed = listed();
        assertThat(listed.keySet())
                .anyMatch(jar -> jar.startsWith("mariadb-java-client-"))
                .anyMatch(jar -> jar.startsWith("logback-core-"));
        listed.forEach((jar, lines) -> {
            if (lines.stream().anyMatch(line -> line.matches("license: .*(GPL|EPL|MPL).*"))) {
                String version = jar.replaceAll(".*?-(\\d.*)\\.jar", "$1");
                assertThat(lines)
                        .as(jar)
                        .anyMatch(line ->
                                line.matches("sources: (https://|Maven Central, ).*") && line.contains(version));
            }
        });
    }

    @Test
    void theLibrariesInsideTheConsoleAreListed() throws Exception {
        List<String> console = listed().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("tenon-console-"))
                .flatMap(entry -> entry.getValue().stream())
                .filter(line -> line.startsWith("its own: "))
                .toList();
        assertThat(console).hasSize(1);
        assertThat(home.resolve(console.get(0).replaceFirst(".*: ", "")))
                .content()
                .contains("preact", "htm", "uplot");
    }

    @Test
    void theRunnableJarHasThemAndNotWhatWroteThem() throws Exception {
        try (ZipFile jar = new ZipFile(ReleaseFiles.JAR.toFile())) {
            assertThat(jar.getInputStream(jar.getEntry("META-INF/third-party/THIRD-PARTY.txt")))
                    .hasBinaryContent(Files.readAllBytes(home.resolve("THIRD-PARTY.txt")));
            assertThat(jar.getEntry("META-INF/third-party/licenses/LGPL-2.1.txt"))
                    .isNotNull();
            assertThat(jar.stream()).noneMatch(entry -> entry.getName().startsWith("dev/tenon/dist/notices/"));
        }
    }

    @Test
    void theBillOfMaterialsOfThisBuildIsWritten() throws Exception {
        write(UnaryOperator.identity());
        assertThat(target.resolve("THIRD-PARTY.txt")).hasSameTextualContentAs(home.resolve("THIRD-PARTY.txt"));
    }

    @ParameterizedTest
    @CsvSource({
        "guava, SSPL-1.0, does not accept",
        "guava, 'A license of our own', does not accept",
        "guava, '', names no license",
        "guava, EPL-2.0, asks for its sources",
        "error_prone_annotations, MIT, asks for its copyrights",
    })
    void aJarWhoseLicenseIsNotAcceptedOrNotKeptFailsTheBuild(String name, String license, String message) {
        assertThatThrownBy(
                        () -> write(component -> component.name().equals(name) ? under(component, license) : component))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(name + "-")
                .hasMessageContaining(message);
    }

    @Test
    void anEntryThatNoJarNeedsFailsTheBuild() {
        assertThatThrownBy(() ->
                        write(component -> component.name().equals("h2") ? under(component, "Apache-2.0") : component))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sources: com.h2database:h2");
    }

    private static Component under(Component component, String license) {
        return new Component(
                component.group(),
                component.name(),
                component.version(),
                Stream.of(license).filter(text -> !text.isEmpty()).toList());
    }

    private void write(UnaryOperator<Component> changed) throws Exception {
        List<Component> components = new ArrayList<>(Component.of(ReleaseFiles.SBOM));
        components.replaceAll(changed);
        new ThirdPartyNotices(FOLDER, target).write(components, jars);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "META-INF/LICENSE",
                "META-INF/NOTICE.txt",
                "META-INF/license/LICENSE.boringssl.txt",
                "META-INF/FastDoubleParser-LICENSE",
                "COPYING",
                "dev/tenon/console/vendor/LICENSES.txt"
            })
    void knowsWhatSaysSomethingOfLicenses(String entry) {
        assertThat(ThirdPartyNotices.isNotice(entry)).isTrue();
        assertThat(Arrays.asList("META-INF/MANIFEST.MF", "a/License.class", "META-INF/services/a.Notices"))
                .noneMatch(ThirdPartyNotices::isNotice);
    }
}
