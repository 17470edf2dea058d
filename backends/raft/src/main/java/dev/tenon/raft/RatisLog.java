package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.raft.Command.Answer;
import dev.tenon.raft.Command.Applied;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link ReplicatedLog} on Apache Ratis, as a group of one so far. Requests are handed to Ratis inside this process;
 * answers come from the replica itself, so that neither is copied through a client or a network.
 */
final class RatisLog implements ReplicatedLog, RatisStateMachine.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);
    private static final Duration START_MAX = Duration.ofMinutes(2);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(10);
    private static final Duration RETRY_MAX = Duration.ofSeconds(5);
    private static final Duration SNAPSHOT_MAX = Duration.ofMinutes(10);

    private final ClientId client = ClientId.randomId();
    private final AtomicLong callIds = new AtomicLong();
    private final Map<Long, CompletableFuture<List<Answer>>> pending = new ConcurrentHashMap<>();
    private final CompletableFuture<@Nullable Void> leader = new CompletableFuture<>();
    private final ScheduledExecutorService chores = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tenon-raft-chores");
        thread.setDaemon(true);
        return thread;
    });
    private final Consumer<Applied> onApplied;
    private final RaftGroupId groupId;
    private final RaftPeer self;
    private final RaftServer server;
    private final RaftClientAsynchronousProtocol division;
    private volatile @Nullable TenonException failure;

    private RatisLog(DataFolder folder, Replica replica, RaftOptions options, Consumer<Applied> onApplied)
            throws IOException {
        this.onApplied = onApplied;
        this.groupId = RaftGroupId.valueOf(folder.group());
        this.self = RaftPeer.newBuilder().setId("n1").build();
        Path storage = folder.raft();
        this.server = RaftServer.newBuilder()
                .setServerId(self.getId())
                .setGroup(RaftGroup.valueOf(groupId, self))
                .setStateMachine(new RatisStateMachine(replica, this, options.snapshotLogBytes()))
                .setProperties(RatisProperties.of(storage))
                .setOption(StartupOption.RECOVER)
                .build();
        // Through RaftServer every request would change threads twice more, and the caller would wait for that.
        this.division = (RaftClientAsynchronousProtocol) (Object) server.getDivision(groupId);
    }

    /**
     * Starts the engine, and waits until it leads and has applied what the log holds.
     *
     * @param onApplied told of every entry that was applied, after its answers were given; on the thread that applies
     * @throws DataFolderException if the engine can't work with the folder
     */
    static RatisLog start(DataFolder folder, Replica replica, RaftOptions options, Consumer<Applied> onApplied) {
        RatisLog log = null;
        try {
            log = new RatisLog(folder, replica, options, onApplied);
            log.server.start();
            log.leader.get(START_MAX.toMillis(), TimeUnit.MILLISECONDS);
            return log;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeAfter(log);
            throw new BackendUnavailableException(
                    "Interrupted while the log in " + folder.raft() + " was being opened");
        } catch (IOException | RuntimeException | ExecutionException | TimeoutException e) {
            TenonException known = log == null ? null : log.failure;
            closeAfter(log);
            throw new DataFolderException(
                    "The log in " + folder.raft() + " can't be opened: "
                            + (known == null
                                    ? rootOf(e) + "; check disk and log files, or restore a backup"
                                    : known.getMessage()),
                    e);
        }
    }

    @Override
    public CompletableFuture<List<Answer>> append(byte[] entry) {
        TenonException failed = failure;
        if (failed != null) {
            return CompletableFuture.failedFuture(
                    new BackendUnavailableException("The log is down: " + failed.getMessage(), failed));
        }
        long callId = callIds.incrementAndGet();
        CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
        pending.put(callId, answers);
        send(callId, Message.valueOf(UnsafeByteOperations.unsafeWrap(entry)), System.nanoTime());
        return answers;
    }

    @Override
    public void applied(ClientId from, long callId, Applied applied) {
        CompletableFuture<List<Answer>> answers = from.equals(client) ? pending.remove(callId) : null;
        if (answers != null) {
            answers.complete(applied.answers());
        }
        onApplied.accept(applied);
    }

    @Override
    public void leaderReady() {
        leader.complete(null);
    }

    @Override
    public void logFailed(Throwable cause) {
        fail(new TenonException("no entry can be written (" + rootOf(cause)
                + "): free space or mend the disk, and start this node again"));
    }

    @Override
    public void stopped() {
        fail(new TenonException("it is closed"));
    }

    @Override
    public void snapshotDue() {
        chores.execute(() -> server.snapshotManagementAsync(SnapshotManagementRequest.newCreate(
                        client, self.getId(), groupId, callIds.incrementAndGet(), SNAPSHOT_MAX.toMillis(), 1))
                .whenComplete((reply, error) -> {
                    if (error != null) {
                        LOG.warn("No snapshot could be taken; the log stays as it is", error);
                    }
                }));
    }

    @Override
    public void close() {
        stopped();
        chores.shutdownNow();
        try {
            server.close();
        } catch (IOException e) {
            throw new BackendUnavailableException(
                    "The log could not be closed cleanly; it is mended at the next start", e);
        }
    }

    private void send(long callId, Message entry, long since) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(self.getId())
                .setGroupId(groupId)
                .setCallId(callId)
                .setType(RaftClientRequest.writeRequestType())
                .setMessage(entry)
                .build();
        try {
            division.submitClientRequestAsync(request)
                    .whenComplete((reply, error) -> onReply(request, since, reply, error));
        } catch (IOException | RuntimeException e) {
            lose(callId, e);
        }
    }

    /** Only failures matter here: what succeeded was answered when it was applied. */
    private void onReply(
            RaftClientRequest request, long since, @Nullable RaftClientReply reply, @Nullable Throwable error) {
        Throwable problem = error != null ? error : reply == null ? null : reply.getException();
        if (problem instanceof CompletionException && problem.getCause() != null) {
            problem = problem.getCause();
        }
        boolean noLeader = problem instanceof NotLeaderException
                || problem instanceof LeaderNotReadyException
                || problem instanceof LeaderSteppingDownException;
        if (noLeader && failure == null && System.nanoTime() - since < RETRY_MAX.toNanos()) {
            // The same call ID: if the entry did get into the log, it is not appended again.
            chores.schedule(
                    () -> send(request.getCallId(), request.getMessage(), since),
                    RETRY_PAUSE.toMillis(),
                    TimeUnit.MILLISECONDS);
        } else if (problem != null) {
            lose(request.getCallId(), problem);
        }
    }

    private void lose(long callId, Throwable cause) {
        CompletableFuture<List<Answer>> answers = pending.remove(callId);
        if (answers != null) {
            answers.completeExceptionally(new OutcomeUnknownException(
                    "The log did not confirm the request (" + rootOf(cause) + "); repeat it with the same request ID",
                    cause));
        }
    }

    private void fail(TenonException cause) {
        if (failure == null) {
            failure = cause;
        }
        leader.completeExceptionally(cause);
        List.copyOf(pending.keySet()).forEach(callId -> lose(callId, cause));
    }

    private static void closeAfter(@Nullable RatisLog log) {
        if (log != null) {
            log.close();
        }
    }

    private static String rootOf(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message == null || message.isBlank() ? root.getClass().getSimpleName() : message;
    }
}
