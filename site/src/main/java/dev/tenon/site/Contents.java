package dev.tenon.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;

/** The table of contents: the headings of {@code docs/README.md}, and the links below each. */
record Contents(List<Section> sections) {
    private static final Path SOURCE = Path.of("docs/README.md");

    /** A heading and the pages below it. */
    record Section(String title, List<Entry> entries) {}

    /** A page and what it is called here. */
    record Entry(String title, Path page) {}

    static Contents of(Repository repository) throws IOException {
        List<Section> sections = new ArrayList<>();
        Markdown.parse(Files.readString(repository.root().resolve(SOURCE))).accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                if (heading.getLevel() == 2) {
                    sections.add(new Section(Markdown.words(heading), new ArrayList<>()));
                }
            }

            @Override
            public void visit(Link link) {
                if (!sections.isEmpty()) {
                    sections.get(sections.size() - 1)
                            .entries()
                            .add(new Entry(
                                    Markdown.words(link),
                                    SOURCE.resolveSibling(link.getDestination()).normalize()));
                }
            }
        });
        return new Contents(sections);
    }

    List<Path> pages() {
        return Stream.concat(
                        sections.stream()
                                .flatMap(section -> section.entries().stream().map(Entry::page)),
                        Stream.of(SOURCE))
                .distinct()
                .toList();
    }
}
