package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Closure.Jar;
import dev.tenon.architecture.Repository.Module;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users run with Tenon: finished versions, one of each library (docs/adr/0058-supply-chain.md). */
class ClosureTest {
    private static final Set<String> DRIVERS = Set.of("h2", "mariadb-java-client", "mysql-connector-j", "postgresql");

    static Stream<Module> modules() {
        return Closure.modules().stream();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void standsOnFinishedVersions(Module module) {
        assertThat(Closure.previews(Closure.of(module))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void hasALibraryOnce(Module module) {
        assertThat(Closure.doubles(Closure.of(module))).isEmpty();
    }

    @Test
    void theServersDistributionIsAmongThem() {
        assertThat(modules()).extracting(Module::path).contains("dist", "backends/redis", "spring", "core");
        Module dist = new Module("dist");
        assertThat(Closure.of(dist)).extracting(Jar::name).contains("lettuce-core", "vertx-core", "jackson-core");
    }

    @ParameterizedTest
    @MethodSource("modules")
    void bringsDriversWithTheServerAlone(Module module) {
        assertThat(Closure.of(module))
                .extracting(Jar::name)
                .filteredOn(DRIVERS::contains)
                .isSubsetOf(
                        List.of("server", "dist").contains(module.path())
                                ? List.of("h2", "mariadb-java-client", "postgresql")
                                : List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.1.1-beta2",
                "2.0.0-alpha",
                "1.0-M1",
                "1.0.0-RC1",
                "5.0.0.Beta1",
                "4.0.0.CR2",
                "1-SNAPSHOT",
                "7.0.0-rc.3"
            })
    void findsAVersionThatIsNotFinished(String version) {
        assertThat(Closure.previews(List.of(new Jar("g", "n", version)))).containsExactly("g:n:" + version);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0",
                "33.6.0-jre",
                "4.2.17.Final",
                "7.7.0.RELEASE",
                "9999.0-empty-to-avoid-conflict-with-guava",
                "2.4.240"
            })
    void letsAFinishedVersionThrough(String version) {
        assertThat(Closure.previews(List.of(new Jar("g", "n", version)))).isEmpty();
    }

    @Test
    void findsALibraryThatIsThereTwice() {
        List<Jar> jars = Closure.of("""
                dev.tenon:tenon-server:jar:0.1.0-SNAPSHOT
                +- dev.tenon:tenon-id:jar:0.1.0-SNAPSHOT:compile
                +- io.vertx:vertx-core:jar:5.0.7:compile
                |  \\- com.fasterxml.jackson.core:jackson-core:jar:2.18.2:compile
                +- tools.jackson.core:jackson-core:jar:3.1.8:runtime
                \\- org.postgresql:postgresql:jar:42.7.14:compile (optional)
                """);
        assertThat(jars).extracting(Jar::name).containsExactly("vertx-core", "jackson-core", "jackson-core");
        assertThat(Closure.doubles(jars))
                .containsExactly(
                        "com.fasterxml.jackson.core:jackson-core:2.18.2 and tools.jackson.core:jackson-core:3.1.8");
    }
}
