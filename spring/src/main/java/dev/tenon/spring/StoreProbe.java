package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.spi.OutboxSummary;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;

/** Asks the store whether it is there: one round trip, and one more where there is an outbox. Thread-safe. */
final class StoreProbe {
    private final TenonBackend backend;
    private final HeldLocks held;
    private final ObjectProvider<Outbox> outbox;

    StoreProbe(TenonBackend backend, HeldLocks held, ObjectProvider<Outbox> outbox) {
        this.outbox = outbox;
        this.backend = backend;
        this.held = held;
    }

    /** What is known of it; throws what the store throws. */
    Map<String, Object> ask() {
        backend.locks().inspect(Connection.PROBE);
        Map<String, Object> known = new LinkedHashMap<>();
        known.put("backend", backend.kind());
        known.put("locksHeld", held.count());
        // A dead letter makes no application unwell: to start it again would not help.
        outbox().ifPresent(shown -> known.put("outbox", shown));
        return known;
    }

    private Optional<Map<String, Object>> outbox() {
        return Optional.ofNullable(outbox.getIfUnique())
                .filter(Outbox::hasOperations)
                .map(open -> {
                    OutboxSummary summary = open.summary();
                    Map<String, Object> shown = new LinkedHashMap<>();
                    shown.put("name", summary.outbox());
                    shown.put("deadLetters", summary.deadLetters());
                    shown.put("waiting", summary.waiting());
                    summary.lag().ifPresent(lag -> shown.put("lag", lag.toString()));
                    return shown;
                });
    }

    /** As a health that can't be well may show it. */
    String reason(TenonException failure) {
        return backend.kind() + ": " + Connection.withoutSecrets(failure.getMessage());
    }
}
