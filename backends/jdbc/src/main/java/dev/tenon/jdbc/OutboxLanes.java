package dev.tenon.jdbc;

import dev.tenon.tx.spi.OutboxEntry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The order of messages within a lane (one target and key). A message that is due but stands behind another is put off
 * ({@code behind}), so that it is not found again and again, and is made due when that one ends. The one right behind the
 * first of its lane is looked at again soon, whatever happens: a process may die, or miss what another one does at the same
 * time, without a message being forgotten. Immutable.
 */
final class OutboxLanes {
    /** Until when a message is put off that stands further back: those before it make it due. */
    static final Duration FAR = Duration.ofDays(1);

    private static final Duration SOON = Duration.ofSeconds(5);
    private static final int LANES_AT_ONCE = 20;

    private final Sql heads;
    private final Sql behind;
    private final Sql first;
    private final Sql lock;
    private final Sql lane;
    private final Sql free;

    OutboxLanes(Dialect dialect) {
        this.heads = dialect.sql("outbox-heads");
        this.behind = dialect.sql("outbox-behind");
        this.first = dialect.sql("outbox-first");
        this.lock = dialect.sql("outbox-lock");
        this.lane = dialect.sql("outbox-lane");
        this.free = dialect.sql("outbox-free");
    }

    /**
     * Of messages that this transaction has locked, those that no other message keeps back; the others are put off.
     *
     * @param found in any order
     * @return the numbers of those that may go
     */
    Set<Long> thoseThatMayGo(Link link, String outbox, List<OutboxEntry> found) throws SQLException {
        Set<Long> go = new HashSet<>();
        Map<String, Set<Long>> keyed = new TreeMap<>();
        for (OutboxEntry entry : found) {
            String name = OutboxText.lane(outbox, entry.message());
            if (name == null) {
                go.add(entry.number());
            } else {
                keyed.computeIfAbsent(name, key -> new TreeSet<>()).add(entry.number());
            }
        }
        Map<String, List<Long>> ahead = heads(link, heads, keyed.keySet());
        List<Args> off = new ArrayList<>();
        keyed.forEach((name, numbers) -> {
            List<Long> first = ahead.getOrDefault(name, List.of());
            first.stream().takeWhile(numbers::contains).forEach(go::add);
            for (long number : numbers) {
                if (!go.contains(number)) {
                    Duration pause = first.indexOf(number) == 1 ? SOON : FAR;
                    off.add(new Args().number("id", number).number("pause", LockRow.micros(pause)));
                }
            }
        });
        if (!off.isEmpty()) {
            link.batch(behind, off);
        }
        return go;
    }

    /** The numbers that a statement has for each of these lanes, in their order. */
    private static Map<String, List<Long>> heads(Link link, Sql statement, Collection<String> lanes)
            throws SQLException {
        Map<String, List<Long>> heads = new TreeMap<>();
        Iterator<String> names = lanes.iterator();
        while (names.hasNext()) {
            Args args = new Args();
            for (int i = 0; i < LANES_AT_ONCE; i++) {
                args.text("n" + i, names.hasNext() ? names.next() : "");
            }
            link.query(statement, args, row -> Map.entry(row.getString(2), row.getLong(1)))
                    .forEach(entry -> heads.computeIfAbsent(entry.getKey(), key -> new ArrayList<>())
                            .add(entry.getValue()));
        }
        heads.values().forEach(numbers -> numbers.sort(null));
        return heads;
    }

    /**
     * Makes the first messages of these lanes due, if they were put off.
     *
     * @return whether there was one
     */
    boolean free(Link link, Collection<String> lanes) throws SQLException {
        Map<Long, String> firsts = new TreeMap<>();
        heads(link, first, lanes).forEach((name, numbers) -> firsts.put(numbers.get(0), name));
        boolean freed = false;
        for (Map.Entry<Long, String> head : firsts.entrySet()) {
            // Whoever puts it off just now has it locked: without waiting for that, it would be forgotten.
            Args id = new Args().number("id", head.getKey());
            if (link.query(lock, id, row -> row.getInt(1)).equals(List.of(1))) {
                Args name = new Args().text("lane", head.getValue());
                link.batch(free, link.query(lane, name, row -> new Args().number("id", row.getLong(1))));
                freed = true;
            }
        }
        return freed;
    }
}
