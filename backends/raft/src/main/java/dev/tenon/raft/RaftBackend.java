package dev.tenon.raft;

import dev.tenon.DaemonThreads;
import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.raft.Command.Applied;
import dev.tenon.tx.spi.TransactionStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftGroup;

/**
 * Locks, ranges, worker IDs, definitions and transactions in a log that is replicated over one, three or five nodes, of
 * which this process is one. Every answer to a write is on the disks (fsync) of a majority before it is given, and
 * survives what leaves a majority of the disks. Reads go through the log as well, so they see every write that was
 * answered before, whichever node answered it; a node that has no majority on its side answers nothing.
 *
 * <p>Every node takes every request, and sends it to the leader.
 *
 * <p>Time is that of the log: the leader's, by the monotonic clock of its process, and it never goes back. A node that
 * is alone begins at the wall clock of its start: one that is set forward <em>while it is down</em> ends leases early
 * by as much; fencing tokens still protect what checks them. In a cluster no wall clock is asked, and time stands still
 * while there is no leader.
 *
 * <p>Thread-safe. It has non-daemon threads, so an open backend keeps a JVM running.
 */
public final class RaftBackend implements AutoCloseable {
    private final DataFolder folder;
    private final RaftOptions options;
    private final Replica replica = new Replica();
    private final RatisLog log;
    private final DeadlineTimer timer;
    private final GroupCommit writer;
    private final CommandLog commands;
    private final RaftLockStore lockStore;
    private final Locks locks;
    private final String start = "start " + UUID.randomUUID();

    private RaftBackend(DataFolder folder, RaftOptions options) {
        this.folder = folder;
        this.options = options;
        SessionEvents events = new SessionEvents();
        this.timer = new DeadlineTimer(replica);
        CompletableFuture<CommandLog> ready = new CompletableFuture<>();
        this.log = RatisLog.start(folder, replica, options, new RatisLog.Listener() {
            @Override
            public void applied(Applied applied) {
                events.tell(applied);
                timer.arm();
            }

            @Override
            public void restored() {
                events.restored(replica::openAmong);
            }

            @Override
            public void leads(LogClock clock) {
                ready.thenAccept(commandLog -> timer.start(clock, commandLog));
            }

            @Override
            public void follows() {
                timer.stop();
            }
        });
        this.writer = new GroupCommit(log, options.queueLimit());
        this.commands = new StateLimit(writer, replica, options.maxStateBytes());
        this.lockStore = new RaftLockStore(commands, events);
        this.locks = Locks.over(lockStore);
        writer.start();
        ready.complete(commands);
    }

