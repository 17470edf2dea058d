package dev.tenon.raft;

import dev.tenon.raft.EntryCodec.Sender;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The latest entry of each process that sent one: so an entry that was sent again, because its answer was lost with a
 * leader, is applied once (Ongaro, "Consensus: bridging theory and practice", 2014, 6.3). One number a process is
 * enough, as each has one entry on its way at a time. Part of the replicated state; not thread-safe.
 */
final class Senders {
    /**
     * Of more processes, the ones that were silent for longest are forgotten: they have nothing on its way any more.
     */
    static final int MAX = 1024;

    private final LinkedHashMap<UUID, Long> latest = new LinkedHashMap<>();

    /** Notes an entry. False: it, or a later one of its sender, was noted before. */
    boolean note(Sender sender) {
        Long before = latest.remove(sender.process());
        boolean isNew = before == null || sender.sequence() > before;
        latest.put(sender.process(), before == null || isNew ? sender.sequence() : before);
        if (latest.size() > MAX) {
            latest.remove(latest.keySet().iterator().next());
        }
        return isNew;
    }

    /** The number of the latest entry of a process; 0 if none is known. */
    long latestOf(UUID process) {
        return latest.getOrDefault(process, 0L);
    }

    /** All, in the order of their last entries. */
    List<Sender> export() {
        List<Sender> all = new ArrayList<>();
        for (Map.Entry<UUID, Long> entry : latest.entrySet()) {
            all.add(new Sender(entry.getKey(), entry.getValue()));
        }
        return all;
    }

    /** What {@link #export} gave. */
    static Senders of(List<Sender> all) {
        Senders senders = new Senders();
        all.forEach(senders::note);
        return senders;
    }
}
