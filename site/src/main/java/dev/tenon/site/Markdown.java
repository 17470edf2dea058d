package dev.tenon.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A Markdown file as a page: CommonMark 0.31 with GitHub's tables, and links that lead to pages of the site. */
final class Markdown {
    private static final List<Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Pattern ELSEWHERE = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:.*|//.*");

    private final Repository repository;
    private final Path source;
    private final List<Path> links = new ArrayList<>();
    private final List<Page.Heading> headings = new ArrayList<>();
    private String title;

    Markdown(Repository repository, Path source) {
        this.repository = repository;
        this.source = source;
        this.title = source.toString();
    }

    Page page(String text) {
        Node document = parse(text);
        IdGenerator ids = IdGenerator.builder().build();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                String words = words(heading);
                if (heading.getLevel() == 1) {
                    title = words;
                }
                headings.add(new Page.Heading(heading.getLevel(), words, ids.generateId(words)));
            }

            @Override
            public void visit(Link link) {
                link.setDestination(lead(link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                image.setDestination(lead(image.getDestination()));
            }
        });
        String html = HtmlRenderer.builder()
                .extensions(EXTENSIONS)
                .attributeProviderFactory(context -> Markdown::attributes)
                .build()
                .render(document);
        return new Page(source, title, html, headings, links);
    }

    static Node parse(String text) {
        return Parser.builder().extensions(EXTENSIONS).build().parse(text);
    }

    /** Text and code, without what marks them up: what the extension makes the ID of a heading from, too. */
    static String words(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text part) {
                text.append(part.getLiteral());
            }

            @Override
            public void visit(Code part) {
                text.append(part.getLiteral());
            }
        });
        return text.toString();
    }

    /** Wide tables scroll by themselves, and not with the page. */
    private static void attributes(Node node, String tag, Map<String, String> attributes) {
        if (node instanceof TableBlock && tag.equals("table")) {
            attributes.put("tabindex", "0");
        }
    }

    private String lead(String destination) {
        if (ELSEWHERE.matcher(destination).matches() || destination.startsWith("#")) {
            return destination;
        }
        int hash = destination.indexOf('#');
        String fragment = hash < 0 ? "" : destination.substring(hash);
        Optional<Path> target = target(source, hash < 0 ? destination : destination.substring(0, hash));
        target.ifPresent(links::add);
        return target.map(file -> Repository.from(source, Repository.output(file)) + fragment)
                .orElseThrow(() -> new IllegalArgumentException(source + " links to " + destination + ": not there"));
    }

    /** The file or folder that a link of a page means; a folder with a page of its own is that page. */
    private Optional<Path> target(Path page, String link) {
        Path folder = page.getParent() == null ? Path.of("") : page.getParent();
        Path target = folder.resolve(link).normalize();
        Path file = repository.root().resolve(target);
        if (Files.isRegularFile(file.resolve("README.md"))) {
            return Optional.of(target.resolve("README.md"));
        }
        return Files.exists(file) ? Optional.of(target) : Optional.empty();
    }
}
