package dev.tenon.server.ids;

import dev.tenon.id.IdLayout;
import dev.tenon.id.WorkerId;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The worker IDs of a name: this server's, and all of them for people who look. */
final class Workers {
    private Workers() {}

    /**
     * Leases one for a generator of this server. Nobody waits in it for a store that may have forgotten who holds
     * which: the caller is told when to come again.
     *
     * @throws WorkerIdsForgottenException if that is so
     */
    static WorkerId lease(String name, IdLayout layout, IdResources resources) {
        try {
            return WorkerId.builder(resources.workerIds(name), layout)
                    .time(resources.time())
                    .settlingMax(Duration.ZERO)
                    .whenForgotten(e -> resources.forgotten().told(name, String.valueOf(e.getMessage())))
                    .lease();
        } catch (WorkerIdsForgottenException e) {
            resources.forgotten().waits(name, e.retryAfter());
            throw e;
        }
    }

    /** Every one that was ever held, by number. May block. */
    static List<Map<String, Object>> of(WorkerIdSource source) {
        return source.census().stream().map(Workers::document).toList();
    }

    private static Map<String, Object> document(WorkerSlotView slot) {
        Map<String, Object> document = new LinkedHashMap<>();
        boolean held = !slot.leaseLeft().isZero();
        document.put("workerId", slot.workerId());
        document.put("held", held);
        document.put("owner", slot.owner());
        document.put("since", slot.since().toString());
        if (held) {
            document.put("leaseLeft", slot.leaseLeft().toString());
        }
        document.put("fence", slot.fence().toString());
        return document;
    }
}
