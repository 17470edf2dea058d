package dev.tenon.lock.spi;

import dev.tenon.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import java.util.TreeSet;

/** A session and the names that it holds or waits for, sorted: the order in which it leaves them must not vary. */
final class SessionPresence {
    final SessionSpec spec;
    final TreeSet<String> names = new TreeSet<>(Names.ORDER);

    /** Locks that live as long as the session: name by token. */
    final TreeMap<Long, String> bound = new TreeMap<>();

    Instant deadline;

    SessionPresence(SessionSpec spec, Instant deadline) {
        this.spec = spec;
        this.deadline = deadline;
    }

    Duration left(Instant now) {
        return Duration.between(now, deadline);
    }

    Deadline asDeadline() {
        return new Deadline(deadline, true, spec.id());
    }
}
