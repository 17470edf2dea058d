package dev.tenon.redis;

import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the lock scripts answer, as the lock capability's types. Durations and moments are microseconds. */
final class RedisLockReplies {
    private RedisLockReplies() {}

    static Outcome outcome(List<?> reply) {
        return switch (text(reply, 0)) {
            case "GRANTED" -> new Outcome.Granted(number(reply, 1), micros(number(reply, 2)));
            case "QUEUED" -> new Outcome.Queued(Math.toIntExact(number(reply, 1)), micros(number(reply, 2)));
            case "NOT_HELD" -> new Outcome.NotHeld();
            case "BUSY" -> new Outcome.Busy(text(reply, 1), micros(number(reply, 2)));
            default -> throw unknown(reply);
        };
    }

    static Released released(List<Object> reply) {
        return Released.valueOf(text(reply, 0));
    }

    static Renewed renewed(List<Object> reply) {
        return switch (text(reply, 0)) {
            case "EXTENDED" -> new Renewed.Extended(micros(number(reply, 1)), asked(text(reply, 2)));
            case "NOT_HELD" -> new Renewed.NotHeld();
            default -> throw unknown(reply);
        };
    }

    static Cancelled cancelled(List<Object> reply) {
        return switch (text(reply, 0)) {
            case "WAS_GRANTED" -> new Cancelled.WasGranted(number(reply, 1), micros(number(reply, 2)));
            case "GONE" -> new Cancelled.Gone();
            default -> throw unknown(reply);
        };
    }

    static Optional<Long> evicted(List<Object> reply) {
        return switch (text(reply, 0)) {
            case "EVICTED" -> Optional.of(number(reply, 1));
            case "NOT_HELD" -> Optional.empty();
            default -> throw unknown(reply);
        };
    }

    static Optional<LockView> view(String name, List<Object> reply) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        long now = number(reply, 0);
        List<LockView.HolderView> holders = list(reply, 1).stream()
                .map(holder -> holder((List<?>) holder, now))
                .toList();
        Map<String, String> waits = pairs(list(reply, 3));
        Map<String, String> deadlines = pairs(list(reply, 4));
        List<LockView.WaiterView> queue = new ArrayList<>();
        for (Object request : list(reply, 2)) {
            String[] wait = String.valueOf(waits.get(request)).split("\n", -1);
            double deadline = Double.parseDouble(String.valueOf(deadlines.get(request)));
            queue.add(new LockView.WaiterView(
                    wait[2], wait[3], moment(Long.parseLong(wait[1])), micros((long) deadline - now), mode(wait[4])));
        }
        long token =
                holders.stream().mapToLong(LockView.HolderView::token).max().orElse(0);
        return Optional.of(new LockView(name, token, holders, queue));
    }

    private static LockView.HolderView holder(List<?> reply, long now) {
        return new LockView.HolderView(
                text(reply, 1),
                text(reply, 2),
                number(reply, 0),
                moment(number(reply, 3)),
                micros(number(reply, 4) + number(reply, 5) - now),
                mode(text(reply, 6)),
                asked(text(reply, 7)));
    }

    /** A mode as the scripts write it. */
    static String text(LockMode mode) {
        return switch (mode.kind()) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
            case UPDATE -> "U";
            case PERMITS -> "P " + mode.permits() + " " + mode.max();
        };
    }

    private static LockMode mode(String text) {
        return switch (text) {
            case "X" -> LockMode.EXCLUSIVE;
            case "S" -> LockMode.SHARED;
            case "U" -> LockMode.UPDATE;
            default -> {
                String[] permits = text.split(" ");
                yield LockMode.permits(Integer.parseInt(permits[1]), Integer.parseInt(permits[2]));
            }
        };
    }

    private static Optional<String> asked(String by) {
        return Optional.of(by).filter(who -> !who.isEmpty());
    }

    static int count(List<Object> reply) {
        return Math.toIntExact(number(reply, 0));
    }

    static List<Outcome> outcomes(List<Object> reply) {
        return reply.stream().map(one -> outcome((List<?>) one)).toList();
    }

    /** What {@code revoke.lua} publishes to the session of a holder; empty if the message is a grant. */
    static Optional<Revocation> revocation(String sessionId, String message) {
        String[] line = message.split("\n");
        return line.length == 3
                ? Optional.of(new Revocation(line[0], sessionId, Long.parseLong(line[1]), line[2]))
                : Optional.empty();
    }

    /** What {@code settle.lua} publishes to the session of a waiter. */
    static Grant grant(String sessionId, String message) {
        String[] line = message.split("\n");
        return new Grant(
                line[0],
                line[1],
                sessionId,
                Long.parseLong(line[2]),
                micros(Long.parseLong(line[3])),
                micros(Long.parseLong(line[4])));
    }

    static long micros(Duration duration) {
        // Up: what is less than a microsecond must not become nothing.
        return duration.plusNanos(999).toNanos() / 1000;
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    private static Instant moment(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static Map<String, String> pairs(List<?> flat) {
        Map<String, String> pairs = new HashMap<>();
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            pairs.put(String.valueOf(flat.get(i)), String.valueOf(flat.get(i + 1)));
        }
        return pairs;
    }

    private static String text(List<?> reply, int index) {
        return (String) reply.get(index);
    }

    private static List<?> list(List<Object> reply, int index) {
        return (List<?>) reply.get(index);
    }

    private static long number(List<?> reply, int index) {
        return reply.get(index) instanceof Long whole ? whole : Long.parseLong(text(reply, index));
    }

    private static IllegalStateException unknown(List<?> reply) {
        return new IllegalStateException("A script of another version answered: " + reply);
    }
}
