package dev.tenon.tx.message;

import dev.tenon.tx.Message;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How a message travels through a broker that carries text headers beside a body: which headers Tenon adds. All of them
 * begin with {@value #PREFIX}; no header of a message may. Any program may send such messages, in any language.
 * Stateless.
 */
public final class Envelope {
    /** What the names of Tenon's own headers begin with. */
    public static final String PREFIX = "tenon-";

    /** The message's ID. */
    public static final String ID = "tenon-id";

    /** The message's type. */
    public static final String TYPE = "tenon-type";

    /** The message's key, where the broker itself has no place for one. */
    public static final String KEY = "tenon-key";

    /** Of a dead letter: every failure and replay, a line each, the last {@value #LINES_MAX}. */
    public static final String HISTORY = "tenon-history";

    /** Of a dead letter: the topic or queue that it came from. */
    public static final String DEAD_FROM = "tenon-dead-from";

    /** Of a dead letter: why. */
    public static final String DEAD_REASON = "tenon-dead-reason";

    /** Of a dead letter: after how many attempts. */
    public static final String DEAD_ATTEMPTS = "tenon-dead-attempts";

    /** Of a dead letter: when, as an ISO instant. */
    public static final String DEAD_AT = "tenon-dead-at";

    /** Of a dead letter: the group whose consumer gave it up. */
    public static final String DEAD_GROUP = "tenon-dead-group";

    static final int LINES_MAX = 20;
    private static final int LINE_LENGTH_MAX = 300;
    private static final String DEAD = "tenon-dead-";

    private Envelope() {}

    /**
     * The headers that a message travels with: its own, its ID, type and key.
     *
     * @throws IllegalArgumentException if one of its own has a name that is Tenon's
     */
    public static Map<String, String> headers(Message message) {
        Map<String, String> headers = new TreeMap<>(message.headers());
        headers.keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("Header \"" + name + "\": names that begin with " + PREFIX
                            + " are Tenon's own; take another one");
                });
        headers.put(ID, message.id());
        headers.put(TYPE, message.type());
        message.key().ifPresent(key -> headers.put(KEY, key));
        return headers;
    }

    /**
     * The message that came with these headers.
     *
     * @param target the topic or queue that it came from
     * @param headers as in {@link #headers}; those of Tenon that are unknown are left out
     * @param otherwise its ID, if the headers have none: the same each time that it comes
     * @throws IllegalArgumentException if it is not a message: it has no ID, or something is out of its bounds
     */
    public static Message open(String target, Map<String, String> headers, byte[] body, Optional<String> otherwise) {
        Map<String, String> own = new TreeMap<>(headers);
        own.keySet().removeIf(name -> name.startsWith(PREFIX));
        String id = Optional.ofNullable(headers.get(ID))
                .or(() -> otherwise)
                .orElseThrow(() -> new IllegalArgumentException("It has no ID: no header " + ID
                        + ", and nothing else by which it would be known if it comes again"));
        return new Message(
                id, target, Optional.ofNullable(headers.get(KEY)), headers.getOrDefault(TYPE, ""), body, own);
    }

    /** What is said of a message that was given up. */
    record Death(String from, String group, String reason, int attempts, List<String> history, Instant at) {}

    static Map<String, String> dead(Map<String, String> headers, Death death) {
        Map<String, String> dead = new LinkedHashMap<>(headers);
        dead.put(DEAD_FROM, death.from());
        dead.put(DEAD_GROUP, death.group());
        dead.put(DEAD_REASON, line(death.reason()));
        dead.put(DEAD_ATTEMPTS, Integer.toString(death.attempts()));
        dead.put(DEAD_AT, death.at().toString());
        death.history().forEach(line -> note(dead, line));
        return dead;
    }

    /**
     * The headers with which a dead letter goes back to where it came from.
     *
     * @param headers those of the dead letter
     * @param by name of the operator, for the history
     */
    public static Map<String, String> replayed(Map<String, String> headers, String by, Instant now) {
        Map<String, String> replayed = new LinkedHashMap<>(headers);
        replayed.keySet().removeIf(name -> name.startsWith(DEAD));
        note(replayed, now + " replayed by " + by);
        return replayed;
    }

    /**
     * A dead letter as its headers tell it.
     *
     * @throws IllegalArgumentException if it is none: nothing says where it came from
     */
    public static DeadLetter deadLetter(Map<String, String> headers, byte[] body) {
        String from = headers.get(DEAD_FROM);
        if (from == null) {
            throw new IllegalArgumentException(
                    "No dead letter of Tenon's: it has no header " + DEAD_FROM + ", so it can't go back");
        }
        return new DeadLetter(
                Optional.ofNullable(headers.get(ID)),
                from,
                headers.getOrDefault(DEAD_REASON, ""),
                headers.getOrDefault(HISTORY, "").lines().toList(),
                body);
    }

    private static void note(Map<String, String> headers, String what) {
        List<String> lines =
                new ArrayList<>(headers.getOrDefault(HISTORY, "").lines().toList());
        lines.add(line(what));
        headers.put(HISTORY, String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_MAX), lines.size())));
    }

    /** One line without control characters, which brokers may take for their own. */
    private static String line(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= LINE_LENGTH_MAX ? line : line.substring(0, LINE_LENGTH_MAX);
    }
}
