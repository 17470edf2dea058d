package dev.tenon.tx.spi;

import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionPosition;
import dev.tenon.tx.TransactionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A log of transactions in memory: what a {@link TransactionStore} does, with the time as an argument, for stores that
 * keep their state in memory and for a replicated state machine. Deterministic. Not thread-safe.
 */
public final class TransactionTable {
    private final NavigableMap<String, TransactionRecord> all = new TreeMap<>();
    private final Map<String, List<TransactionEvent>> histories = new HashMap<>();

    /** What recovery may claim, by service and by when it is due. */
    private final Map<String, NavigableSet<TimeKey>> due = new HashMap<>();

    /** What has ended, by when. */
    private final NavigableSet<TimeKey> ended = new TreeSet<>();

    /** All of them, newest first, as in a listing. */
    private final NavigableMap<TimeKey, TransactionRecord> newest = new TreeMap<>(Comparator.reverseOrder());

    /** The stuck ones, newest first: few, and listed every few seconds. */
    private final NavigableMap<TimeKey, TransactionRecord> stuck = new TreeMap<>(Comparator.reverseOrder());

    private long bytes;
    private long endedBytes;

    /** Orders transactions by a time of theirs, and by ID where it is the same. */
    private record TimeKey(Instant at, String gid) implements Comparable<TimeKey> {
        @Override
        public int compareTo(TimeKey other) {
            return Comparator.comparing(TimeKey::at).thenComparing(TimeKey::gid).compare(this, other);
        }
    }

    /** Everything in a table, in ascending order of the IDs. */
    public record Snapshot(List<TransactionRecord> transactions, Map<String, List<TransactionEvent>> histories) {
        public Snapshot {
            transactions = List.copyOf(transactions);
            histories = Map.copyOf(histories);
        }
    }

    /** An empty table. */
    public TransactionTable() {}

    /** A table with what is in a snapshot. */
    public TransactionTable(Snapshot snapshot) {
        snapshot.transactions().forEach(this::put);
        snapshot.histories().forEach(this::note);
    }

    /** Everything in this table. */
    public Snapshot snapshot() {
        Map<String, List<TransactionEvent>> copies = new HashMap<>();
        histories.forEach((gid, events) -> copies.put(gid, List.copyOf(events)));
        return new Snapshot(List.copyOf(all.values()), copies);
    }

    /** How many transactions there are. */
    public int size() {
        return all.size();
    }

    /** How many of them have not ended. */
    public int open() {
        return all.size() - ended.size();
    }

    /** How much memory all of it takes, roughly, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** How much of {@link #bytes} is taken by transactions that have ended, without the lines of their histories. */
    public long endedBytes() {
        return endedBytes;
    }

    /** When the next transaction of a service is due; empty if none will be. */
    public Optional<Instant> nextDue(String service) {
        return Optional.ofNullable(due.get(service)).map(keys -> keys.first().at());
    }

