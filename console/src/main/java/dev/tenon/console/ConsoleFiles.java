package dev.tenon.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** The files of the console, as they are to be served. */
public final class ConsoleFiles {
    /** Names every file, one a line. */
    private static final String LIST = "files.txt";

    private static final String PAGE = "index.html";
    private static final int TAG_BYTES = 12;

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "svg", "image/svg+xml",
            "txt", "text/plain;charset=UTF-8");

    /**
     * What a browser must keep to while it shows the page: nothing comes from anywhere else, no script or style stands
     * in the page itself, nobody frames it, and no form is sent (W3C, Content Security Policy Level 3).
     */
    public static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private ConsoleFiles() {}

    /**
     * One file.
     *
     * @param path where it is served: {@code /} is the page, everything else is under {@code /console/}
     * @param contentType its media type
     * @param etag a strong validator that changes with the content, in quotes (RFC 9110, 8.8.3)
     * @param content the bytes; not to be changed
     */
    public record File(String path, String contentType, String etag, byte[] content) {}

    /**
     * Reads every file, the page first.
     *
     * @throws UncheckedIOException if one can't be read
     */
    public static List<File> all() {
        return new String(bytes(LIST), StandardCharsets.UTF_8)
                .lines()
                .map(ConsoleFiles::file)
                .toList();
    }

    private static File file(String name) {
        byte[] content = bytes(name);
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null) {
            throw new IllegalStateException("No media type is known for " + name);
        }
        return new File(name.equals(PAGE) ? "/" : "/console/" + name, type, etag(content), content);
    }

    private static byte[] bytes(String name) {
        try (InputStream in = ConsoleFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("There is no " + name + ", though " + LIST + " names it");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String etag(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            byte[] start = Arrays.copyOf(digest, TAG_BYTES);
            return '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(start) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
