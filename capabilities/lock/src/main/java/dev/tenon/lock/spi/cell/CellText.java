package dev.tenon.lock.spi.cell;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import dev.tenon.lock.spi.cell.Known.LeaseMark;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The text of a cell: lines of fields separated by tabs, neither of which a name can have in it. Times are microseconds
 * before or after the moment of the write; only a holder's {@code since} is in microseconds since 1970, for people.
 *
 * <pre>
 * 1  token                                        format and greatest token; a token "C" is that of the cell's creation
 * H  request session owner token since left mode lock-delay mark covered revoked-by      a holder
 * D  left mark                                                                          a lock-delay
 * W  request session owner lease age left mode lock-delay converts                      a waiter
 * </pre>
 */
final class CellText {
    private static final String FORMAT = "1";
    private static final String CREATION = "C";

    private CellText() {}

    static String write(Known known, Instant now) {
        LockState state = known.state();
        StringBuilder text = new StringBuilder();
        line(text, FORMAT, token(state.token()));
        for (Holder h : state.holders()) {
            LeaseMark lease = known.leases().getOrDefault(h.token(), new LeaseMark(0, false));
            line(
                    text,
                    "H",
                    h.requestId(),
                    h.sessionId(),
                    h.owner(),
                    token(h.token()),
                    ChronoUnit.MICROS.between(Instant.EPOCH, h.since()),
                    left(now, h.expiresAt()),
                    text(h.mode()),
                    micros(h.lockDelay()),
                    lease.mark(),
                    lease.covered() ? 1 : 0,
                    h.revokedBy().orElse(""));
        }
        state.delayUntil().ifPresent(until -> line(text, "D", left(now, until), known.delayedBy()));
        for (Waiter w : state.queue()) {
            line(
                    text,
                    "W",
                    w.requestId(),
                    w.sessionId(),
                    w.owner(),
                    micros(w.lease()),
                    age(w.since(), now),
                    left(now, w.deadline()),
                    text(w.terms().mode()),
                    micros(w.terms().lockDelay()),
                    w.terms().converts().isPresent() ? w.terms().converts().getAsLong() : "");
        }
        return text.toString();
    }

    static Known read(Cell cell, String text, Instant seen) {
        try {
            return parsed(cell, text, seen);
        } catch (RuntimeException e) {
            throw new TenonException(
                    "The cell of lock \"" + cell.name() + "\" does not have what Tenon writes: "
                            + text.substring(0, Math.min(100, text.length())),
                    e);
        }
    }

    private static Known parsed(Cell cell, String text, Instant seen) {
        long token = 0;
        List<Holder> holders = new ArrayList<>();
        Map<Long, LeaseMark> leases = new HashMap<>();
        List<Waiter> queue = new ArrayList<>();
        Optional<Instant> delay = Optional.empty();
        long delayedBy = 0;
        for (String line : text.lines().toList()) {
            String[] fields = line.split("\t", -1);
            switch (fields[0]) {
                case FORMAT -> token = token(fields[1], cell);
                case "H" -> {
                    Holder holder = holder(fields, cell, seen);
                    holders.add(holder);
                    leases.put(holder.token(), new LeaseMark(Long.parseLong(fields[9]), fields[10].equals("1")));
                }
                case "D" -> {
                    delay = Optional.of(seen.plus(duration(fields[1])));
                    delayedBy = Long.parseLong(fields[2]);
                }
                case "W" -> queue.add(waiter(fields, seen));
                default -> throw new IllegalArgumentException(line);
            }
        }
        if (token == 0) {
            throw new IllegalArgumentException("No token");
        }
        return new Known(cell, new LockState(cell.name(), token, holders, queue, delay), leases, delayedBy);
    }

    private static Holder holder(String[] fields, Cell cell, Instant seen) {
        return new Holder(
                fields[2],
                fields[1],
                fields[3],
                token(fields[4], cell),
                Instant.EPOCH.plus(duration(fields[5])),
                seen.plus(duration(fields[6])),
                mode(fields[7]),
                duration(fields[8]),
                Optional.of(fields[11]).filter(by -> !by.isEmpty()));
    }

    private static Waiter waiter(String[] fields, Instant seen) {
        // Whether a waiter minds the order makes no difference once it has its place, and is not kept.
        Terms terms = new Terms(
                mode(fields[7]),
                true,
                duration(fields[8]),
                fields[9].isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fields[9])));
        return new Waiter(
                fields[2],
                fields[1],
                fields[3],
                duration(fields[4]),
                seen.minus(duration(fields[5])),
                seen.plus(duration(fields[6])),
                terms);
    }

    private static String token(long token) {
        return token == Known.TOKEN_OF_CREATION ? CREATION : String.valueOf(token);
    }

    private static long token(String text, Cell cell) {
        return text.equals(CREATION) ? cell.created() * Known.STRIDE : Long.parseLong(text);
    }

    private static String text(LockMode mode) {
        return switch (mode.kind()) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
            case UPDATE -> "U";
            case PERMITS -> "P " + mode.permits() + " " + mode.max();
        };
    }

    private static LockMode mode(String text) {
        String[] words = text.split(" ", -1);
        return switch (words[0]) {
            case "X" -> LockMode.EXCLUSIVE;
            case "S" -> LockMode.SHARED;
            case "U" -> LockMode.UPDATE;
            default -> LockMode.permits(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        };
    }

    private static void line(StringBuilder text, Object... fields) {
        for (int i = 0; i < fields.length; i++) {
            text.append(i == 0 ? "" : "\t").append(fields[i]);
        }
        text.append('\n');
    }

    /** Rounded down: nothing is older than it is. */
    private static long age(Instant since, Instant now) {
        return Math.max(0, micros(Duration.between(since, now)));
    }

    /** Rounded up: nothing ends early. */
    private static long left(Instant now, Instant end) {
        return Math.max(0, micros(Duration.between(now, end).plusNanos(999)));
    }

    static long micros(Duration duration) {
        return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1000;
    }

    static Duration duration(String micros) {
        return Duration.of(Long.parseLong(micros), ChronoUnit.MICROS);
    }
}
