package dev.tenon.server.access;

import dev.tenon.Printable;
import dev.tenon.server.json.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of every change that others will ask about: who took a lock away, defined IDs, changed the cluster or a key.
 * Thread-safe. It is told after the deed.
 */
@FunctionalInterface
public interface Audit {
    /** The name of the logger, of which each line is a JSON object. */
    String LOGGER = "tenon.audit";

    /** Writes a line of JSON to the logger {@code tenon.audit}: {@code {"time","what","who","on","why"?,…}}. */
    Audit LOG = new Audit() {
        private static final Logger LINES = LoggerFactory.getLogger(LOGGER);

        @Override
        public void tell(Deed deed) {
            LINES.info("{}", deed.line());
        }
    };

    /**
     * What was done.
     *
     * @param what one of few words, such as {@code lock-evicted}; {@code docs/server/security.md} lists them
     * @param who the caller, as the gate named him
     * @param on the name of the lock, ID, key or member; empty: the server as a whole
     * @param more what else is worth knowing, such as {@code why}
     */
    record Deed(String what, String who, String on, Map<String, Object> more) {
        /** It, with the time, as one line of JSON; whatever its parts hold, it stays one line. */
        public String line() {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("time", Instant.now().toString());
            line.put("what", what);
            line.put("who", who);
            line.put("on", on);
            line.putAll(more);
            return Printable.of(Json.text(line));
        }
    }

    /** Something was done. */
    void tell(Deed deed);

    /** Something was done. */
    default void tell(String what, String who, String on, Map<String, Object> more) {
        tell(new Deed(what, who, on, more));
    }
}
