package dev.tenon.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The CycloneDX document in and beside the archive. */
class BillOfMaterialsTest {
    @TempDir
    static Path folder;

    private static Path home;

    @BeforeAll
    static void unpack() throws Exception {
        home = ReleaseFiles.unpack(folder);
    }

    @Test
    void itHasTheJarsOfTheArchiveAndNoOthersByTheirChecksums() throws Exception {
        Map<String, String> jars = new TreeMap<>();
        ReleaseFiles.jars(home).forEach((name, jar) -> jars.put(name, ReleaseFiles.sha256(jar)));
        Map<String, String> listed = new TreeMap<>();
        JsonNode document = new ObjectMapper().readTree(ReleaseFiles.SBOM.toFile());
        for (JsonNode component : document.path("components")) {
            String version = component.path("version").asString();
            String jar = component.path("name").asString() + "-" + version + ".jar";
            assertThat(component.path("purl").asString())
                    .startsWith("pkg:maven/")
                    .contains("@" + version);
            for (JsonNode hash : component.path("hashes")) {
                if (hash.path("alg").asString().equals("SHA-256")) {
                    assertThat(listed.put(jar, hash.path("content").asString()))
                            .as(jar)
                            .isNull();
                }
            }
        }
        assertThat(document.path("bomFormat").asString()).isEqualTo("CycloneDX");
        assertThat(jars).hasSizeGreaterThan(50);
        assertThat(listed).isEqualTo(jars);
    }

    @Test
    void itIsTheSameBesideTheArchiveInItAndInTheRunnableJar() throws Exception {
        assertThat(home.resolve("sbom.cdx.json")).hasSameBinaryContentAs(ReleaseFiles.SBOM);
        try (ZipFile jar = new ZipFile(ReleaseFiles.JAR.toFile())) {
            assertThat(jar.getInputStream(jar.getEntry("META-INF/third-party/sbom.cdx.json")))
                    .hasSameContentAs(Files.newInputStream(ReleaseFiles.SBOM));
        }
    }
}
