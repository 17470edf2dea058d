package dev.tenon.architecture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Docs are code that ran: a fenced block after {@code <!-- snippet: path#region -->} is the region of that file, and a
 * Java block is never anything else. Links lead somewhere.
 */
final class Docs {
    private static final Pattern SNIPPET = Pattern.compile("\\s*<!-- snippet: ([^#\\s]+)#([\\w-]+) -->\\s*");
    private static final Pattern FENCE = Pattern.compile("\\s*(```+|~~~+)\\s*([\\w+-]*).*");
    private static final Pattern LINK =
            Pattern.compile("!?\\[[^\\]]*]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
    private static final Pattern REFERENCE = Pattern.compile("^\\s{0,3}\\[[^\\]]+]:\\s*<?(\\S+?)>?(\\s.*)?$");
    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:.*|//.*");
    private static final Pattern HEADING = Pattern.compile("^#{1,6}\\s+(.*?)\\s*#*$");
    private static final Pattern TAG = Pattern.compile(".*\\b(tag|end)::([\\w-]+)\\[].*");

    private Docs() {}

    /** A fenced block: where it starts, its language, the lines inside, and the snippet that it claims to be. */
    private record Block(int line, String language, List<String> lines, Optional<Matcher> snippet) {}

    /** What is wrong with the snippets of one page. */
    static List<String> brokenSnippets(Path root, Path page, boolean javaMustBeSnippets) {
        List<String> broken = new ArrayList<>();
        for (Block block : blocks(Repository.read(page).lines().toList())) {
            String at = root.relativize(page) + ":" + block.line;
            if (block.snippet.isEmpty()) {
                if (javaMustBeSnippets && block.language.equals("java")) {
                    broken.add(at + ": a Java block that nobody runs; tag it <!-- snippet: examples/...#region -->");
                }
                continue;
            }
            String file = block.snippet.get().group(1);
            String region = block.snippet.get().group(2);
            Path source = root.resolve(file).normalize();
            if (!source.startsWith(root) || !Files.isRegularFile(source)) {
                broken.add(at + ": there is no " + file);
                continue;
            }
            Optional<String> expected = region(Repository.read(source), region);
            if (expected.isEmpty()) {
                broken.add(at + ": " + file + " has no tag::" + region + "[] … end::" + region + "[]");
            } else if (!expected.get().equals(text(block.lines))) {
                broken.add(at + ": not what " + file + "#" + region + " says, which is:\n" + expected.get());
            }
        }
        return broken;
    }

    /**
     * The lines between the tags, without their common indentation and without other tags; empty if there is no such
     * region.
     */
    static Optional<String> region(String source, String region) {
        List<String> lines = new ArrayList<>();
        boolean inside = false;
        boolean closed = false;
        for (String line : source.lines().toList()) {
            Matcher tag = TAG.matcher(line);
            if (tag.matches()) {
                if (tag.group(2).equals(region)) {
                    inside = tag.group(1).equals("tag");
                    closed = !inside;
                }
            } else if (inside) {
                lines.add(line);
            }
        }
        return closed ? Optional.of(text(lines)) : Optional.empty();
    }

    /** What is wrong with the relative links of one page. */
    static List<String> brokenLinks(Path root, Path page) {
        List<String> broken = new ArrayList<>();
        forEachProseLine(Repository.read(page), (number, line) -> {
            for (String target : targets(line)) {
                String problem = problem(root, page, target);
                if (!problem.isEmpty()) {
                    broken.add(root.relativize(page) + ":" + number + ": " + target + " " + problem);
                }
            }
        });
        return broken;
    }

    /** Those of {@code sections} that a page does not have as headings of the second level, in this order. */
    static List<String> missingSections(String page, List<String> sections) {
        List<String> headings = new ArrayList<>();
        forEachProseLine(page, (number, line) -> {
            if (line.startsWith("## ")) {
                headings.add(line.substring(3).strip());
            }
        });
        List<String> missing = new ArrayList<>();
        int from = 0;
        for (String section : sections) {
            int at = headings.subList(from, headings.size()).indexOf(section);
            if (at < 0) {
                missing.add(section);
            } else {
                from += at + 1;
            }
        }
        return missing;
    }

    /** The blocks of code of a page, in their order and without comments of the shell, which are prose. */
    static List<String> code(String page) {
        return blocks(page.lines().toList()).stream()
                .map(block -> block.language + "\n"
                        + block.lines.stream()
                                .map(line -> block.language.equals("sh") ? line.replaceAll("\\s+# .*", "") : line)
                                .collect(Collectors.joining("\n")))
                .toList();
    }

    /** What a page links to. */
    static SortedSet<String> links(String page) {
        SortedSet<String> links = new TreeSet<>();
        forEachProseLine(page, (number, line) -> links.addAll(targets(line)));
        return links;
    }

    /** The words of a page that are to be read: what has a letter or a digit and is not in a block of code. */
    static long words(String page) {
        AtomicLong words = new AtomicLong();
        forEachProseLine(
                page,
                (number, line) -> words.addAndGet(Arrays.stream(line.split("\\s+"))
                        .filter(word -> word.codePoints().anyMatch(Character::isLetterOrDigit))
                        .count()));
        return words.get();
    }

    private static String problem(Path root, Path page, String target) {
        if (SCHEME.matcher(target).matches()) {
            return "";
        }
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty()
                ? page
                : path.startsWith("/")
                        ? root.resolve(path.substring(1))
                        : page.resolveSibling(path.replace("%20", " "));
        if (!file.normalize().startsWith(root) || !Files.exists(file)) {
            return "leads nowhere";
        }
        boolean toHeading = hash >= 0 && file.toString().endsWith(".md");
        return toHeading && !anchors(Repository.read(file)).contains(target.substring(hash + 1))
                ? "leads to no heading"
                : "";
    }

    private static List<String> targets(String line) {
        List<String> targets = new ArrayList<>();
        // Code shows what a link looks like; it is none.
        String prose = line.replaceAll("`[^`]*`", "");
        Matcher link = LINK.matcher(prose);
        while (link.find()) {
            targets.add(link.group(1));
        }
        Matcher reference = REFERENCE.matcher(prose);
        if (reference.matches()) {
            targets.add(reference.group(1));
        }
        return targets;
    }

    /** The anchors that GitHub gives the headings of a page. */
    private static Set<String> anchors(String page) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        forEachProseLine(page, (number, line) -> {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String slug = heading.group(1)
                        .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}\\p{M} _-]", "")
                        .replace(' ', '-');
                int before = seen.merge(slug, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? slug : slug + "-" + before);
            }
            Matcher id = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"").matcher(line);
            while (id.find()) {
                anchors.add(id.group(1));
            }
        });
        return anchors;
    }

    private interface LineVisitor {
        void visit(int number, String line);
    }

    private static void forEachProseLine(String page, LineVisitor visitor) {
        Predicate<String> isFence = line -> FENCE.matcher(line).matches();
        boolean inBlock = false;
        int number = 0;
        for (String line : page.lines().toList()) {
            number++;
            if (isFence.test(line)) {
                inBlock = !inBlock;
            } else if (!inBlock) {
                visitor.visit(number, line);
            }
        }
    }

    private static List<Block> blocks(List<String> page) {
        List<Block> blocks = new ArrayList<>();
        Optional<Matcher> snippet = Optional.empty();
        for (int i = 0; i < page.size(); i++) {
            Matcher tag = SNIPPET.matcher(page.get(i));
            Matcher fence = FENCE.matcher(page.get(i));
            if (tag.matches()) {
                snippet = Optional.of(tag);
            } else if (fence.matches()) {
                int start = i + 1;
                List<String> lines = new ArrayList<>();
                while (++i < page.size() && !page.get(i).strip().equals(fence.group(1))) {
                    lines.add(page.get(i));
                }
                blocks.add(new Block(start, fence.group(2), lines, snippet));
                snippet = Optional.empty();
            } else if (!page.get(i).isBlank() && snippet.isPresent()) {
                blocks.add(new Block(i + 1, "", List.of("(no block follows the snippet tag)"), snippet));
                snippet = Optional.empty();
            }
        }
        return blocks;
    }

    private static String text(List<String> lines) {
        // A blank line at the end would have no indentation, and take it for the one of all.
        return String.join("\n", lines).stripTrailing().stripIndent().strip() + "\n";
    }
}