    /**
     * Opens a data folder, creating it if it does not exist, and reads what is in it. A node that is alone is ready
     * then. One of several may still have to find the others: until there is a leader, calls wait for five election
     * timeouts (2.5 seconds at least), or for one where nobody has led for as long, and then fail with
     * {@link dev.tenon.BackendUnavailableException}. A cluster begins when all of its first nodes have been up at the
     * same time; from then on any majority is enough.
     *
     * <p>A node with a new folder whose peers are in a cluster already is no member of it until {@link RaftMembers#add}
     * makes it one.
     *
     * @throws DataFolderException if the folder is in use, not writable, of another version, or damaged; an entry that
     *     was half written when the last process died is no damage
     */
    public static RaftBackend open(Path dataDir, RaftOptions options) {
        DataFolder folder = claim(dataDir, options);
        try {
            folder.version()
                    .group()
                    .ifPresent(group -> LogCheck.run(
                            folder.raft().resolve(group.toString()),
                            new ReachedMark(folder.path()).read(),
                            DataFolder.mend(options.cluster())));
            return new RaftBackend(folder, options);
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    /** This node of the engine. */
    RatisNode node() {
        return log.node();
    }

    private static DataFolder claim(Path dataDir, RaftOptions options) {
        if (options.cluster().isEmpty()) {
            DataFolder folder = DataFolder.claim(dataDir, FolderVersion::ofOneNode);
            return requireNode(
                    folder, FolderVersion.ALONE, folder.version().founders().isEmpty());
        }
        RaftCluster cluster = options.cluster().get();
        DataFolder folder = DataFolder.claim(
                dataDir, () -> FolderVersion.ofNewNode(cluster.node()), DataFolder.mend(options.cluster()));
        FolderVersion version = folder.version();
        requireNode(folder, cluster.node(), true);
        if (version.node().equals(FolderVersion.ALONE) && version.founders().isEmpty()) {
            if (!RestoredFolder.isFresh(folder)) {
                folder.close();
                throw new DataFolderException("Data folder " + folder.path() + " belongs to a node that is alone, which"
                        + " has no address in its log: start it without peers, or use an empty folder");
            }
            folder.become(
                    version.in(version.group().orElseThrow(), Map.of(version.node(), cluster.address(cluster.node()))));
        }
        return folder;
    }

    private static DataFolder requireNode(DataFolder folder, String name, boolean kindIsRight) {
        String node = folder.version().node();
        if (kindIsRight && FolderVersion.nameOf(node).equals(name)) {
            return folder;
        }
        folder.close();
        throw new DataFolderException("Data folder " + folder.path() + " belongs to node " + FolderVersion.nameOf(node)
                + " of a cluster: start it as that, with its peers, or use another folder");
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

    /**
     * The worker IDs of a group, for processes that go on when this one dies. A cluster forgets nothing that it
     * answered. A node that is alone may have been started on an older copy of its folder: after each start the group
     * gives nothing new until all of before have told of their worker IDs, or their leases are over.
     */
    public WorkerIdSource workerIds(String group) {
        return new RaftWorkerIdSource(commands, group, () -> ClaimTerms.in(incarnation()));
    }

    /**
     * The same worker IDs, for generators in this process alone: none of them goes on when it dies, so they never wait.
     * Where others may hold what was forgotten they get the highest numbers, which those have last.
     */
    public WorkerIdSource ownWorkerIds(String group) {
        return new RaftWorkerIdSource(commands, group, () -> ClaimTerms.own(incarnation()));
    }

    private String incarnation() {
        RaftGroup nodes = log.node().group();
        return nodes.getPeers().size() > 1 ? "cluster " + nodes.getGroupId().getUuid() : start;
    }

    /** The nodes that keep the log. */
    public RaftMembers members() {
        return new RaftMembers(log.node(), log::trouble);
    }

    /** The store of ID definitions. */
    public DefinitionStore definitions() {
        return new RaftDefinitionStore(commands);
    }

    /**
     * The log of transactions, for {@link dev.tenon.tx.Transactions}. A transaction has at most about 1 MB. Its time is
     * the log's: while a cluster has no leader no deadline passes.
     */
    public TransactionStore transactions() {
        return new RaftTransactionStore(commands, replica, log::now);
    }

    /**
     * A backup of everything, with every write that was answered before, as bytes for {@link RaftBackup}. The node
     * serves meanwhile; it stands still for as long as it takes to write the state into memory.
     */
    public CompletableFuture<byte[]> backup() {
        return commands.submit(new IdCommand.FindDefinition("backup"))
                .thenApplyAsync(fresh -> RaftBackup.of(replica, options.time()), RaftBackend::onAThreadOfItsOwn);
    }

    private static void onAThreadOfItsOwn(Runnable task) {
        DaemonThreads.of("tenon-raft-backup", task).start();
    }

    /** How much this node keeps in memory, of all that it may. Asks nobody; takes no time. */
    public StateUsage usage() {
        return replica.usage();
    }

    /** How this node is. Asks nobody else; takes time that grows with the number of locks. */
    public RaftStatus status() {
        return RaftStatus.of(log.node(), replica);
    }

    /** The latest entry in the latest snapshot of this node; empty: it has taken none. Asks nobody; takes no time. */
    public OptionalLong latestSnapshot() {
        return log.node().latestSnapshot();
    }

    /**
     * Gives back what {@link #locks} holds, and stops this node. Other sessions, and what they hold, stay in the log
     * until their time is over. Requests that wait fail. Idempotent. Takes about a second.
     */
    @Override
    public void close() {
        locks.close();
        timer.close();
        writer.close();
        log.close();
        folder.close();
    }
}
