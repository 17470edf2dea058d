package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Source;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KotlinRulesTest {
    @Test
    void sourcesKeepTheRules() {
        List<Source> sources = Repository.modules().stream()
                .flatMap(module -> module.kotlinSources().stream())
                .toList();
        assertThat(sources)
                .extracting(Source::file)
                .contains("adapters/kotlin/src/main/kotlin/dev/tenon/kotlin/SuspendingLocks.kt")
                .anyMatch(file -> file.contains("src/test/kotlin"));
        assertThat(sources.stream().flatMap(source -> KotlinRules.violations(source).stream()))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "public fun a() {}",
                "@JvmName(\"b\")\npublic fun a() {}",
                "fun a() = Thread.sleep(5)",
                "suspend fun a() {\n    delay(5)\n}",
                "// TODO later",
                "fun a() = run(Thread::sleep)",
                "import org.junit.jupiter.api.Disabled",
                "import org.junit.jupiter.api.condition.EnabledOnOs",
                "    @Disabled fun a() {}",
                "    @org.junit.jupiter.api.condition.DisabledOnOs(OS.LINUX)",
                "    assumeTrue(false)"
            })
    void findsWhatIsWrong(String text) {
        assertThat(violations(text)).hasSize(1);
    }

    @Test
    void findsWhatIsTooLong() {
        assertThat(violations("x\n".repeat(401))).hasSize(1);
        assertThat(violations("fun a() {\n" + "    x\n".repeat(58) + "}\nfun b() {}\n"))
                .isEmpty();
        assertThat(violations("fun a() {\n" + "    x\n".repeat(59) + "}\nfun b() {}\n"))
                .hasSize(1);
        assertThat(violations("class A {\n    private suspend fun a(\n        b: Int,\n    ) {\n"
                        + "        x\n".repeat(60)
                        + "    }\n}\n"))
                .hasSize(1);
    }

    @Test
    void findsNothingWrong() {
        assertThat(violations(
                        "/** Says what. */\n@JvmName(\"b\")\npublic fun a() {}\n\nprivate val lockDelay = delays(3)\n"))
                .isEmpty();
    }

    private static List<String> violations(String text) {
        return KotlinRules.violations(new Source("adapters/kotlin", "X.kt", text));
    }
}
