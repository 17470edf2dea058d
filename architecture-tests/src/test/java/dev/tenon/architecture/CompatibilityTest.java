package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The page of versions has a row for each server that {@code scripts/compatibility} runs the tests against, and for no
 * other.
 */
class CompatibilityTest {
    private static final String PAGE = Repository.read(Repository.ROOT.resolve("docs/compatibility.md"));
    private static final String SCRIPT = Repository.read(Repository.ROOT.resolve("scripts/compatibility"));
    private static final Pattern ROW =
            Pattern.compile("^\\| `([\\w-]+)` \\| ([^|]+) \\| ([^|]+) \\|(.*)\\|$", Pattern.MULTILINE);
    private static final Pattern RESULT =
            Pattern.compile(" \\d+ \\| \\d+ \\| \\d{4}-\\d{2}-\\d{2} | – \\| – \\| not run yet ");
    /** Name, server, what is unpacked, module, word, test that is left out. */
    private static final Pattern TARGET = Pattern.compile(
            "^(\\S+-(?:stable|newest)) +(\\S+) +(\\S+) +(\\S+/\\S+) +(\\S+) +(\\S+)$", Pattern.MULTILINE);

    @Test
    void theTableHasARowForEachServerOfTheScript() throws Exception {
        assertThat(rows().stream().map(row -> row.group(1)).toList())
                .isEqualTo(printed("scripts/compatibility", "--list"));
    }

    @Test
    void aRowNamesServerAndModuleAndSaysWhatCameOut() {
        for (MatchResult row : rows()) {
            assertThat(row.group(4)).as(row.group(1)).matches(RESULT);
            targets().stream()
                    .filter(target -> target.group(1).equals(row.group(1)))
                    .forEach(target -> {
                        assertThat(row.group(2)).startsWith(target.group(2) + " ");
                        assertThat(row.group(3)).contains(target.group(4));
                        assertThat(row.group(3).contains("without `" + target.group(6) + "`"))
                                .as(row.group(3))
                                .isEqualTo(!target.group(6).equals("-"));
                    });
        }
    }

    @Test
    void whatTheScriptUnpacksAndRunsIsThere() throws Exception {
        List<String> unpacked = printed("scripts/unpack-server", "--list");
        assertThat(targets()).hasSizeGreaterThan(10).allSatisfy(target -> {
            assertThat(target.group(3)).isIn(with("-", unpacked));
            assertThat(Repository.ROOT.resolve(target.group(4)).resolve("src/test/java"))
                    .isDirectory();
        });
    }

    private static List<MatchResult> rows() {
        String table = PAGE.substring(PAGE.indexOf("<!-- servers:begin -->"), PAGE.indexOf("<!-- servers:end -->"));
        return ROW.matcher(table).results().toList();
    }

    private static List<MatchResult> targets() {
        return TARGET.matcher(SCRIPT).results().toList();
    }

    private static List<String> with(String one, List<String> others) {
        return Stream.concat(Stream.of(one), others.stream()).toList();
    }

    private static List<String> printed(String script, String option) throws IOException, InterruptedException {
        Path root = Repository.ROOT.toAbsolutePath();
        Process process = new ProcessBuilder(root.resolve(script).toString(), option)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }
}
