package dev.tenon.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The manual page of one command, in the macros of man(7). */
final class ManPage {
    private final CommandSpec spec;
    private final String date;
    private final StringBuilder text = new StringBuilder();

    ManPage(CommandLine command, String date) {
        this.spec = command.getCommandSpec();
        this.date = date;
    }

    /** Such as {@code tenon-lock-run}. */
    String name() {
        return spec.qualifiedName("-");
    }

    /** The page. */
    String text() {
        String[] description = spec.usageMessage().description();
        text.append(".TH \"%s\" \"1\" \"%s\" \"Tenon\" \"Tenon Manual\"%n"
                .formatted(name().toUpperCase(java.util.Locale.ROOT), date));
        text.append(".nh\n");
        section("NAME");
        line(escaped(name()) + " \\- " + escaped(firstSentence(description[0])));
        section("SYNOPSIS");
        line("\\fB" + escaped(synopsis()) + "\\fR");
        section("DESCRIPTION");
        for (String paragraph : description) {
            text.append(".PP\n");
            line(escaped(paragraph));
        }
        arguments();
        commands();
        exitStatus();
        environment();
        seeAlso();
        return text.toString();
    }

    private static String firstSentence(String paragraph) {
        int end = paragraph.indexOf(". ");
        String first = end < 0 ? paragraph : paragraph.substring(0, end);
        return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
    }

    private String synopsis() {
        Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        return help.synopsis(0).strip().replaceAll("\\s+", " ");
    }

    private void arguments() {
        List<OptionSpec> options =
                spec.options().stream().filter(o -> !o.hidden()).toList();
        if (options.isEmpty() && spec.positionalParameters().isEmpty()) {
            return;
        }
        section("OPTIONS");
        for (PositionalParamSpec positional : spec.positionalParameters()) {
            item("\\fI" + escaped(positional.paramLabel()) + "\\fR", words(positional));
        }
        for (OptionSpec option : options) {
            String value = option.arity().max() == 0 ? "" : "=\\fI" + escaped(option.paramLabel()) + "\\fR";
            String names = String.join(
                    ", ",
                    Arrays.stream(option.names())
                            .map(n -> "\\fB" + escaped(n) + "\\fR")
                            .toList());
            item(names + value, words(option));
        }
    }

    private static String words(ArgSpec argument) {
        return String.join(" ", argument.description());
    }

    private void commands() {
        if (spec.subcommands().isEmpty()) {
            return;
        }
        section("COMMANDS");
        for (Map.Entry<String, CommandLine> inner : spec.subcommands().entrySet()) {
            UsageMessageSpec usage = inner.getValue().getCommandSpec().usageMessage();
            if (!usage.hidden()) {
                String page = new ManPage(inner.getValue(), date).name();
                item("\\fB" + escaped(page) + "\\fR(1)", usage.description().length == 0 ? "" : usage.description()[0]);
            }
        }
    }

    private void exitStatus() {
        Map<String, String> codes = spec.usageMessage().exitCodeList();
        if (codes.isEmpty()) {
            codes = spec.root().usageMessage().exitCodeList();
        }
        if (!codes.isEmpty()) {
            section("EXIT STATUS");
            codes.forEach((code, meaning) -> item(escaped(code.strip()), meaning));
        }
    }

    private void environment() {
        if (spec.findOption("--server") != null) {
            section("ENVIRONMENT");
            item("\\fBTENON_SERVER\\fR", "The server, where --server does not say.");
            item("\\fBNO_COLOR\\fR", "If it is set and not empty, terminals get no colours.");
        }
        if (spec.findOption("--store-user") != null) {
            section("ENVIRONMENT");
            item("\\fBTENON_STORE_USER\\fR, \\fBTENON_STORE_PASSWORD\\fR", "Credentials of the store.");
        }
    }

    private void seeAlso() {
        section("SEE ALSO");
        CommandLine parent = spec.parent() == null ? null : spec.parent().commandLine();
        line(
                parent == null
                        ? "The project's folder docs."
                        : "\\fB" + escaped(new ManPage(parent, date).name()) + "\\fR(1)");
    }

    private void section(String title) {
        text.append(".SH \"").append(title).append("\"\n");
    }

    private void item(String term, String meaning) {
        text.append(".TP\n");
        line(term);
        line(escaped(meaning));
    }

    private void line(String words) {
        text.append(words.startsWith(".") || words.startsWith("'") ? "\\&" : "")
                .append(words)
                .append('\n');
    }

    /** Text as it is, to roff: ASCII, and nothing in it that roff acts upon. */
    private static String escaped(String words) {
        StringBuilder safe = new StringBuilder();
        words.replace("%n", " ").replace("%%", "%").codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> safe.append("\\e");
                case '-' -> safe.append("\\-");
                case '\n' -> safe.append(' ');
                case '…' -> safe.append("...");
                default -> {
                    if (c < 0x80) {
                        safe.appendCodePoint(c);
                    } else {
                        safe.append("\\[u%04X]".formatted(c));
                    }
                }
            }
        });
        return safe.toString();
    }
}
