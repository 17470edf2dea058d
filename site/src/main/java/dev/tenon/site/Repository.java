package dev.tenon.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What is shown, and where on the site it is. Paths are from the repository's root. */
record Repository(Path root) {
    private static final List<String> PICTURES = List.of(".svg", ".png", ".jpg", ".gif");
    private static final String HOME = "README.md";

    static boolean isPicture(Path source) {
        String name = source.getFileName().toString().toLowerCase(Locale.ROOT);
        return PICTURES.stream().anyMatch(name::endsWith);
    }

    private static boolean isMarkdown(Path source) {
        return source.toString().endsWith(".md");
    }

    /** The file of the site for a file or folder of the repository. */
    static Path output(Path source) {
        if (isPicture(source)) {
            return source;
        }
        String name = source.getFileName().toString();
        if (name.equals(HOME)) {
            return source.resolveSibling("index.html");
        }
        if (isMarkdown(source)) {
            return source.resolveSibling(name.replaceFirst("\\.md$", ".html"));
        }
        return source.resolveSibling(name + ".html");
    }

    /**
     * The page of a Markdown file, of another file (its text), or of a folder (what is in it).
     *
     * @throws IOException if it can't be read, or is not there
     */
    Page page(Path source) throws IOException {
        Path file = root.resolve(source);
        if (Files.isDirectory(file)) {
            return folder(source);
        }
        String text = Files.readString(file);
        if (isMarkdown(source)) {
            return new Markdown(this, source).page(text);
        }
        return new Page(source, source.toString(), "<h1>" + source + "</h1>\n" + code(text), List.of(), List.of());
    }

    private static String code(String text) {
        return "<pre><code>" + escape(text) + "</code></pre>\n";
    }

    private Page folder(Path source) throws IOException {
        List<Path> inside;
        try (Stream<Path> files = Files.list(root.resolve(source))) {
            inside = files.map(file -> source.resolve(file.getFileName()))
                    .filter(file -> !file.getFileName().toString().matches("target|\\..*"))
                    .sorted()
                    .toList();
        }
        StringBuilder body = new StringBuilder("<h1>" + source + "</h1>\n<ul>\n");
        List<Path> links = new ArrayList<>();
        for (Path file : inside) {
            links.add(file);
            body.append("<li><a href=\"")
                    .append(escape(from(source, output(file))))
                    .append("\">")
                    .append(escape(file.getFileName().toString()))
                    .append("</a></li>\n");
        }
        return new Page(source, source.toString(), body.append("</ul>\n").toString(), List.of(), links);
    }

    /** How the page of one source links to a file of the site. */
    static String from(Path source, Path target) {
        Path folder = output(source).getParent();
        return (folder == null ? target : folder.relativize(target)).toString().replace('\\', '/');
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
