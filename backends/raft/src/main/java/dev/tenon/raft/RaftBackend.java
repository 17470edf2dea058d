package dev.tenon.raft;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import java.nio.file.Path;

/**
 * Locks, ranges, worker IDs and definitions in a replicated log on this node's disk: one node, so far. Every answer to a
 * write is on the disk (fsync) before it is given, and everything survives a kill. Reads go through the log as well, so they
 * see every write that was answered before.
 *
 * <p>Time is that of the log: it follows the monotonic clock of this process, begins at the wall clock of the start, and
 * never goes back. A wall clock that is set forward <em>while the node is down</em> ends leases early by as much; fencing
 * tokens still protect what checks them.
 *
 * <p>Thread-safe. It has non-daemon threads, so an open backend keeps a JVM running.
 */
public final class RaftBackend implements AutoCloseable {
    private final DataFolder folder;
    private final RatisLog log;
    private final DeadlineTimer timer;
    private final GroupCommit commands;
    private final RaftLockStore lockStore;
    private final Locks locks;

    private RaftBackend(DataFolder folder, RaftOptions options) {
        this.folder = folder;
        Replica replica = new Replica();
        SessionEvents events = new SessionEvents();
        this.timer = new DeadlineTimer(replica);
        this.log = RatisLog.start(folder, replica, options, applied -> {
            events.tell(applied);
            timer.arm();
        });
        LogClock clock = new LogClock(options.time(), replica.now());
        this.commands = new GroupCommit(log, clock, options.queueLimit());
        this.lockStore = new RaftLockStore(commands, events);
        this.locks = Locks.over(lockStore);
        commands.start();
        timer.start(clock, commands);
    }

    /**
     * Opens a data folder, creating it if it does not exist, and reads what is in it.
     *
     * @throws DataFolderException if the folder is in use, not writable, of another version, or damaged; an entry that was
     *     half written when the last process died is no damage
     */
    public static RaftBackend open(Path dataDir, RaftOptions options) {
        DataFolder folder = DataFolder.claim(dataDir);
        try {
            LogCheck.run(folder.raft().resolve(folder.group().toString()));
            return new RaftBackend(folder, options);
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /** The locks of this backend. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public RaftLockStore lockStore() {
        return lockStore;
    }

    /** The store of number ranges. */
    public RangeStore ranges() {
        return new RaftRangeStore(commands);
    }

    /** The worker IDs of a group. */
    public WorkerIdSource workerIds(String group) {
        return new RaftWorkerIdSource(commands, group);
    }

    /** The store of ID definitions. */
    public DefinitionStore definitions() {
        return new RaftDefinitionStore(commands);
    }

    /**
     * Gives back what {@link #locks} holds, and stops this node. Other sessions, and what they hold, stay in the log until
     * their time is over. Requests that wait fail. Idempotent. Takes about a second.
     */
    @Override
    public void close() {
        locks.close();
        timer.close();
        commands.close();
        log.close();
        folder.close();
    }
}
