package dev.tenon.jdbc;

import dev.tenon.jdbc.LockText.Hand;
import dev.tenon.lock.engine.SessionAddress;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A row of {@code tenon_lock}: the state of one lock, and the moment at which it was read.
 *
 * @param state sessions in it are {@link SessionAddress}es as text
 * @param version of the row; 0: there is none
 * @param now by the database's clock, and never before the moment of the row's last change: were that clock set back,
 *     time would stand still for this lock, rather than waits and leases run backwards
 * @param seed every token granted from this row is at least as great
 * @param hands how each holder came by the lock, by its token
 */
record LockRow(LockState state, long version, Instant now, long seed, Map<Long, Hand> hands) {
    /** In {@code handed_to}: more than one process; which of them, {@code more} says. */
    private static final String SEVERAL = "*";

    LockRow {
        hands = Map.copyOf(hands);
    }

    /** Reads a row that has every column of the table, {@code now_at} and {@code fence}. */
    static LockRow read(String askedFor, ResultSet row) throws SQLException {
        String name = row.getString("name");
        long now = Math.max(row.getLong("now_at"), row.getLong("touched_at"));
        long seed = LockMachine.nextToken(row.getLong("fence"), now);
        if (name == null) {
            return new LockRow(LockState.free(askedFor, 0), 0, instant(now), seed, Map.of());
        }
        String more = row.getString("more");
        LockText.More held = more.isEmpty() ? plain(row) : LockText.more(more);
        return new LockRow(
                new LockState(
                        name,
                        row.getLong("token"),
                        held.holders(),
                        LockText.waiters(row.getString("waiters")),
                        held.delayUntil()),
                row.getLong("version"),
                instant(now),
                seed,
                held.hands());
    }

    private static LockText.More plain(ResultSet row) throws SQLException {
        String request = row.getString("holder_request");
        if (request == null) {
            return new LockText.More(List.of(), Map.of(), Optional.empty());
        }
        Holder holder = new Holder(
                row.getString("holder_session"),
                request,
                row.getString("holder_owner"),
                row.getLong("token"),
                instant(row.getLong("held_since")),
                instant(row.getLong("held_until")),
                LockMode.EXCLUSIVE,
                Duration.ZERO,
                Optional.empty());
        Hand hand = new Hand(duration(row.getLong("waited")), row.getString("handed_to") != null);
        return new LockText.More(List.of(holder), Map.of(holder.token(), hand), Optional.empty());
    }

    /** What a waiter is told that finds itself to be a holder of this row. */
    Grant grantOf(Holder holder) {
        return new Grant(
                state.name(),
                holder.requestId(),
                holder.sessionId(),
                holder.token(),
                hands.getOrDefault(holder.token(), Hand.NONE).waited(),
                Duration.between(holder.since(), holder.expiresAt()));
    }

    /** The holders that were handed the lock by another process than theirs, and may not know yet. */
    List<Holder> unclaimed() {
        return state.holders().stream()
                .filter(h -> hands.getOrDefault(h.token(), Hand.NONE).unclaimed())
                .toList();
    }

    /**
     * The values for writing the outcome of {@code step} over this row.
     *
     * @param channel of this process, which tells its own waiters without the bell
     */
    Args write(LockMachine.Step<?> step, String channel) {
        LockState next = step.state();
        Map<Long, Hand> nextHands = handsAfter(step, channel);
        // Of several holders, these columns show the first one to people, and the last end to whoever sweeps.
        Optional<Holder> holder = next.holder();
        Optional<Instant> last = next.holders().stream().map(Holder::expiresAt).max(Instant::compareTo);
        String handedTo = next.holders().stream()
                .filter(h -> nextHands.getOrDefault(h.token(), Hand.NONE).unclaimed())
                .map(h -> SessionAddress.processOf(h.sessionId()))
                .distinct()
                .reduce((one, other) -> SEVERAL)
                .orElse(null);
        return new Args()
                .text("name", next.name())
                .number("version", version)
                .number("before", state.token())
                .number("token", next.token())
                .text("holderRequest", holder.map(Holder::requestId).orElse(null))
                .text("holderSession", holder.map(Holder::sessionId).orElse(null))
                .text("holderOwner", holder.map(Holder::owner).orElse(null))
                .number("heldSince", holder.map(h -> micros(h.since())).orElse(0L))
                .number("heldUntil", last.map(LockRow::micros).orElse(0L))
                .number(
                        "waited",
                        micros(holder.map(h -> nextHands.getOrDefault(h.token(), Hand.NONE))
                                .orElse(Hand.NONE)
                                .waited()))
                .text("handedTo", handedTo)
                .number("now", micros(now))
                .text("waiters", LockText.waiters(next.queue()))
                .text("more", LockText.more(next, nextHands));
    }

    private Map<Long, Hand> handsAfter(LockMachine.Step<?> step, String channel) {
        Map<Long, Grant> grants = step.grants().stream().collect(Collectors.toMap(Grant::token, g -> g));
        Map<Long, Hand> next = new HashMap<>();
        for (Holder holder : step.state().holders()) {
            Grant grant = grants.get(holder.token());
            Hand before = hands.get(holder.token());
            if (grant != null) {
                boolean own = SessionAddress.processOf(grant.sessionId()).equals(channel);
                next.put(holder.token(), new Hand(grant.sinceQueued(), !own));
            } else if (before != null) {
                boolean renewed = state.holderUnder(holder.token())
                        .filter(h -> h.expiresAt().equals(holder.expiresAt()))
                        .isEmpty();
                next.put(holder.token(), renewed ? new Hand(before.waited(), false) : before);
            }
        }
        return next;
    }

    static long micros(Duration duration) {
        return duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1000;
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
