package dev.tenon.etcd;

import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterEvents;
import dev.tenon.lock.engine.RegisterStore.Change;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * All the notices of one write to one process, as the value of a key: name, what to say, the revision that created the
 * register (0: this one) and the register's new text, unless that is long or gone. Characters 1 and 2 separate these;
 * neither a name nor a text has them.
 */
final class EtcdNotices {
    private static final String END = "\u0001";
    private static final String NEXT = "\u0002";
    private static final int TEXT_MAX = 16 << 10;

    /** Of all notices of a write: etcd takes a request of 1.5 MiB at most. */
    private static final int TEXTS_MAX = 128 << 10;

    private EtcdNotices() {}

    /** @param receivers how many are told by the same write */
    static String text(List<Notice> notices, List<Change> changes, int receivers) {
        int textMax = Math.min(TEXT_MAX, TEXTS_MAX / receivers);
        return notices.stream()
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
     * Hands the notices of a value out.
     *
     * @param revision that wrote the value, and the registers in it
     */
    static void deliver(String text, String process, long revision, RegisterEvents to) {
        if (text.isEmpty()) {
            return; // the key was made, or made anew
        }
        for (String each : text.split(END, -1)) {
            String[] fields = each.split(NEXT, -1);
            if (fields.length != 4) {
                continue; // not Tenon's
            }
            long created = Long.parseLong(fields[2]);
            Optional<Register> now = fields[3].isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Register(
                            fields[0], Optional.of(fields[3]), revision, created == 0 ? revision : created, revision));
            to.noticed(new Notice(process, fields[0], fields[1]), now);
        }
    }
}
