package dev.tenon.browser;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;

/** The checks of axe-core, loaded into the page that a browser shows. */
final class Axe {
    private final Browser browser;

    private Axe(Browser browser) {
        this.browser = browser;
    }

    /**
     * By the debugger's way, since the page's policy lets no foreign script in. It stays until the page is loaded anew.
     */
    static Axe in(Browser browser) throws IOException {
        browser.script(source());
        return new Axe(browser);
    }

    /** What is wrong with what the browser shows; empty: nothing. */
    List<String> violations(String where) {
        Object found = browser.driver()
                .executeAsyncScript(
                        "const done = arguments[1]; axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a',"
                                + " 'wcag21aa', 'best-practice']}).then(r => done(r.violations.map(v => arguments[0] + ': ' + v.id + ' '"
                                + " + v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | ')).join('\\n')))",
                        where);
        String text = String.valueOf(found);
        return text.isEmpty() ? List.of() : List.of(text.split("\n"));
    }

    private static String source() throws IOException {
        Properties pom = new Properties();
        try (InputStream in = resource("/META-INF/maven/org.webjars.npm/axe-core/pom.properties")) {
            pom.load(in);
        }
        try (InputStream in =
                resource("/META-INF/resources/webjars/axe-core/" + pom.getProperty("version") + "/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static InputStream resource(String path) {
        InputStream in = Axe.class.getResourceAsStream(path);
        if (in == null) {
            throw new IllegalStateException("There is no " + path);
        }
        return in;
    }
}
