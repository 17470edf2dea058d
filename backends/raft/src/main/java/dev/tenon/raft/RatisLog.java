package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.raft.Command.Answer;
import dev.tenon.raft.Command.Applied;
import dev.tenon.raft.EntryCodec.Sender;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link ReplicatedLog} on Apache Ratis. Answers come from the replica in this process, whoever leads: so they are
 * copied through no client and no network. An entry of which nobody knows whether it got into the log is sent again,
 * and applied once, as the replicas know each sender's latest entry.
 */
final class RatisLog implements ReplicatedLog, RatisStateMachine.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);
    /**
     * After which the leader knows as well what is wrong with this node, though both are slow: it wants to hear it
     * several times.
     */
    private static final Duration TOLD = Duration.ofSeconds(30);

    private static final Duration START_MAX = Duration.ofMinutes(2);
    private static final String DISK_HANGS =
            "the disk of this node hangs, and nothing reaches its log: ask another node; mend the"
                    + " disk, or replace this node";

    private final UUID process = UUID.randomUUID();
    private final AtomicLong sequence = new AtomicLong();
    private final Map<Long, CompletableFuture<List<Answer>>> pending = new ConcurrentHashMap<>();
    private final CompletableFuture<@Nullable Void> started = new CompletableFuture<>();
    private final TimeSource time;
    private final boolean alone;
    private final Replica replica;
    private final Listener listener;
    private final RatisNode node;
    private final DiskWatch disk;
    private final ReachedMark mark;
    private volatile Seen seen;
    private volatile @Nullable LogClock clock;
    private volatile @Nullable TenonException failure;

    /** The latest time in the log, and when it was applied here. */
    private record Seen(Instant at, long nanos) {}

    /** Who wants to know what the log does. Called on the thread that applies it, and on others of the engine. */
    interface Listener {
        /** An entry was applied, and its answers were given. */
        void applied(Applied applied);

        /** Entries were skipped, as a snapshot has taken their place: what they had to tell was not told. */
        void restored();

        /** This node leads from now on, by this time. */
        void leads(LogClock clock);

        /** It does not lead any more. */
        void follows();
    }

    private RatisLog(DataFolder folder, Replica replica, RaftOptions options, Listener listener) throws IOException {
        this.time = options.time();
        this.alone = options.cluster().isEmpty();
        this.replica = replica;
        this.listener = listener;
        this.seen = new Seen(replica.now(), time.nanoTime());
        HeapCheck heap = new HeapCheck(folder.path(), Runtime.getRuntime().maxMemory());
        this.node =
                new RatisNode(folder, options, new RatisStateMachine(replica, this, heap, options.snapshotLogBytes()));
        options.cluster().ifPresent(nodes -> node.whenInTrouble(trouble -> older(nodes.node(), trouble)));
        this.mark = new ReachedMark(folder.path());
        this.disk = new DiskWatch(new RatisDisk(node, () -> loseAll(new TenonException(DISK_HANGS))));
    }

    /**
     * Starts the engine. A node that is alone then leads, and has applied what the log holds; one of several may still
     * look for the others.
     *
     * @throws DataFolderException if the engine can't work with the folder
     */
    static RatisLog start(DataFolder folder, Replica replica, RaftOptions options, Listener listener) {
        RatisLog log = null;
        try {
            log = new RatisLog(folder, replica, options, listener);
            log.node.start();
            log.mark.keep(log.node::reached);
            Optional<RaftCluster> cluster = options.cluster();
            if (cluster.isPresent()) {
                log.disk.start(cluster.get().electionTimeout());
            }
            if (log.alone) {
                log.started.get(START_MAX.toMillis(), TimeUnit.MILLISECONDS);
            }
            return log;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeAfter(log);
            throw new BackendUnavailableException(
                    "Interrupted while the log in " + folder.raft() + " was being opened");
        } catch (DataFolderException e) {
            closeAfter(log);
            throw e;
        } catch (IOException | RuntimeException | ExecutionException | TimeoutException e) {
            TenonException known = log == null ? null : log.failure;
            closeAfter(log);
            if (known instanceof DataFolderException) {
                throw known;
            }
            throw new DataFolderException(
                    "The log in " + folder.raft() + " can't be opened: "
                            + (known == null
                                    ? RatisNode.rootOf(e) + "; check disk and log files. "
                                            + DataFolder.mend(options.cluster())
                                    : known.getMessage()),
                    e);
        }
    }

    @Override
    public CompletableFuture<List<Answer>> append(List<byte[]> commands) {
        TenonException failed = failure;
        if (failed != null) {
            return CompletableFuture.failedFuture(
                    new BackendUnavailableException("The log is down: " + failed.getMessage(), failed));
        }
        if (disk.hanging()) {
            return CompletableFuture.failedFuture(new BackendUnavailableException(DISK_HANGS));
        }
        long number = sequence.incrementAndGet();
        CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
        pending.put(number, answers);
        byte[] entry = EntryCodec.encode(new Sender(process, number), commands);
        node.send(Message.valueOf(UnsafeByteOperations.unsafeWrap(entry)), () -> failure == null && !answers.isDone())
                .whenComplete((sent, error) -> {
                    if (error != null) {
                        lose(number, error);
                    }
                });
        return answers;
    }

    /** Why this node serves nobody, if it never will. */
    Optional<String> trouble() {
        return Optional.ofNullable(failure).map(TenonException::getMessage);
    }

    /** The cluster that this node is in. */
    RatisNode node() {
        return node;
    }

    @Override
    public Instant now() {
        LogClock known = clock;
        return known == null ? newClock().now() : known.now();
    }

    @Override
    public void applied(Applied applied) {
        seen = new Seen(replica.now(), time.nanoTime());
        Optional<Sender> self =
                applied.sender().filter(sender -> sender.process().equals(process));
        self.ifPresent(sender -> {
            CompletableFuture<List<Answer>> answers = pending.remove(sender.sequence());
            if (answers != null && applied.repeated()) {
                answers.completeExceptionally(new OutcomeUnknownException(
                        "The request was carried out, but its answer was lost; repeat it with the same request ID"));
            } else if (answers != null) {
                answers.complete(applied.answers());
            }
        });
        listener.applied(applied);
        if (self.isEmpty() || applied.tellsSomebody()) {
            node.tellFollowers(); // somebody there waits for it
        }
    }

    @Override
    public void restored() {
        seen = new Seen(replica.now(), time.nanoTime());
        long latest = replica.look(state -> state.senders().latestOf(process));
        List.copyOf(pending.keySet()).stream()
                .filter(number -> number <= latest)
                .forEach(number -> lose(number, new IOException("a snapshot has taken the place of its entry here")));
        listener.restored();
    }

    @Override
    public void leads() {
        LogClock leaders = newClock();
        if (!alone || started.isDone()) {
            leads(leaders);
            return;
        }
        // Time went on while the node was down, and nobody could keep a session alive: time stands until they are.
        Instant latest = seen.at();
        clock = LogClock.ofCluster(time, latest, time.nanoTime());
        keepSessionsThrough(Duration.between(latest, leaders.now())).whenComplete((kept, failed) -> leads(leaders));
    }

    private CompletableFuture<?> keepSessionsThrough(Duration away) {
        boolean nobody = replica.look(state -> state.locks().load().sessions() == 0);
        return nobody
                ? CompletableFuture.completedFuture(null)
                : append(List.of(EntryCodec.encodeCommand(new LockCommand.KeepAllAlive(away))));
    }

    private void leads(LogClock leaders) {
        clock = leaders;
        listener.leads(leaders);
        started.complete(null);
    }

    @Override
    public void follows() {
        clock = null;
        listener.follows();
    }

    @Override
    public void leaderChanged(RaftPeerId leader) {
        RatisNode known = node;
        if (known != null) { // the engine may tell while it is being made
            known.leaderChanged(leader);
        }
    }

    @Override
    public void logFailed(Throwable cause) {
        fail(new TenonException("no entry can be written (" + RatisNode.rootOf(cause)
                + "): free space or mend the disk, and start this node again"));
        if (!alone) {
            node.giveUp();
        }
    }

    @Override
    public void applyFailed(Throwable cause) {
        fail(new TenonException("an entry can't be applied (" + RatisNode.rootOf(cause) + ")"));
    }

    @Override
    public boolean serves() {
        return started.isDone();
    }

    @Override
    public void doesNotFit(DataFolderException why) {
        fail(why);
        if (!alone) {
            node.giveUp();
        }
    }

    @Override
    public void stopped() {
        fail(new TenonException("this node was removed from the cluster, or its engine has failed; one that was"
                + " removed comes back with an empty folder, as a new one"));
    }

    @Override
    public void snapshotDue() {
        node.takeSnapshot();
    }

    @Override
    public void close() {
        fail(new TenonException("it is closed"));
        mark.close();
        mark.write(node.reached());
        node.close();
    }

    private LogClock newClock() {
        Seen latest = seen;
        boolean first = latest.at().equals(Instant.EPOCH); // of a cluster's first leader: some wall clock must begin
        return alone || first
                ? LogClock.ofOneNode(time, latest.at())
                : LogClock.ofCluster(time, latest.at(), latest.nanos());
    }

    private void older(String name, String trouble) {
        String text = "the data folder of this node is an " + trouble + ". " + DataFolder.anew(name);
        LOG.error("{}{}", Character.toUpperCase(text.charAt(0)), text.substring(1));
        fail(new TenonException(text));
        node.later(TOLD, node::giveUp);
    }

    private void lose(long number, Throwable cause) {
        CompletableFuture<List<Answer>> answers = pending.remove(number);
        if (answers != null && cause instanceof BackendUnavailableException) {
            answers.completeExceptionally(cause);
        } else if (answers != null) {
            answers.completeExceptionally(new OutcomeUnknownException(
                    "The log did not confirm the request (" + RatisNode.rootOf(cause)
                            + "); repeat it with the same request ID",
                    cause));
        }
    }

    private void fail(TenonException cause) {
        if (failure == null) {
            failure = cause;
        }
        disk.close();
        started.completeExceptionally(cause);
        loseAll(cause);
    }

    private void loseAll(TenonException cause) {
        List.copyOf(pending.keySet()).forEach(number -> lose(number, cause));
    }

    private static void closeAfter(@Nullable RatisLog log) {
        if (log != null) {
            log.close();
        }
    }
}
