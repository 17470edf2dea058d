package dev.tenon.jdbc;

import dev.tenon.tx.spi.OutboxEntry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The order of messages within a lane (one target and key). A claim that has found a message of a lane takes a run of
 * those with which the lane begins. A message that is due but may not go is put off ({@code behind}), so that it is not
 * found again and again; when it is the first of its lane, whoever has ended the one before it makes it due. That can't
 * be missed: who puts a message off has locked one that stands before it, and who ends that one looks what is first
 * only then. The one right behind the first of its lane is looked at again soon all the same. Immutable.
 */
final class OutboxLanes {
    /** Until when a message is put off that stands further back: those before it make it due. */
    static final Duration FAR = Duration.ofDays(1);

    private static final Duration SOON = Duration.ofSeconds(5);
    private static final int LANES_AT_ONCE = 20;
    private static final int RUN_AT_ONCE = 100;

    private final Sql heads;
    private final Sql run;
    private final Sql hold;
    private final Sql behind;
    private final Sql first;
    private final Sql free;

    OutboxLanes(Dialect dialect) {
        this.heads = dialect.sql(SqlStatement.OUTBOX_HEADS);
        this.run = dialect.sql(SqlStatement.OUTBOX_RUN);
        this.hold = dialect.sql(SqlStatement.OUTBOX_HOLD);
        this.behind = dialect.sql(SqlStatement.OUTBOX_BEHIND);
        this.first = dialect.sql(SqlStatement.OUTBOX_FIRST);
        this.free = dialect.sql(SqlStatement.OUTBOX_FREE);
    }

    /**
     * What a claim may take.
     *
     * @param go all locked, in any order
     * @param putOff how many of what was found were put off
     */
    record Choice(List<OutboxEntry> go, int putOff) {}

    /**
     * Of messages that this transaction has locked, those that no other message keeps back, with a run of those behind
     * them; the others are put off.
     *
     * @param found in any order
     * @param limit how many may go at most; no fewer than were found
     */
    Choice choose(Link link, String outbox, List<OutboxEntry> found, int limit) throws SQLException {
        List<OutboxEntry> go = new ArrayList<>();
        Map<Long, OutboxEntry> locked = new HashMap<>();
        Map<String, TreeSet<Long>> keyed = new TreeMap<>();
        for (OutboxEntry entry : found) {
            String name = OutboxText.lane(outbox, entry.message());
            if (name == null) {
                go.add(entry);
            } else {
                locked.put(entry.number(), entry);
                keyed.computeIfAbsent(name, key -> new TreeSet<>()).add(entry.number());
            }
        }
        if (keyed.isEmpty()) {
            return new Choice(go, 0);
        }
        Map<String, List<Head>> heads = heads(link, keyed.keySet());
        Map<String, List<Long>> runs = runs(link, heads, locked, limit - go.size());
        Map<String, List<Long>> ahead = new TreeMap<>();
        heads.forEach(
                (name, all) -> ahead.put(name, all.stream().map(Head::number).toList()));
        runs.values().forEach(numbers -> numbers.forEach(number -> go.add(locked.get(number))));
        keyed.forEach((name, numbers) -> numbers.removeAll(runs.getOrDefault(name, List.of())));
        keyed.values().removeIf(Set::isEmpty);
        return new Choice(go, putOff(link, keyed, ahead, runs));
    }

    /** One of the first messages of a lane, and whether it is to be had. */
    private record Head(long number, boolean free) {}

    /** The first messages of each of these lanes, in their order. */
    private Map<String, List<Head>> heads(Link link, Collection<String> lanes) throws SQLException {
        Map<String, List<Head>> found = new TreeMap<>();
        for (Args names : names(lanes)) {
            link.query(heads, names, row -> Map.entry(row.getString(2), new Head(row.getLong(1), row.getInt(3) == 1)))
                    .forEach(entry -> found.computeIfAbsent(entry.getKey(), key -> new ArrayList<>())
                            .add(entry.getValue()));
        }
        found.values().forEach(all -> all.sort(Comparator.comparingLong(Head::number)));
        return found;
    }

