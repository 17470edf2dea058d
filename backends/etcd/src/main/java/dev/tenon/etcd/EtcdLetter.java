package dev.tenon.etcd;

import dev.tenon.lock.spi.cell.Cell;
import dev.tenon.lock.spi.cell.CellEvents;
import dev.tenon.lock.spi.cell.LockCells.Change;
import dev.tenon.lock.spi.cell.Mail;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All the mail of one write to one process, as the value of a key: name, what to say, the revision that created the cell (0:
 * this one) and the cell's new text, unless that is long or gone. Characters 1 and 2 separate these; neither a name nor a text
 * has them.
 */
final class EtcdLetter {
    private static final String END = "\u0001";
    private static final String NEXT = "\u0002";
    private static final int TEXT_MAX = 16 << 10;

    /** Of all letters of a write: etcd takes a request of 1.5 MiB at most. */
    private static final int TEXTS_MAX = 128 << 10;

    private EtcdLetter() {}

    /** @param letters how many go with the same write */
    static String text(List<Mail> mail, List<Change> changes, int letters) {
        int textMax = Math.min(TEXT_MAX, TEXTS_MAX / letters);
        return mail.stream()
                .map(m -> {
                    Optional<Change> change = changes.stream()
                            .filter(c -> c.seen().name().equals(m.name()))
                            .findFirst();
                    Optional<String> text = change.flatMap(Change::next).filter(t -> t.length() <= textMax);
                    long created = change.map(c -> c.seen().created()).orElse(0L);
                    return String.join(NEXT, m.name(), m.text(), String.valueOf(created), text.orElse(""));
                })
                .collect(Collectors.joining(END));
    }

    /**
     * Hands the mail of a value out.
     *
     * @param revision that wrote the value, and the cells in it
     */
    static void deliver(String text, String process, long revision, CellEvents to) {
        if (text.isEmpty()) {
            return; // the key was made, or made anew
        }
        for (String each : text.split(END, -1)) {
            String[] fields = each.split(NEXT, -1);
            if (fields.length != 4) {
                continue; // not Tenon's
            }
            long created = Long.parseLong(fields[2]);
            Optional<Cell> now = fields[3].isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Cell(
                            fields[0], Optional.of(fields[3]), revision, created == 0 ? revision : created, revision));
            to.mail(new Mail(process, fields[0], fields[1]), now);
        }
    }
}
