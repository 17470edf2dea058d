package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives what the store tells this process, and blocks on nothing. Thread-safe. */
final class NoticeBoard implements RegisterEvents {
    private final RegisterCache memory;
    private final SessionBook sessions;
    private final TimeSource time;
    private final Set<String> lookedAt = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Parts parts;

    private record Parts(
            ProcessPresence presence, RegisterCalls calls, OrphanSweeper sweeper, Consumer<Runnable> later) {}

    NoticeBoard(RegisterCache memory, SessionBook sessions, TimeSource time) {
        this.memory = memory;
        this.sessions = sessions;
        this.time = time;
    }

    /**
     * To be called before the first event.
     *
     * @param later loop what may block
     */
    void open(ProcessPresence presence, RegisterCalls calls, OrphanSweeper sweeper, Consumer<Runnable> later) {
        parts = new Parts(presence, calls, sweeper, later);
    }

    @Override
    public void noticed(Notice notice, Optional<Register> now) {
        now.ifPresent(register -> memory.see(register, RegisterView.moment(time.nanoTime())));
        notice.deliver(sessions);
        if (now.isEmpty() && sessions.holds(notice.name()) && lookedAt.add(notice.name())) {
            // So that the holder need not find out when it gives the lock back.
            parts().later().accept(() -> {
                lookedAt.remove(notice.name());
                parts().calls().look(notice.name());
            });
        }
    }

    @Override
    public void gone(String process) {
        parts().presence().gone(process);
        if (process.equals(parts().presence().process())) {
            return; // it is here, and the next pass says so
        }
        parts().later().accept(() -> parts().sweeper().passOn(process, sessions.awaited()));
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
