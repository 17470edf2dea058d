package dev.tenon.lock.spi.cell;

import dev.tenon.TimeSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives what the store tells this process, and blocks on nothing. Thread-safe. */
final class CellPostbox implements CellEvents {
    private final CellMemory memory;
    private final CellSessions sessions;
    private final TimeSource time;
    private final Set<String> lookedAt = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Parts parts;

    private record Parts(CellPresence presence, CellCalls calls, CellCare care, Consumer<Runnable> later) {}

    CellPostbox(CellMemory memory, CellSessions sessions, TimeSource time) {
        this.memory = memory;
        this.sessions = sessions;
        this.time = time;
    }

    /**
     * To be called before the first event.
     *
     * @param later runs what may block
     */
    void open(CellPresence presence, CellCalls calls, CellCare care, Consumer<Runnable> later) {
        parts = new Parts(presence, calls, care, later);
    }

    @Override
    public void mail(Mail mail, Optional<Cell> now) {
        now.ifPresent(cell -> memory.see(cell, Known.moment(time.nanoTime())));
        CellMail.deliver(mail, sessions);
        if (now.isEmpty() && sessions.holds(mail.name()) && lookedAt.add(mail.name())) {
            // So that the holder need not find out when it gives the lock back.
            parts().later().accept(() -> {
                lookedAt.remove(mail.name());
                parts().calls().look(mail.name());
            });
        }
    }

    @Override
    public void gone(String process) {
        parts().presence().gone(process);
        if (process.equals(parts().presence().process())) {
            return; // it is here, and the next pass says so
        }
        parts().later().accept(() -> parts().care().passOn(process, sessions.awaited()));
    }

    @Override
    public void resync() {
        parts().presence().resync();
        sessions.resync();
    }

    private Parts parts() {
        return Objects.requireNonNull(parts);
    }
}
