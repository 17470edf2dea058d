package dev.tenon.zookeeper;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SequenceRegressedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * The number that ZooKeeper gives to a change of a node: each ID is one change. In two forms: the node's
 * <em>version</em> (32 bits: 1, 2, 3, … for each name, see {@link ZooKeeperBackend#nodeVersions}) and the
 * <em>transaction ID</em> (64 bits, one count for all that is changed in the ensemble, see
 * {@link ZooKeeperBackend#transactionIds}). Both are the field's classics; {@code SegmentGenerator} over
 * {@link ZooKeeperBackend#ranges} gives many more IDs for a change.
 *
 * <ul>
 *   <li><b>Unique:</b> a version among all generators of one name below one base path; a transaction ID in the whole
 *       ensemble, with everything else that it counts.
 *   <li><b>Order:</b> strictly increasing over all generators and processes: a call that begins after another has
 *       returned gets a greater number. Versions are contiguous as long as no reply is lost. Transaction IDs have gaps
 *       for every other change and session, and jump by 2³² or more when a new leader is elected.
 *   <li><b>Rate limit:</b> one write to the ensemble an ID (its disks set the limit), one round trip for {@link
 *       #nextId}; {@link #fill} sends {@value #AT_ONCE} without waiting in between. A name has 2³¹ − 1 versions; then
 *       {@link RangeExhaustedException}, before they wrap.
 *   <li><b>Store:</b> what it throws is thrown; nothing is kept at hand. A number that is not above those seen before
 *       is not issued: {@link SequenceRegressedException}. That is so when the node was deleted (its versions begin
 *       anew; transaction IDs do not) or the ensemble lost its data. A generator that was started later can't notice.
 *   <li><b>Clock:</b> no influence.
 * </ul>
 *
 * <p>Thread-safe. Source: the field {@code version} and {@code mzxid} of {@code Stat} in ZooKeeper's Programmer's
 * Guide.
 */
public final class ZooKeeperVersionGenerator implements IdGenerator {
    /** The most changes that {@link #fill} has under way at once. */
    static final int AT_ONCE = 500;

    private static final byte[] NOTHING = {};

    private final String name;
    private final Changes changes;
    private final ToLongFunction<Stat> number;
    private final AtomicLong seen = new AtomicLong(-1);
    private volatile boolean exhausted;
    private volatile boolean begun;

    /** What gives the numbers. */
    interface Changes {
        /** Makes sure that the node is there, and says how often it was changed. */
        Stat begin();

        /** Changes the node that often. */
        List<Stat> make(int count);
    }

    ZooKeeperVersionGenerator(String name, Changes changes, ToLongFunction<Stat> number) {
        this.name = name;
        this.changes = changes;
        this.number = number;
    }

    static ZooKeeperVersionGenerator ofNode(ZooKeeperLink link, String name) {
        return new ZooKeeperVersionGenerator(
                "The versions of \"" + name + "\"", new Node(link, link.paths().version(name)), Stat::getVersion);
    }

    static ZooKeeperVersionGenerator ofTransactions(ZooKeeperLink link) {
        return new ZooKeeperVersionGenerator(
                "The transaction IDs of " + link.address(),
                new Node(link, link.paths().transactions()),
                Stat::getMzxid);
    }

    /**
     * The next number.
     *
     * @throws RangeExhaustedException if the numbers are used up
     * @throws SequenceRegressedException if ZooKeeper went back, or the node was deleted
     * @throws dev.tenon.BackendUnavailableException if ZooKeeper could not be asked
     * @throws dev.tenon.OutcomeUnknownException if its reply was lost: a number may be missing
     */
    @Override
    public long nextId() {
        return next(1)[0];
    }

    /** Fills an array with the next numbers; they need not be contiguous. Throws as {@link #nextId} does. */
    @Override
    public void fill(long[] ids) {
        for (int filled = 0; filled < ids.length; filled += AT_ONCE) {
            long[] some = next(Math.min(AT_ONCE, ids.length - filled));
            System.arraycopy(some, 0, ids, filled, some.length);
        }
    }

    private long[] next(int count) {
        if (!begun) {
            // Not one change beyond the end: 2³¹ more of them would begin at 0 again.
            require(number.applyAsLong(changes.begin()));
            begun = true;
        }
        if (exhausted) {
            throw usedUp();
        }
        long before = seen.get(); // read before the call: only what returned before it must be less
        long[] numbers = new long[count];
        List<Stat> stats = changes.make(count);
        for (int i = 0; i < count; i++) {
            numbers[i] = require(number.applyAsLong(stats.get(i)));
            if (numbers[i] <= before) {
                throw new SequenceRegressedException(
                        name + " went back: ZooKeeper gave " + numbers[i] + " after " + before);
            }
        }
        seen.accumulateAndGet(numbers[count - 1], Math::max);
        return numbers;
    }

    private long require(long given) {
        if (given < 0) {
            exhausted = true;
            throw usedUp();
        }
        return given;
    }

    private RangeExhaustedException usedUp() {
        return new RangeExhaustedException(name + " are used up; go on under a new name");
    }

    private record Node(ZooKeeperLink link, String path) implements Changes {
        @Override
        public Stat begin() {
            ZooKeeperCall call = link.begin();
            try {
                return call.awaitWrite(call.create(path, NOTHING));
            } catch (ZooKeeperConflict e) {
                if (e.code() != Code.NODEEXISTS) {
                    throw ZooKeeperErrors.dataLost(link.paths().versions(), e);
                }
                return call.awaitRead(call.readLatest(path))
                        .orElseThrow(() -> gone(e))
                        .stat();
            }
        }

        @Override
        public List<Stat> make(int count) {
            ZooKeeperCall call = link.begin();
            List<CompletableFuture<Stat>> answers = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                answers.add(call.set(path, NOTHING, ZooKeeperCall.ANY_VERSION));
            }
            try {
                return call.awaitWrites(answers);
            } catch (ZooKeeperConflict e) {
                throw gone(e);
            }
        }

        private SequenceRegressedException gone(ZooKeeperConflict conflict) {
            return new SequenceRegressedException(path + " was deleted from ZooKeeper: " + conflict.getMessage());
        }
    }
}