    /** With what each lane begins, as far as it is locked, after more of it was locked, by turns, up to the limit. */
    private Map<String, List<Long>> runs(
            Link link, Map<String, List<Head>> heads, Map<Long, OutboxEntry> locked, int limit) throws SQLException {
        Map<String, List<Long>> begun = new TreeMap<>();
        Map<String, List<Long>> more = new TreeMap<>();
        heads.forEach((name, all) -> {
            List<Long> free = all.stream()
                    .takeWhile(head -> head.free() || locked.containsKey(head.number()))
                    .map(Head::number)
                    .toList();
            int found = (int) free.stream().takeWhile(locked::containsKey).count();
            begun.put(name, free.subList(0, found));
            more.put(name, free.subList(found, free.size()));
        });
        more.values().removeIf(List::isEmpty);
        int room = limit - begun.values().stream().mapToInt(List::size).sum();
        int left = more.size();
        Map<String, Integer> lengths = new TreeMap<>();
        begun.forEach((name, numbers) -> lengths.put(name, numbers.size()));
        List<Long> wanted = new ArrayList<>();
        for (Map.Entry<String, List<Long>> each : more.entrySet()) {
            int length = Math.min(each.getValue().size(), room / left);
            each.getValue().subList(0, length).stream()
                    .filter(number -> !locked.containsKey(number))
                    .forEach(wanted::add);
            lengths.merge(each.getKey(), length, Integer::sum);
            room -= length;
            left--;
        }
        for (Args numbers : numbers(wanted, RUN_AT_ONCE)) {
            link.query(run, numbers, JdbcOutboxStore::entry).forEach(entry -> locked.put(entry.number(), entry));
        }
        Map<String, List<Long>> runs = new TreeMap<>();
        lengths.forEach((name, length) -> runs.put(
                name,
                heads.getOrDefault(name, List.of()).stream()
                        .limit(length)
                        .map(Head::number)
                        .takeWhile(locked::containsKey)
                        .toList()));
        runs.values().removeIf(List::isEmpty);
        return runs;
    }

    /**
     * Puts messages off that are behind others, where one of those can be locked; where not, its end is being written,
     * and what is behind it stays due.
     */
    private int putOff(
            Link link, Map<String, TreeSet<Long>> waiting, Map<String, List<Long>> ahead, Map<String, List<Long>> runs)
            throws SQLException {
        Map<String, Long> before = new TreeMap<>();
        waiting.forEach((name, numbers) -> {
            if (!runs.containsKey(name)) { // whose last one is this transaction's
                ahead.getOrDefault(name, List.of()).stream()
                        .filter(number -> number < numbers.first())
                        .reduce((a, b) -> b)
                        .ifPresent(number -> before.put(name, number));
            }
        });
        Set<Long> held = new HashSet<>();
        for (Args numbers : numbers(before.values(), LANES_AT_ONCE)) {
            held.addAll(link.query(hold, numbers, row -> row.getLong(1)));
        }
        List<Args> writes = new ArrayList<>();
        held.forEach(number -> writes.add(putOff(number, false, Duration.ZERO)));
        waiting.forEach((name, numbers) -> {
            List<Long> first = ahead.getOrDefault(name, List.of());
            if (runs.containsKey(name) || held.contains(before.getOrDefault(name, 0L))) {
                numbers.forEach(number -> writes.add(putOff(number, true, first.indexOf(number) == 1 ? SOON : FAR)));
            }
        });
        if (!writes.isEmpty()) {
            link.batch(behind, writes);
        }
        return writes.size() - held.size();
    }

    private static Args putOff(long number, boolean off, Duration pause) {
        return new Args().number("id", number).number("off", off ? 1L : 0L).number("pause", LockRow.micros(pause));
    }

    /** The first message of a lane, locked. */
    private record First(long number, boolean behind, boolean due) {}

    /**
     * Makes the first messages of these lanes due, if they were put off.
     *
     * @return whether one of them is due now
     */
    boolean free(Link link, Collection<String> lanes) throws SQLException {
        List<First> firsts = new ArrayList<>();
        for (Args names : names(lanes)) {
            firsts.addAll(link.query(
                    first,
                    names,
                    row -> new First(row.getLong("id"), row.getInt("behind") == 1, row.getInt("due") == 1)));
        }
        List<Args> freed = firsts.stream()
                .filter(First::behind)
                .map(each -> new Args().number("id", each.number()))
                .toList();
        if (!freed.isEmpty()) {
            link.batch(free, freed);
        }
        return firsts.stream().anyMatch(each -> each.behind() || each.due());
    }

    /** Parameters for up to twenty lanes a statement. */
    static List<Args> names(Collection<String> lanes) {
        List<Args> all = new ArrayList<>();
        Iterator<String> names = lanes.iterator();
        while (names.hasNext()) {
            Args args = new Args();
            for (int i = 0; i < LANES_AT_ONCE; i++) {
                args.text("n" + i, names.hasNext() ? names.next() : "");
            }
            all.add(args);
        }
        return all;
    }

    private static List<Args> numbers(Collection<Long> some, int atOnce) {
        List<Args> all = new ArrayList<>();
        Iterator<Long> numbers = some.iterator();
        while (numbers.hasNext()) {
            Args args = new Args();
            for (int i = 0; i < atOnce; i++) {
                args.number("n" + i, numbers.hasNext() ? numbers.next() : 0L);
            }
            all.add(args);
        }
        return all;
    }
}
