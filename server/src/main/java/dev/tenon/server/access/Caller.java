package dev.tenon.server.access;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A visitor who was let in, and how far: to names that begin with one of some prefixes, and to the sessions that were
 * opened with the same key.
 *
 * @param name as it stands in the audit log
 * @param keyId of the API key; empty where none is asked for
 * @param prefixes of the names that it may see; the empty text is a prefix of all
 */
public record Caller(String name, String keyId, List<String> prefixes) {
    private static final String KEY_MARK = "-";
    private static final List<String> ALL = List.of("");

    /** Someone who may see all names and use all sessions. */
    public Caller(String name) {
        this(name, "", ALL);
    }

    /** Someone who may see no name. */
    static Caller stranger(String name) {
        return new Caller(name, "", List.of());
    }

    /** Whether this name may be shown to the caller. */
    public boolean sees(String named) {
        return prefixes.stream().anyMatch(named::startsWith);
    }

    /** Whether every name may be shown. */
    public boolean seesAll() {
        return prefixes.contains("");
    }

    /** Of a listing of {@code asked}, the parts that may be shown: prefixes, in order of their UTF-8 bytes, none within another. */
    public List<String> visible(String asked) {
        List<String> parts = prefixes.stream()
                .filter(p -> p.startsWith(asked) || asked.startsWith(p))
                .map(p -> p.length() > asked.length() ? p : asked)
                .distinct()
                .sorted((a, b) ->
                        Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8)))
                .toList();
        return parts.stream()
                .filter(p -> parts.stream().noneMatch(q -> !q.equals(p) && p.startsWith(q)))
                .toList();
    }

    /** The ID of a session that this caller opens: it carries whose it is, so that every server can tell. */
    public String ownSession(String fresh) {
        return keyId.isEmpty() ? fresh : fresh + KEY_MARK + keyId;
    }

    /**
     * What the caller itself calls a session of its own that it named.
     *
     * @param sessionId as {@link #ownSession} made it
     */
    public String namedByCaller(String sessionId) {
        String mark = KEY_MARK + keyId;
        return keyId.isEmpty() || !sessionId.endsWith(mark)
                ? sessionId
                : sessionId.substring(0, sessionId.length() - mark.length());
    }

    /**
     * The key that a session was opened with; empty: none.
     *
     * @param sessionId as {@link #ownSession} made it
     */
    public static String keyOf(String sessionId) {
        int mark = sessionId.lastIndexOf(KEY_MARK);
        return mark < 0 ? "" : sessionId.substring(mark + 1);
    }

    /**
     * Refuses a session that was opened with another key.
     *
     * @throws ProblemException if so
     */
    public void requireOwn(String sessionId) {
        if (!keyId.isEmpty() && !keyOf(sessionId).equals(keyId)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "This session was not opened with your key. Open one of your own: POST /v1/sessions.");
        }
    }

    /**
     * Refuses a name that is not the caller's to see.
     *
     * @throws ProblemException if so
     */
    public void requireSees(String named) {
        if (!sees(named)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "Your key, \"" + name + "\", is for names that begin with " + String.join(" or ", prefixes)
                            + ", and this is not one of them.");
        }
    }
}
