package dev.tenon.site;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** What {@code site.js} searches: a script, as a page that is opened from a disk may not fetch a file. */
final class SearchIndex {
    private SearchIndex() {}

    private record Entry(String page, String title, List<List<String>> headings) {}

    static String of(List<Page> pages) {
        List<Entry> entries = pages.stream()
                .filter(page -> !page.headings().isEmpty())
                .map(page -> new Entry(
                        page.output().toString(),
                        page.title(),
                        page.headings().stream()
                                .filter(heading -> heading.level() > 1)
                                .map(heading -> List.of(heading.text(), heading.id()))
                                .toList()))
                .toList();
        return "const SEARCH = " + JsonMapper.shared().writeValueAsString(entries) + ";\n";
    }
}
