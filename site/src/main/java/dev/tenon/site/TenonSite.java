package dev.tenon.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Writes the site: each page of the repository as it is in its Markdown, the files that pages link to, and a search
 * over the headings. {@code docs/README.md} is its table of contents. It needs no server: open {@code index.html}.
 */
public final class TenonSite {
    private static final List<String> ASSETS = List.of("site.css", "site.js");

    private final Repository repository;
    private final Path out;

    private TenonSite(Repository repository, Path out) {
        this.repository = repository;
        this.out = out;
    }

    /** Arguments: the folder of the repository, and the folder to write, which may be there. */
    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]), Path.of(args[1]));
    }

    /**
     * Writes the site; what is in the folder already stays, unless it has the name of a page.
     *
     * @return the pages, in the order of the table of contents, then those that are only linked to
     */
    static List<Page> write(Path root, Path out) throws IOException {
        return new TenonSite(new Repository(root), out).write();
    }

    private List<Page> write() throws IOException {
        Contents contents = Contents.of(repository);
        List<Page> pages = new ArrayList<>();
        Set<Path> seen = new HashSet<>(contents.pages());
        Deque<Path> next = new ArrayDeque<>(contents.pages());
        while (!next.isEmpty()) {
            Path source = next.removeFirst();
            if (Repository.isPicture(source)) {
                copy(source);
                continue;
            }
            Page page = repository.page(source);
            pages.add(page);
            page.links().stream().filter(seen::add).forEach(next::addLast);
        }
        for (Page page : pages) {
            Path file = out.resolve(page.output());
            Files.createDirectories(file.getParent());
            Files.writeString(file, new Frame(page, contents).html());
        }
        Files.writeString(out.resolve("search-index.js"), SearchIndex.of(pages));
        for (String asset : ASSETS) {
            Files.writeString(out.resolve(asset), resource(asset));
        }
        return pages;
    }

    private void copy(Path source) throws IOException {
        Path target = out.resolve(Repository.output(source));
        Files.createDirectories(target.getParent());
        Files.copy(repository.root().resolve(source), target, StandardCopyOption.REPLACE_EXISTING);
    }

    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(TenonSite.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
