package dev.tenon.zookeeper;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * What is another after each event in which a group of worker IDs may have lost what it knew: the epoch of an ensemble,
 * which goes up with each election and restart; the run of a server that runs alone; and how many slots of the group
 * were ever deleted, which Tenon never does.
 *
 * @param epoch the upper half of the number of a change that was made just now
 * @param session one that was begun in this run of the server; empty: the server is one of an ensemble
 * @param deleted how many nodes below that of the group
 */
record ZooKeeperIncarnation(long epoch, OptionalLong session, int deleted) {
    /**
     * Sessions of one run are numbered one after the other, from 65 536 for each millisecond since the boot at its
     * start. This is 16 ms and 1 048 576 sessions: no server starts twice within that time, and one that began more
     * sessions counts as another.
     */
    static final long SESSIONS_OF_A_RUN = 1L << 20;

    private static final int EPOCH_SHIFT = 32;
    private static final Pattern RUN = Pattern.compile("run ([0-9a-f]{1,16})((?: deleted -?\\d+)?)");

    /**
     * What it is now.
     *
     * @param change that was made by this call
     * @param group the node of the group as it was after that; null: there is none
     */
    static ZooKeeperIncarnation of(ZooKeeperRun run, Stat change, @Nullable Stat group) {
        // ZooKeeper counts children that were made and children that were deleted.
        int deleted = group == null ? 0 : (group.getCversion() - group.getNumChildren()) / 2;
        return new ZooKeeperIncarnation(change.getMzxid() >>> EPOCH_SHIFT, run.session(), deleted);
    }

    /** The text of it: what is stored, if that says the same. */
    String text(String stored) {
        return session.isPresent() && isRun(session.getAsLong(), stored) ? stored : text();
    }

    private String text() {
        return (session.isPresent() ? "run " + Long.toHexString(session.getAsLong()) : "epoch " + epoch)
                + deletedText();
    }

    private String deletedText() {
        return deleted == 0 ? "" : " deleted " + deleted;
    }

    private boolean isRun(long number, String stored) {
        Matcher run = RUN.matcher(stored);
        if (!run.matches() || !run.group(2).equals(deletedText())) {
            return false;
        }
        long distance = Long.parseUnsignedLong(run.group(1), 16) - number;
        return distance > -SESSIONS_OF_A_RUN && distance < SESSIONS_OF_A_RUN;
    }
}
