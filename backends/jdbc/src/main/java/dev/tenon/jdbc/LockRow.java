package dev.tenon.jdbc;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code tenon_lock}: the state of one lock, and the moment at which it was read.
 *
 * @param state sessions in it are {@link Address}es as text
 * @param version of the row; 0: there is none
 * @param now by the database's clock, and never before the moment of the row's last change: were that clock set back,
 *     time would stand still for this lock, rather than waits and leases run backwards
 * @param seed every token granted from this row is at least as great
 * @param waited how long the holder was queued
 * @param handedTo the channel of a holder that was handed the lock and has not claimed it
 */
record LockRow(
        LockState state,
        long version,
        Instant now,
        long seed,
        Duration waited,
        @Nullable String handedTo) {

    /** Reads a row that has every column of the table, {@code now_at} and {@code fence}. */
    static LockRow read(String askedFor, ResultSet row) throws SQLException {
        String name = row.getString("name");
        long now = Math.max(row.getLong("now_at"), row.getLong("touched_at"));
        long seed = Math.max(now, row.getLong("fence") + 1);
        if (name == null) {
            return new LockRow(LockState.free(askedFor, 0), 0, instant(now), seed, Duration.ZERO, null);
        }
        long token = row.getLong("token");
        Optional<Holder> holder =
                Optional.ofNullable(row.getString("holder_request")).map(request -> holder(row, request, token));
        return new LockRow(
                new LockState(name, token, holder, waiters(row.getString("waiters"))),
                row.getLong("version"),
                instant(now),
                seed,
                duration(row.getLong("waited")),
                row.getString("handed_to"));
    }

    /** What a waiter is told that finds itself to be the holder of this row. */
    Grant grantOf(Holder holder) {
        return new Grant(
                state.name(),
                holder.requestId(),
                holder.sessionId(),
                holder.token(),
                waited,
                Duration.between(holder.since(), holder.expiresAt()));
    }

    /**
     * The values for writing the outcome of {@code step} over this row.
     *
     * @param channel of this process, which tells its own waiters without the bell
     */
    Args write(LockMachine.Step<?> step, String channel) {
        LockState next = step.state();
        Optional<Holder> holder = next.holder();
        boolean sameHolder =
                holder.isPresent() && state.isHeldUnder(holder.get().token());
        Optional<Grant> grant = step.grants().stream().findFirst();
        String handed = grant.map(g -> Address.parse(g.sessionId()).channel())
                .filter(to -> !to.equals(channel))
                .orElse(sameHolder ? handedTo : null);
        Duration wait = grant.map(Grant::sinceQueued).orElse(sameHolder ? waited : Duration.ZERO);
        return new Args()
                .text("name", next.name())
                .number("version", version)
                .number("token", next.token())
                .text("holderRequest", holder.map(Holder::requestId).orElse(null))
                .text("holderSession", holder.map(Holder::sessionId).orElse(null))
                .text("holderOwner", holder.map(Holder::owner).orElse(null))
                .number("heldSince", holder.map(h -> micros(h.since())).orElse(0L))
                .number("heldUntil", holder.map(h -> micros(h.expiresAt())).orElse(0L))
                .number("waited", micros(wait))
                .text("handedTo", handed)
                .number("now", micros(now))
                .text("waiters", text(next.queue()));
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

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static Holder holder(ResultSet row, String request, long token) {
        try {
            return new Holder(
                    row.getString("holder_session"),
                    request,
                    row.getString("holder_owner"),
                    token,
                    instant(row.getLong("held_since")),
                    instant(row.getLong("held_until")));
        } catch (SQLException e) {
            throw new IllegalStateException("Not a row of tenon_lock", e);
        }
    }

    private static List<Waiter> waiters(String text) {
        List<Waiter> waiters = new ArrayList<>();
        text.lines().forEach(line -> {
            String[] fields = line.split("\t", -1);
            waiters.add(new Waiter(
                    fields[1],
                    fields[0],
                    fields[2],
                    duration(Long.parseLong(fields[3])),
                    instant(Long.parseLong(fields[4])),
                    instant(Long.parseLong(fields[5]))));
        });
        return waiters;
    }

    private static String text(List<Waiter> waiters) {
        StringBuilder text = new StringBuilder();
        for (Waiter w : waiters) {
            text.append(w.requestId()).append('\t');
            text.append(w.sessionId()).append('\t');
            text.append(w.owner()).append('\t');
            text.append(micros(w.lease())).append('\t');
            text.append(micros(w.since())).append('\t');
            text.append(micros(w.deadline())).append('\n');
        }
        return text.toString();
    }
}
