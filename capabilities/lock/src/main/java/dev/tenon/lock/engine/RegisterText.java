package dev.tenon.lock.engine;

import static dev.tenon.lock.spi.LockStateText.duration;
import static dev.tenon.lock.spi.LockStateText.instant;
import static dev.tenon.lock.spi.LockStateText.line;
import static dev.tenon.lock.spi.LockStateText.micros;

import dev.tenon.TenonException;
import dev.tenon.lock.engine.RegisterView.LeaseMark;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import dev.tenon.lock.spi.LockStateText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The text of a register: lines of fields separated by tabs, neither of which a name can have in it. Times are
 * microseconds before or after the moment of the write; only a holder's {@code since} is in microseconds since 1970,
 * for people.
 *
 * <pre>
 * 1  token                                        format, greatest token; "C": that of the register's creation
 * H  request session owner token since left mode lock-delay mark covered revoked-by      a holder
 * D  left mark                                                                          a lock-delay
 * W  request session owner lease age left mode lock-delay converts                      a waiter
 * </pre>
 */
final class RegisterText {
    private static final String FORMAT = "1";
    private static final String CREATION = "C";

    private RegisterText() {}

    static String write(RegisterView known, Instant now) {
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
                    micros(h.since()),
                    left(now, h.expiresAt()),
                    LockStateText.mode(h.mode()),
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
                    LockStateText.mode(w.terms().mode()),
                    micros(w.terms().lockDelay()),
                    LockStateText.converts(w.terms()));
        }
        return text.toString();
    }

    static RegisterView read(Register register, String text, Instant seen) {
        try {
            return parsed(register, text, seen);
        } catch (RuntimeException e) {
            throw new TenonException(
                    "The register of lock \"" + register.name() + "\" does not have what Tenon writes: "
                            + text.substring(0, Math.min(100, text.length())),
                    e);
        }
    }

    private static RegisterView parsed(Register register, String text, Instant seen) {
        long token = 0;
        List<Holder> holders = new ArrayList<>();
        Map<Long, LeaseMark> leases = new HashMap<>();
        List<Waiter> queue = new ArrayList<>();
        Optional<Instant> delay = Optional.empty();
        long delayedBy = 0;
        for (String line : text.lines().toList()) {
            String[] fields = LockStateText.fields(line);
            switch (fields[0]) {
                case FORMAT -> token = token(fields[1], register);
                case "H" -> {
                    Holder holder = holder(fields, register, seen);
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
        return new RegisterView(
                register, new LockState(register.name(), token, holders, queue, delay), leases, delayedBy);
    }

    private static Holder holder(String[] fields, Register register, Instant seen) {
        return new Holder(
                fields[2],
                fields[1],
                fields[3],
                token(fields[4], register),
                instant(fields[5]),
                seen.plus(duration(fields[6])),
                LockStateText.mode(fields[7]),
                duration(fields[8]),
                Optional.of(fields[11]).filter(by -> !by.isEmpty()));
    }

    private static Waiter waiter(String[] fields, Instant seen) {
        return new Waiter(
                fields[2],
                fields[1],
                fields[3],
                duration(fields[4]),
                seen.minus(duration(fields[5])),
                seen.plus(duration(fields[6])),
                LockStateText.terms(fields[7], fields[8], fields[9]));
    }

    private static String token(long token) {
        return token == RegisterView.TOKEN_OF_CREATION ? CREATION : String.valueOf(token);
    }

    private static long token(String text, Register register) {
        return text.equals(CREATION) ? register.created() * RegisterView.STRIDE : Long.parseLong(text);
    }

    /** Rounded down: nothing is older than it is. */
    private static long age(Instant since, Instant now) {
        return Math.max(0, micros(Duration.between(since, now)));
    }

    /** Rounded up: nothing ends early. */
    private static long left(Instant now, Instant end) {
        return Math.max(0, micros(Duration.between(now, end).plusNanos(999)));
    }
}
