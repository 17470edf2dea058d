package dev.tenon.lock.engine;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStateText;
import dev.tenon.lock.spi.Revocation;

/**
 * What another process must be told because of a write: a grant, a wish to have the lock back, or only that the
 * register has changed. It leaves with the write or not at all. Its text is words separated by spaces; in a word, a
 * space is {@code %20} and a percent sign {@code %25}.
 *
 * @param process to whom; if it is not present, the notice may be dropped
 * @param name of the lock; its register is one of those that are written
 * @param text what; any characters but control characters, so that it fits into a node's name: some 120 of them, and 1
 *     500 at most
 */
public record Notice(String process, String name, String text) {
    private static final String GRANT = "G";
    private static final String REVOCATION = "R";
    private static final String CHANGED = "S";

    static Notice of(Grant grant) {
        SessionAddress to = SessionAddress.parse(grant.sessionId());
        return new Notice(
                to.process(),
                grant.name(),
                words(
                        GRANT,
                        grant.requestId(),
                        to.sessionId(),
                        grant.token(),
                        LockStateText.micros(grant.sinceQueued()),
                        LockStateText.micros(grant.lease())));
    }

    static Notice of(Revocation revocation) {
        SessionAddress to = SessionAddress.parse(revocation.sessionId());
        return new Notice(
                to.process(),
                revocation.name(),
                words(REVOCATION, to.sessionId(), revocation.token(), revocation.by()));
    }

    /** To a process that holds the lock: its next write should know of this one. */
    static Notice changed(String process, String name) {
        return new Notice(process, name, CHANGED);
    }

    /** Tells the sessions what this says. One that can't be read was not written by Tenon, and tells nothing. */
    void deliver(SessionBook sessions) {
        String[] words = text.split(" ", -1);
        if (words[0].equals(GRANT) && words.length == 6) {
            sessions.granted(new Grant(
                    name,
                    plain(words[1]),
                    plain(words[2]),
                    Long.parseLong(words[3]),
                    LockStateText.duration(words[4]),
                    LockStateText.duration(words[5])));
        } else if (words[0].equals(REVOCATION) && words.length == 4) {
            sessions.revokeAsked(new Revocation(name, plain(words[1]), Long.parseLong(words[2]), plain(words[3])));
        }
    }

    private static String words(Object... words) {
        StringBuilder text = new StringBuilder();
        for (Object word : words) {
            text.append(text.isEmpty() ? "" : " ")
                    .append(word.toString().replace("%", "%25").replace(" ", "%20"));
        }
        return text.toString();
    }

    private static String plain(String word) {
        return word.replace("%20", " ").replace("%25", "%");
    }
}
