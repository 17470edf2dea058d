package dev.tenon.site;

import java.nio.file.Path;
import java.util.stream.Collectors;

/** A page with what is around it: the table of contents, the search, and the headings of the page. */
record Frame(Page page, Contents contents) {
    private static final int DEEPEST = 3;

    String html() {
        return TenonSite.resource("page.html")
                .replace("{{language}}", page.source().toString().contains("zh-CN") ? "zh-CN" : "en")
                .replace("{{title}}", Repository.escape(page.title()))
                .replace("{{root}}", root())
                .replace("{{contents}}", navigation())
                .replace("{{headings}}", headings())
                .replace("{{source}}", Repository.escape(page.source().toString()))
                .replace("{{body}}", page.body());
    }

    /** The way from the page to the root of the site: empty, or with a slash at its end. */
    private String root() {
        return "../".repeat(page.output().getNameCount() - 1);
    }

    private String navigation() {
        return contents.sections().stream().map(this::section).collect(Collectors.joining());
    }

    private String section(Contents.Section section) {
        boolean here = section.entries().stream().anyMatch(entry -> entry.page().equals(page.source()));
        return section.entries().stream()
                .map(this::entry)
                .collect(Collectors.joining(
                        "",
                        "<details" + (here ? " open" : "") + "><summary>" + Repository.escape(section.title())
                                + "</summary><ul>\n",
                        "</ul></details>\n"));
    }

    private String entry(Contents.Entry entry) {
        String current = entry.page().equals(page.source()) ? " aria-current=\"page\"" : "";
        return "<li><a href=\"" + link(entry.page()) + "\"" + current + ">" + Repository.escape(entry.title())
                + "</a></li>\n";
    }

    private String link(Path source) {
        return Repository.escape(Repository.from(page.source(), Repository.output(source)));
    }

    private String headings() {
        return page.headings().stream()
                .filter(heading -> heading.level() > 1 && heading.level() <= DEEPEST)
                .map(heading -> "<li class=\"level-" + heading.level() + "\"><a href=\"#"
                        + Repository.escape(heading.id()) + "\">" + Repository.escape(heading.text()) + "</a></li>\n")
                .collect(Collectors.joining());
    }
}
