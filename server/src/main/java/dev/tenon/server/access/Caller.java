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
 * @param right the greatest that it has on what it was let in to
 * @param proven whether the name was proven, by a key or a certificate: only then is it worth more than what the caller
 *     says of himself
 */
public record Caller(String name, String keyId, List<String> prefixes, Right right, boolean proven) {
    private static final String KEY_MARK = "-";
    private static final List<String> ALL = List.of("");

    /** Someone with a proven name who may see all names and use all sessions. */
    public Caller(String name) {
        this(name, "", ALL);
    }

    /** Someone with a proven name who may do everything under some names. */
    public Caller(String name, String keyId, List<String> prefixes) {
        this(name, keyId, prefixes, Right.ADMIN, true);
    }

    /** Anybody at an address, where nobody is asked who he is. */
    static Caller anyone(String address) {
        return new Caller("anyone at " + address, "", ALL, Right.ADMIN, false);
    }

    /** Someone who may see no name. */
    static Caller stranger(String address) {
        return new Caller("anyone at " + address, "", List.of(), Right.READ, false);
    }

    /** Whether this name may be shown to the caller. */
    public boolean sees(String named) {
        return prefixes.stream().anyMatch(named::startsWith);
    }

    /** Whether every name may be shown. */
    public boolean seesAll() {
        return prefixes.contains("");
    }

    /**
     * Of a listing of {@code asked}, the parts that may be shown: prefixes, in order of their UTF-8 bytes, none within
     * another.
     */
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
        return own(fresh);
    }

    /**
     * An ID that this caller has chosen, as the stores know it: it ends with the ID of the key, so that no other key
     * can choose the same, by chance or because it has heard of it.
     */
    public String own(String chosen) {
        return keyId.isEmpty() ? chosen : chosen + KEY_MARK + keyId;
    }

    /**
     * What the caller itself calls a session, or a request, that it named.
     *
     * @param own as {@link #own} made it
     */
    public String namedByCaller(String own) {
        String mark = KEY_MARK + keyId;
        return keyId.isEmpty() || !own.endsWith(mark) ? own : own.substring(0, own.length() - mark.length());
    }

    /**
     * The key that something was named with; empty: none.
     *
     * @param own as {@link #own} made it
     */
    public static String keyOf(String own) {
        int mark = own.lastIndexOf(KEY_MARK);
        return mark < 0 ? "" : own.substring(mark + 1);
    }

    /** Whether something was named with the caller's key, or the caller has none and nobody is told apart. */
    public boolean owns(String own) {
        return keyId.isEmpty() || keyOf(own).equals(keyId);
    }

    /** Whether it has this right on what it was let in to. */
    public boolean has(Right asked) {
        return right.compareTo(asked) >= 0;
    }

    /**
     * Refuses a session that was opened with another key.
     *
     * @throws ProblemException if so
     */
    public void requireOwn(String sessionId) {
        if (!owns(sessionId)) {
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
                    "Your key, \"" + name + "\", is restricted to names that begin with "
                            + String.join(" or ", prefixes)
                            + ".");
        }
    }
}
