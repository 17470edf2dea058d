package dev.tenon.architecture;

import dev.tenon.architecture.Repository.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@link SourceRules} and {@link TestRules} ask of Java, of the few sources in Kotlin, which no parser here reads:
 * by their lines, as the formatter lays them out.
 */
final class KotlinRules {
    private static final Pattern FUNCTION = Pattern.compile("( *)(?:[\\w@]+ )*fun .*");
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TODO|FIXME|XXX)\\b");
    private static final Pattern SLEEP = Pattern.compile("\\bsleep\\(|::sleep\\b|(?<![.\\w])delay\\(");
    private static final Pattern SWITCHED_OFF = Pattern.compile(
            "import org\\.(junit\\.(jupiter\\.api\\.(Disabled|Assumptions|condition)|Ignore|Assume)|assertj.*\\.Assumptions)\\b.*"
                    + "|.*@(\\w+\\.)*(Ignore|(Disabled|Enabled)(If|On|For|In)?)\\b.*|.*\\bassum(e|ing)[A-Z]\\w*\\(.*"
                    + "|.*@(\\w+\\.)*(Disabled|Enabled)(If|On|For|In)[A-Z].*");

    private KotlinRules() {}

    static List<String> violations(Source source) {
        List<String> violations = new ArrayList<>();
        List<String> lines = source.text().lines().toList();
        if (lines.size() > SizeRules.FILE_LINES_MAX) {
            violations.add(source.file() + ": " + lines.size() + " lines; split it");
        }
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String at = source.file() + ":" + (i + 1) + ": ";
            Matcher function = FUNCTION.matcher(line);
            if (function.matches()) {
                int length = length(lines, i, function.group(1));
                if (length > SourceRules.METHOD_LINES_MAX) {
                    violations.add(at + "a function of " + length + " lines; split it");
                }
            }
            if (line.startsWith("public ") && !isDocumented(lines, i)) {
                violations.add(at + "public, and has no KDoc");
            }
            if (UNFINISHED.matcher(line).find()) {
                violations.add(at + "unfinished business; do it or write an issue");
            }
            if (SLEEP.matcher(line).find()) {
                violations.add(at + "sleeps; wait for the condition");
            }
            if (SWITCHED_OFF.matcher(line).matches()) {
                violations.add(at + "a test that does not run proves nothing");
            }
        }
        return violations;
    }

    /** To the line before the next one that is indented no deeper; a brace or parenthesis that closes is part of it. */
    private static int length(List<String> lines, int from, String indentation) {
        int end = from + 1;
        while (end < lines.size()) {
            String line = lines.get(end);
            boolean inside = line.isBlank() || line.startsWith(indentation + " ");
            boolean closing = line.startsWith(indentation + "}") || line.startsWith(indentation + ")");
            if (!inside && !closing) {
                break;
            }
            end++;
            if (line.equals(indentation + "}")) {
                break;
            }
        }
        return end - from;
    }

    private static boolean isDocumented(List<String> lines, int at) {
        int before = at - 1;
        while (before >= 0 && lines.get(before).startsWith("@")) {
            before--;
        }
        return before >= 0 && lines.get(before).strip().endsWith("*/");
    }
}
