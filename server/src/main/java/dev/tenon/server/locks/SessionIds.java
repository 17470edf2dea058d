package dev.tenon.server.locks;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/**
 * IDs of new sessions: 128 random bits in hexadecimal. Where sessions live in the process that opened them, the first
 * 32 bits are those of the process, so that another one can tell whose a session is. A caller with an API key adds the
 * ID of that ({@link dev.tenon.server.access.Caller#ownSession}). Thread-safe.
 */
final class SessionIds {
    private static final int PROCESS_BITS = 32;
    private static final int REST_BITS = 96;
    private static final int SHOWN_MAX = 60;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{32}(-[0-9a-f]{8})?");

    private final SecureRandom random = new SecureRandom();
    private final boolean local;
    private final String process;

    /**
     * @param local whether sessions live in this process only
     */
    SessionIds(boolean local) {
        this.local = local;
        this.process = word(PROCESS_BITS);
    }

    /** A new ID. */
    String next() {
        return (local ? process : word(PROCESS_BITS)) + word(REST_BITS);
    }

    /** Whether another process opened this session, this one before its restart perhaps. */
    boolean elsewhere(String sessionId) {
        return local && FORM.matcher(sessionId).matches() && !sessionId.startsWith(process);
    }

    /** The session is unknown, at least not in this process. */
    ProblemException unknown(String sessionId) {
        String named = sessionId.length() <= SHOWN_MAX ? sessionId : sessionId.substring(0, SHOWN_MAX) + "…";
        if (elsewhere(sessionId)) {
            return new ProblemException(
                    ProblemType.SESSION_OF_ANOTHER_SERVER,
                    "Session \"" + named
                            + "\" was not opened by this server, or before its last start. Over a store, a "
                            + "session belongs to the server that opened it: use that server, or open another "
                            + "session here: POST /v1/sessions.");
        }
        return new ProblemException(
                ProblemType.UNKNOWN_SESSION,
                "Unknown session \"" + named
                        + "\": it may have ended, and its locks with it. Open a new one: POST /v1/sessions.");
    }

    private String word(int bits) {
        return ("%0" + bits / 4 + "x").formatted(new BigInteger(bits, random));
    }
}
