package dev.tenon.site;

import java.nio.file.Path;
import java.util.List;

/**
 * A page of the site.
 *
 * @param source the file or folder that it shows, from the root of the repository
 * @param title its first heading
 * @param body HTML
 * @param headings below the title
 * @param links what it links to in the repository
 */
record Page(Path source, String title, String body, List<Heading> headings, List<Path> links) {
    /** A heading that a link can lead to. */
    record Heading(int level, String text, String id) {}

    /** The file of the site that it is written to. */
    Path output() {
        return Repository.output(source);
    }
}
