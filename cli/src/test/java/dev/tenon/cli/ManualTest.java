package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** What the build makes of the commands: manual pages, completion, and the page of docs that shows every usage. */
class ManualTest {
    private static final Path USAGES = Path.of("..", "docs", "cli-usage.md");

    @TempDir
    private Path folder;

    @Test
    void everyCommandHasAManualPageThatTheFormatterTakes() throws Exception {
        List<String> command = new ArrayList<>(List.of("groff", "-man", "-ww", "-Tutf8", "-z"));
        List<String> names = new ArrayList<>();
        for (CommandLine each : all()) {
            String name = each.getCommandSpec().qualifiedName(" ").replaceFirst("^tenon ?", "");
            names.add(name);
            String page = page(name);
            assertThat(page).as(name).contains(".SH \"NAME\"", ".SH \"SYNOPSIS\"", ".SH \"SEE ALSO\"");
            Path file = Files.writeString(folder.resolve("tenon " + name + ".1"), page);
            command.add(file.toString());
        }
        assertThat(names).contains("", "server", "id next", "lock run", "bench lock");
        Shell formatted = Shell.run(folder, Map.of(), command);
        assertThat(formatted.exitCode()).as(formatted.err()).isZero();
        assertThat(formatted.err()).isEmpty();
    }

    @Test
    void aManualPageSaysWhatTheHelpSays() throws Exception {
        Path file = Files.writeString(folder.resolve("page.1"), page("lock run"));
        Shell shown = Shell.run(
                folder, Map.of(), List.of("groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", file.toString()));
        assertThat(shown.out())
                .contains("TENON-LOCK-RUN(1)")
                .contains("tenon-lock-run - Runs CMD while holding a lock")
                .contains("--wait=D")
                .contains("TENON_FENCING_TOKEN")
                .containsPattern("127 +CMD not found")
                .contains("tenon-lock(1)");
        assertThat(page("server")).contains("\\fB\\-\\-store\\fR=\\fIURI\\fR");
        assertThat(page("")).contains("\\fBtenon\\-server\\fR(1)", "\\fBtenon\\-bench\\fR(1)");
    }

    @Test
    void theLanguageOfTheMachineChangesNothing() throws Exception {
        Locale machine = Locale.getDefault();
        Locale turkish = Locale.forLanguageTag("tr-TR");
        Locale.setDefault(turkish);
        try {
            Manual.main(new String[] {folder.toString(), "2026-11-21T00:00:00Z"});
            assertThat(Locale.getDefault()).isEqualTo(turkish);
        } finally {
            Locale.setDefault(machine);
        }
        for (String page : List.of("server", "id define")) {
            String synopsis = page(page)
                    .lines()
                    .filter(line -> line.startsWith("\\fBtenon "))
                    .findFirst()
                    .orElseThrow();
            assertThat(folder.resolve("dev/tenon/cli").resolve(Manual.page(page.replace(' ', '-'))))
                    .content()
                    .contains(synopsis);
        }
    }

    @Test
    void aPageThatIsNotThereIsRefused() {
        for (String words : List.of("nonsense", "../../x", "id frob")) {
            List<String> all = new ArrayList<>(List.of("man"));
            all.addAll(List.of(words.split(" ")));
            CliRun run = CliRun.of(all.toArray(new String[0]));
            assertThat(run.exitCode()).as(words).isEqualTo(ExitCode.USAGE.code());
            assertThat(run.err()).contains(words);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "tenon lo, lock",
        "tenon i, id",
        "tenon se, server",
        "tenon lock r, 'revoke run'",
        "tenon lock run x --wa, --wait",
        "tenon id define x --kind sn, snowflake",
        "tenon server --po, --port",
        "tenon bench lock --lo, --locks",
        "tenon completion z, zsh",
    })
    void bashCompletes(String words, String expected) throws Exception {
        Path file = Files.writeString(
                folder.resolve("completion"), CliRun.of("completion", "bash").out());
        String program = "set -u; source \"$1\"; COMP_LINE=$2; COMP_POINT=${#2}; read -ra COMP_WORDS <<<\"$2\"; "
                + "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); complete -p tenon >&2; _complete_tenon; "
                + "printf '%s\\n' \"${COMPREPLY[@]}\" | sort | xargs";
        Shell completed = Shell.run(folder, Map.of(), List.of("bash", "-c", program, "bash", file.toString(), words));
        assertThat(completed.exitCode()).as(completed.err()).isZero();
        assertThat(completed.err()).contains("-F _complete_tenon tenon");
        assertThat(completed.out().strip()).isEqualTo(expected);
    }

    @Test
    void zshHasTheSameScriptAndNoOtherShellHasOne() {
        CliRun zsh = CliRun.of("completion", "zsh");
        assertThat(zsh.out()).isEqualTo(CliRun.of("completion", "bash").out()).contains("bashcompinit");
        assertThat(CliRun.of("completion", "fish").exitCode()).isEqualTo(ExitCode.USAGE.code());
    }

    /** A difference is written into the page, and fails until it is committed. */
    @Test
    void theDocsShowTheUsageOfEveryCommand() throws IOException {
        StringBuilder page = new StringBuilder("""
                # What each command says with `--help`
                A test writes this page from the commands themselves; see [cli.md](cli.md) for what they are good for.
                """);
        for (CommandLine each : all()) {
            page.append("\n## ")
                    .append(each.getCommandSpec().qualifiedName(" "))
                    .append("\n```text\n")
                    .append(each.getUsageMessage(Ansi.OFF).strip().replaceAll("(?m) +$", ""))
                    .append("\n```\n");
        }
        String before = Files.exists(USAGES) ? Files.readString(USAGES) : "";
        if (!before.equals(page.toString())) {
            Files.writeString(USAGES, page);
        }
        assertThat(before)
                .as("docs/cli-usage.md was not what the commands say; it is now: look at it, and commit it")
                .isEqualTo(page.toString());
    }

    private static String page(String name) {
        List<String> words = new ArrayList<>(List.of("man"));
        if (!name.isEmpty()) {
            words.addAll(List.of(name.split(" ")));
        }
        CliRun run = CliRun.of(words.toArray(new String[0]));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private static List<CommandLine> all() {
        List<CommandLine> all = new ArrayList<>();
        collect(Manual.everything(), all);
        return all;
    }

    private static void collect(CommandLine command, List<CommandLine> all) {
        all.add(command);
        command.getSubcommands().values().forEach(inner -> collect(inner, all));
    }
}
