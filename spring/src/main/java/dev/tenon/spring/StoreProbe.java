package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.spi.OutboxSummary;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Asks the store whether it is there: one round trip, and one more each where there are transactions and an outbox.
 * Thread-safe.
 */
final class StoreProbe {
    private final TenonBackend backend;
    private final HeldLocks held;
    private final ObjectProvider<StuckTransactions> transactions;
    private final ObjectProvider<Outbox> outbox;

    StoreProbe(
            TenonBackend backend,
            HeldLocks held,
            ObjectProvider<StuckTransactions> transactions,
            ObjectProvider<Outbox> outbox) {
        this.outbox = outbox;
        this.backend = backend;
        this.held = held;
        this.transactions = transactions;
    }

    /**
     * What the store has answered.
     *
     * @param status the code of a status of Spring's
     */
    record Answer(String status, Map<String, Object> details) {}

    /** What is known of it; throws what the store throws. */
    Answer ask() {
        backend.locks().inspect(Connection.PROBE);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("backend", backend.kind());
        details.put("locksHeld", held.count());
        // A dead letter makes no application unwell: to start it again would not help.
        outbox().ifPresent(shown -> details.put("outbox", shown));
        StuckTransactions stuck = transactions.getIfAvailable();
        if (stuck == null) {
            return new Answer(StuckHealth.UP.name(), details);
        }
        StuckTransactions.Found found = stuck.look();
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("stuck", found.stuck());
        counts.put("suspended", found.suspended());
        if (found.oldest() != null) {
            counts.put("oldest", found.oldest().toString());
        }
        details.put("transactions", counts);
        return new Answer(found.health().name(), details);
    }

    private Optional<Map<String, Object>> outbox() {
        return Optional.ofNullable(outbox.getIfUnique()).map(open -> {
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
