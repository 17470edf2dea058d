package dev.tenon.spring.everyboot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/**
 * What is said to be needed of a library is what is tested: the oldest on the line of Spring Boot before, the newest on
 * this one.
 */
class VersionsTest {
    private static final String FILE = "/dev/tenon/spring/libraries.properties";
    private static final String SPRING_BOOT = "org.springframework.boot:spring-boot";
    private static final Pattern JAR = Pattern.compile("-(\\d[^/]*)\\.jar");

    /** A line of the file. */
    private record Library(String anchor, String artifact, String oldest, String newest) {
        static Library read(Object line) {
            String[] parts = line.toString().split(", ");
            return new Library(parts[0], parts[1], parts[2], parts[3]);
        }

        String there() throws ClassNotFoundException {
            Matcher jar = JAR.matcher(Class.forName(anchor)
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toString());
            assertThat(jar.find()).as(anchor).isTrue();
            return jar.group(1);
        }
    }

    @Test
    void whatIsNeededIsWhatIsTested() throws Exception {
        Properties lines = new Properties();
        try (InputStream file = VersionsTest.class.getResourceAsStream(FILE)) {
            lines.load(file);
        }
        List<Library> libraries = lines.values().stream().map(Library::read).toList();
        boolean before = libraries.stream()
                .anyMatch(library ->
                        library.artifact.equals(SPRING_BOOT) && library.oldest.equals(SpringBootVersion.getVersion()));
        assertThat(libraries)
                .hasSizeGreaterThan(15)
                .filteredOn(library -> !library.artifact.startsWith("dev.tenon"))
                .allSatisfy(library -> {
                    String there = library.there();
                    if (library.newest.equals("-")) {
                        assertThat(Arrays.compare(numbers(there), numbers(library.oldest)))
                                .as("%s beside %s", there, library)
                                .isNotNegative();
                    } else {
                        assertThat(there).as(library.artifact).isEqualTo(before ? library.oldest : library.newest);
                    }
                });
    }

    private static int[] numbers(String version) {
        return Pattern.compile("\\d+")
                .matcher(version)
                .results()
                .mapToInt(number -> Integer.parseInt(number.group()))
                .toArray();
    }
}
