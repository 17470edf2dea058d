package dev.tenon.lock.spi.cell;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;

/** The texts of {@link Mail}: words separated by spaces; in a word, a space is {@code %20} and a percent sign {@code %25}. */
final class CellMail {
    private static final String GRANT = "G";
    private static final String REVOCATION = "R";
    private static final String CHANGED = "S";

    private CellMail() {}

    static Mail of(Grant grant) {
        Address to = Address.parse(grant.sessionId());
        return new Mail(
                to.process(),
                grant.name(),
                words(
                        GRANT,
                        grant.requestId(),
                        to.sessionId(),
                        grant.token(),
                        CellText.micros(grant.sinceQueued()),
                        CellText.micros(grant.lease())));
    }

    static Mail of(Revocation revocation) {
        Address to = Address.parse(revocation.sessionId());
        return new Mail(
                to.process(),
                revocation.name(),
                words(REVOCATION, to.sessionId(), revocation.token(), revocation.by()));
    }

    /** To a process that holds the lock: its next write should know of this one. */
    static Mail changed(String process, String name) {
        return new Mail(process, name, CHANGED);
    }

    /** Tells the sessions what a mail says. Whoever wrote one that can't be read is not Tenon, and is not heard. */
    static void deliver(Mail mail, CellSessions sessions) {
        String[] words = mail.text().split(" ", -1);
        if (words[0].equals(GRANT) && words.length == 6) {
            sessions.granted(new Grant(
                    mail.name(),
                    plain(words[1]),
                    new Address(mail.process(), plain(words[2])).text(),
                    Long.parseLong(words[3]),
                    CellText.duration(words[4]),
                    CellText.duration(words[5])));
        } else if (words[0].equals(REVOCATION) && words.length == 4) {
            sessions.revokeAsked(new Revocation(
                    mail.name(),
                    new Address(mail.process(), plain(words[1])).text(),
                    Long.parseLong(words[2]),
                    plain(words[3])));
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
