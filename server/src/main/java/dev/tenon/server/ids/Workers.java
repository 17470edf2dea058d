package dev.tenon.server.ids;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlotView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The worker IDs of a group, for people who look. */
final class Workers {
    private Workers() {}

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
