package dev.tenon.jdbc;

import static dev.tenon.lock.spi.LockStateText.duration;
import static dev.tenon.lock.spi.LockStateText.instant;
import static dev.tenon.lock.spi.LockStateText.line;
import static dev.tenon.lock.spi.LockStateText.micros;

import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.LockMode;
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
 * What a row keeps as text: lines of fields separated by tabs, neither of which a name can have in it.
 *
 * <p>{@code waiters}: one line a waiter: request, session, owner, lease, queued at, waits until; and, for one that does
 * not want plain exclusivity, mode, lock-delay and the token that it converts. {@code more}: empty for a <em>plain</em>
 * row, which the other columns say everything of and single statements may change; else the whole truth about who
 * holds, one line a holder (H), and about a lock-delay (D), to be changed by the state machine alone. Q stands for
 * neither.
 */
final class LockText {
    private static final int PLAIN_FIELDS = 6;

    private LockText() {}

    /**
     * How a holder came by the lock.
     *
     * @param waited how long it was queued
     * @param unclaimed whether another process than the waiter's own handed it over, and the waiter has not renewed it
     *     yet
     */
    record Hand(Duration waited, boolean unclaimed) {
        static final Hand NONE = new Hand(Duration.ZERO, false);
    }

    /** The content of {@code more}; hands by token. */
    record More(List<Holder> holders, Map<Long, Hand> hands, Optional<Instant> delayUntil) {}

    /**
     * Whether statements that know only of plain exclusivity do right by such a wish; order makes no difference to it.
     */
    static boolean isPlain(Terms terms) {
        return terms.mode().equals(LockMode.EXCLUSIVE)
                && micros(terms.lockDelay()) == 0
                && terms.converts().isEmpty();
    }

    private static boolean isPlain(LockState state) {
        return state.delayUntil().isEmpty()
                && state.holders().stream()
                        .allMatch(h -> h.mode().equals(LockMode.EXCLUSIVE)
                                && micros(h.lockDelay()) == 0
                                && h.revokedBy().isEmpty()
                                && h.token() == state.token())
                && state.queue().stream().allMatch(w -> isPlain(w.terms()));
    }

    static String more(LockState state, Map<Long, Hand> hands) {
        if (isPlain(state)) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        for (Holder h : state.holders()) {
            Hand hand = hands.getOrDefault(h.token(), Hand.NONE);
            line(
                    text,
                    "H",
                    h.requestId(),
                    h.sessionId(),
                    h.owner(),
                    h.token(),
                    micros(h.since()),
                    micros(h.expiresAt()),
                    LockStateText.mode(h.mode()),
                    micros(h.lockDelay()),
                    micros(hand.waited()),
                    hand.unclaimed() ? 1 : 0,
                    h.revokedBy().orElse(""));
        }
        state.delayUntil().ifPresent(until -> line(text, "D", micros(until)));
        if (text.isEmpty()) {
            line(text, "Q");
        }
        return text.toString();
    }

    static More more(String text) {
        List<Holder> holders = new ArrayList<>();
        Map<Long, Hand> hands = new HashMap<>();
        Optional<Instant> delay = Optional.empty();
        for (String line : text.lines().toList()) {
            String[] fields = LockStateText.fields(line);
            if (fields[0].equals("H")) {
                Holder holder = new Holder(
                        fields[2],
                        fields[1],
                        fields[3],
                        Long.parseLong(fields[4]),
                        instant(fields[5]),
                        instant(fields[6]),
                        LockStateText.mode(fields[7]),
                        duration(fields[8]),
                        Optional.of(fields[11]).filter(by -> !by.isEmpty()));
                holders.add(holder);
                hands.put(holder.token(), new Hand(duration(fields[9]), fields[10].equals("1")));
            } else if (fields[0].equals("D")) {
                delay = Optional.of(instant(fields[1]));
            }
        }
        return new More(holders, hands, delay);
    }

    static String waiters(List<Waiter> waiters) {
        StringBuilder text = new StringBuilder();
        for (Waiter w : waiters) {
            List<Object> fields = new ArrayList<>(List.of(
                    w.requestId(),
                    w.sessionId(),
                    w.owner(),
                    micros(w.lease()),
                    micros(w.since()),
                    micros(w.deadline())));
            Terms terms = w.terms();
            if (!isPlain(terms)) {
                fields.add(LockStateText.mode(terms.mode()));
                fields.add(micros(terms.lockDelay()));
                fields.add(LockStateText.converts(terms));
            }
            line(text, fields.toArray());
        }
        return text.toString();
    }

    static List<Waiter> waiters(String text) {
        return text.lines()
                .map(LockStateText::fields)
                .map(fields -> new Waiter(
                        fields[1],
                        fields[0],
                        fields[2],
                        duration(fields[3]),
                        instant(fields[4]),
                        instant(fields[5]),
                        fields.length == PLAIN_FIELDS
                                ? Terms.EXCLUSIVE
                                : LockStateText.terms(fields[6], fields[7], fields[8])))
                .toList();
    }
}
