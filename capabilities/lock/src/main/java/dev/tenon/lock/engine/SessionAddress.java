package dev.tenon.lock.engine;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Revocation;

/**
 * A session and the process that it belongs to. A store that keeps no sessions has both as one text in place of the
 * session ID, so that the process which hands a lock over knows which one to tell. Immutable.
 *
 * @param process no spaces
 * @param sessionId as its client knows it
 */
public record SessionAddress(String process, String sessionId) {
    /**
     * Reads {@link #text}.
     *
     * @throws IllegalArgumentException if there is no space in it
     */
    public static SessionAddress parse(String text) {
        int space = text.indexOf(' ');
        if (space < 0) {
            throw new IllegalArgumentException("Not a process and a session: " + text);
        }
        return new SessionAddress(text.substring(0, space), text.substring(space + 1));
    }

    /** The process in the text of an address. */
    public static String processOf(String text) {
        return parse(text).process();
    }

    /** The session in the text of an address. */
    public static String sessionOf(String text) {
        return parse(text).sessionId();
    }

    /** Both in one text. */
    public String text() {
        return process + " " + sessionId;
    }

    /** A grant as the session that it is for knows it. */
    public static Grant local(Grant grant) {
        return new Grant(
                grant.name(),
                grant.requestId(),
                sessionOf(grant.sessionId()),
                grant.token(),
                grant.sinceQueued(),
                grant.lease());
    }

    /** A revocation as the session that it is for knows it. */
    public static Revocation local(Revocation revocation) {
        return new Revocation(
                revocation.name(), sessionOf(revocation.sessionId()), revocation.token(), revocation.by());
    }

    /** A lock with its sessions as their clients know them. */
    public static LockView local(LockView view) {
        return new LockView(
                view.name(),
                view.token(),
                view.holders().stream()
                        .map(h -> new LockView.HolderView(
                                sessionOf(h.sessionId()),
                                h.owner(),
                                h.token(),
                                h.since(),
                                h.leaseLeft(),
                                h.mode(),
                                h.revokedBy()))
                        .toList(),
                view.queue().stream()
                        .map(w -> new LockView.WaiterView(
                                sessionOf(w.sessionId()), w.owner(), w.since(), w.waitLeft(), w.mode()))
                        .toList());
    }
}