    /** As {@link TransactionStore#begin}. */
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease, Instant now) {
        TransactionRecord known = all.get(draft.gid().text());
        if (known != null) {
            return known.digest().equals(draft.digest()) ? new Begun.Known(known) : new Begun.Conflicting(known);
        }
        TransactionRecord begun = TransactionMachine.begun(draft, owner, now, now.plus(lease));
        put(begun);
        return new Begun.Created(begun);
    }

    /** As {@link TransactionStore#find}. */
    public Optional<TransactionRecord> find(TransactionId gid) {
        return Optional.ofNullable(all.get(gid.text()));
    }

    /** As {@link TransactionStore#update}. */
    public Optional<TransactionRecord> update(TransactionRecord after, List<TransactionEvent> events, Instant now) {
        TransactionRecord before = all.get(after.gid().text());
        if (before == null || before.progress().version() != after.progress().version()) {
            return Optional.empty();
        }
        TransactionRecord next = TransactionMachine.replaced(before, after, now);
        put(next);
        if (!events.isEmpty()) {
            note(next.gid().text(), events);
        }
        return Optional.of(next);
    }

    /** As {@link TransactionStore#claim}. */
    public List<TransactionRecord> claim(Claim claim, Instant now) {
        List<TransactionRecord> claimed = due.getOrDefault(claim.service(), Collections.emptyNavigableSet()).stream()
                .limit(claim.limit())
                .takeWhile(key -> !key.at().isAfter(now))
                .map(key -> TransactionMachine.claimed(
                        Objects.requireNonNull(all.get(key.gid())), claim.owner(), now.plus(claim.lease())))
                .toList();
        claimed.forEach(this::put);
        return claimed;
    }

    /** As {@link TransactionStore#list}. */
    public TransactionPage list(TransactionFilter filter, String after, int limit, Instant now) {
        requireLimit(limit, 1000);
        NavigableMap<TimeKey, TransactionRecord> some = filter.stuck() ? stuck : newest;
        NavigableMap<TimeKey, TransactionRecord> behind = TransactionPosition.parse(after)
                .map(position -> some.tailMap(new TimeKey(position.createdAt(), position.gid()), false))
                .orElse(some);
        return TransactionPage.of(
                behind.values().stream()
                        .filter(tx -> filter.matches(tx, now))
                        .limit(limit + 1L)
                        .toList(),
                limit);
    }

    /** As {@link TransactionStore#history}. */
    public List<TransactionEvent> history(TransactionId gid) {
        return List.copyOf(histories.getOrDefault(gid.text(), List.of()));
    }

    /** As {@link TransactionStore#purge}. */
    public int purge(Duration retention, int limit, Instant now) {
        requireLimit(limit, 10_000);
        Instant before = now.minus(retention);
        int count = 0;
        while (count < limit && !ended.isEmpty() && ended.first().at().isBefore(before)) {
            forget(ended.first().gid());
            count++;
        }
        return count;
    }

    /** As {@link TransactionStore#purge(String, Duration, int)}. */
    public int purge(String service, Duration retention, int limit, Instant now) {
        requireLimit(limit, 10_000);
        Instant before = now.minus(retention);
        List<String> old = ended.stream()
                .takeWhile(key -> key.at().isBefore(before))
                .map(TimeKey::gid)
                .filter(gid ->
                        service.equals(Objects.requireNonNull(all.get(gid)).service()))
                .limit(limit)
                .toList();
        old.forEach(this::forget);
        return old.size();
    }

    private void forget(String gid) {
        remove(gid);
        List<TransactionEvent> lines = histories.remove(gid);
        bytes -= lines == null ? 0 : TransactionFootprint.of(lines);
    }

    private static void requireLimit(int limit, int max) {
        if (limit < 1 || limit > max) {
            throw new IllegalArgumentException("A limit of 1 to " + max + " is needed, not " + limit);
        }
    }

    private void put(TransactionRecord tx) {
        String gid = tx.gid().text();
        remove(gid);
        all.put(gid, tx);
        newest.put(listed(tx), tx);
        if (tx.needsAttention()) {
            stuck.put(listed(tx), tx);
        }
        count(tx, 1);
        if (tx.state().isFinal()) {
            ended.add(new TimeKey(tx.progress().endedAt().orElseThrow(), gid));
        } else if (tx.suspended().isEmpty()) {
            due.computeIfAbsent(tx.service(), service -> new TreeSet<>())
                    .add(new TimeKey(tx.progress().dueAt(), gid));
        }
    }

    private void remove(String gid) {
        TransactionRecord tx = all.remove(gid);
        if (tx != null) {
            newest.remove(listed(tx));
            stuck.remove(listed(tx));
            count(tx, -1);
            due.computeIfPresent(tx.service(), (service, keys) -> {
                keys.remove(new TimeKey(tx.progress().dueAt(), gid));
                return keys.isEmpty() ? null : keys;
            });
            tx.progress().endedAt().ifPresent(at -> ended.remove(new TimeKey(at, gid)));
        }
    }

    private static TimeKey listed(TransactionRecord tx) {
        TransactionPosition position = TransactionPosition.of(tx);
        return new TimeKey(position.createdAt(), position.gid());
    }

    private void count(TransactionRecord tx, int sign) {
        long one = sign * TransactionFootprint.of(tx);
        bytes += one;
        endedBytes += tx.state().isFinal() ? one : 0;
    }

    private void note(String gid, List<TransactionEvent> events) {
        histories.computeIfAbsent(gid, id -> new ArrayList<>()).addAll(events);
        bytes += TransactionFootprint.of(events);
    }
}
