package dev.tenon.jdbc;

import dev.tenon.jdbc.Shortcuts.Shortcut;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * A statement on one row of a lock, and the one that does the same to many in one round trip, where the driver would send the first for
 * each of them.
 */
final class LockBatch {
    private final Sql one;
    private final Shortcut many;

    LockBatch(Sql one, Shortcut many) {
        this.one = one;
        this.many = many;
    }

    /**
     * Runs it.
     *
     * @param alone whether it is no part of a transaction
     * @return how many rows each of them found
     */
    int[] run(Link link, List<Args> all, boolean alone) throws SQLException {
        if (all.isEmpty()) {
            return new int[0];
        }
        Sql atOnce = many.sql();
        if (all.size() == 1) {
            return new int[] {link.update(one, all.get(0))};
        }
        if (atOnce == null) {
            return link.batch(one, all);
        }
        Args args = new Args().text("rows", Args.json(all)).number("alone", alone ? 1L : 0L);
        int[] found = new int[all.size()];
        if (atOnce.text().startsWith("CALL")) {
            link.query(atOnce, args, row -> row.getInt(1)).forEach(position -> found[position] = 1);
        } else {
            Arrays.fill(found, link.update(atOnce, args) == all.size() ? 1 : 0);
        }
        return found;
    }
}
