package dev.tenon.jdbc;

import dev.tenon.tx.Message;
import dev.tenon.tx.TransactionEvent;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How parts of a message stand in the columns of {@code tenon_outbox}. */
final class OutboxText {
    private static final int LANE_BYTES = 16;
    private static final int DETAIL_LENGTH_MAX = 1000;

    private OutboxText() {}

    /** What the messages share that are sent one after the other; none without a key. */
    static @Nullable String lane(String outbox, Message message) {
        return message.key().map(key -> lane(outbox, message.target(), key)).orElse(null);
    }

    static String lane(String outbox, String target, String key) {
        String text = outbox + '\0' + target + '\0' + key;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, LANE_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /** Headers as a form would send them. */
    static String headers(Map<String, String> headers) {
        List<String> pairs = new ArrayList<>();
        new TreeMap<>(headers)
                .forEach((name, value) -> pairs.add(URLEncoder.encode(name, StandardCharsets.UTF_8)
                        + '='
                        + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return String.join("&", pairs);
    }

    static Map<String, String> headers(String text) {
        Map<String, String> headers = new TreeMap<>();
        for (String pair : text.isEmpty() ? new String[0] : text.split("&")) {
            int equals = pair.indexOf('=');
            headers.put(
                    URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
                    URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return headers;
    }

    /** A line of history, behind its time. */
    static String line(String what, String by, String detail) {
        return "\t" + flat(what) + "\t" + flat(by) + "\t" + flat(detail) + "\n";
    }

    /** The events of a history, of which the oldest may have been cut off. */
    static List<TransactionEvent> history(String text) {
        List<TransactionEvent> events = new ArrayList<>();
        for (String line : text.lines().toList()) {
            String[] parts = line.split("\t", -1);
            if (parts.length == 4 && parts[0].matches("\\d{16,17}")) {
                Instant at = Instant.EPOCH.plus(Long.parseLong(parts[0]), ChronoUnit.MICROS);
                events.add(new TransactionEvent(at, parts[1], parts[2], parts[3]));
            }
        }
        return events;
    }

    private static String flat(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= DETAIL_LENGTH_MAX ? line : line.substring(0, DETAIL_LENGTH_MAX - 1) + "…";
    }
}
