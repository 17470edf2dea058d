package dev.tenon.raft;

import dev.tenon.raft.Command.Applied;
import dev.tenon.raft.ratis.SnapshotStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects a {@link Replica} to Ratis: entries in, snapshots out and in. Ratis calls it from one thread at a time. */
final class RatisStateMachine extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(RatisStateMachine.class);
    /** What Ratis adds to an entry in the log, roughly. */
    private static final int ENTRY_OVERHEAD_BYTES = 64;

    private final SnapshotStorage storage = new SnapshotStorage();
    private final Replica replica;
    private final Listener listener;
    private final HeapCheck heap;
    private final long snapshotLogBytes;
    private long bytesSinceSnapshot;
    private long snapshotBytes;
    private volatile boolean snapshotAskedFor;
    private boolean tooLarge;

    /** Who wants to know what happens here. Called on threads of Ratis. */
    interface Listener {
        /** The time of the next entry. Asked of a leader. */
        Instant now();

        /** An entry was applied. */
        void applied(Applied applied);

        /** A snapshot has taken the place of entries. */
        void restored();

        /** This node leads, and has applied everything that earlier leaders left. */
        void leads();

        /** It does not lead any more. */
        void follows();

        /** There is a leader, this node or another one. */
        void leaderChanged(RaftPeerId leader);

        /** An entry can't be applied, nor any after it. */
        void applyFailed(Throwable cause);

        /** Whether the node has applied what was in its log when it started. */
        boolean serves();

        /** The state does not fit the heap, or is not this node's. */
        void doesNotFit(DataFolderException why);

        /** The log can't be written any more. */
        void logFailed(Throwable cause);

        /** The engine has stopped. */
        void stopped();

        /** It is time to call for a snapshot. */
        void snapshotDue();
    }

    RatisStateMachine(Replica replica, Listener listener, HeapCheck heap, long snapshotLogBytes) {
        this.replica = replica;
        this.listener = listener;
        this.heap = heap;
        this.snapshotLogBytes = snapshotLogBytes;
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage raftStorage) throws IOException {
        // Ratis installs snapshots only into a state machine whose life cycle says that it runs.
        getLifeCycle().startAndTransition(() -> {
            super.initialize(server, groupId, raftStorage);
            storage.init(raftStorage);
            load();
        });
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        getLifeCycle().startAndTransition(this::load);
    }

    @Override
    public void close() {
        getLifeCycle().checkStateAndClose(() -> {});
        listener.stopped();
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    /** The leader's time goes into the log before what the client sent. */
    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        ByteString stamp = UnsafeByteOperations.unsafeWrap(EntryCodec.stamp(listener.now()));
        return TransactionContext.newBuilder()
                .setStateMachine(this)
                .setClientRequest(request)
                .setLogData(stamp.concat(request.getMessage().getContent()))
                .build();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        if (tooLarge) {
            return CompletableFuture.completedFuture(Message.EMPTY); // nobody is answered, and no snapshot has it
        }
        LogEntryProto entry = Objects.requireNonNull(transaction.getLogEntry(), "log entry");
        var command = entry.getStateMachineLogEntry();
        ByteBuffer bytes = command.getLogData().asReadOnlyByteBuffer();
        bytesSinceSnapshot += bytes.remaining() + ENTRY_OVERHEAD_BYTES;
        Applied applied;
        try {
            applied = replica.apply(entry.getIndex(), bytes);
            if (!listener.serves()) {
                heap.applied(replica.usage().bytes(), entry.getIndex());
            }
        } catch (DataFolderException e) {
            // Whoever starts the node says so; what was thrown here would be in the log with a trace of the engine.
            tooLarge = true;
            listener.doesNotFit(e);
            return CompletableFuture.completedFuture(Message.EMPTY);
        } catch (OutOfMemoryError e) {
            if (!listener.serves()) {
                listener.doesNotFit(heap.outOfMemory());
            }
            throw e;
        } catch (RuntimeException e) {
            listener.applyFailed(e);
            throw e;
        }
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        try {
            listener.applied(applied);
            askForSnapshot();
        } catch (RuntimeException e) {
            // The entry is applied. What is thrown here stops the engine, and one that is being closed
            // then waits for ever for entries that it does not apply any more.
            LOG.error("What was to follow from entry {} of the log has failed", entry.getIndex(), e);
        }
        return CompletableFuture.completedFuture(Message.EMPTY);
    }

    /** A snapshot costs as much as the log that it replaces at least, so that a great state is not written all the time. */
    private void askForSnapshot() {
        if (!snapshotAskedFor && bytesSinceSnapshot >= Math.max(snapshotLogBytes, snapshotBytes)) {
            snapshotAskedFor = true;
            listener.snapshotDue();
        }
    }

    @Override
    public long takeSnapshot() throws IOException {
        TermIndex at = getLastAppliedTermIndex();
        Path file = storage.getSnapshotFile(at.getTerm(), at.getIndex()).toPath();
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            write(temporary);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(temporary); // or a disk that was full would stay so
            throw e;
        }
        MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
        // The log is cut right after this; the names of the files must have reached the disk before.
        DataFolder.sync(Objects.requireNonNull(file.getParent(), "parent"));
        storage.updateLatestSnapshot(
                new SingleFileSnapshotInfo(new FileInfo(file, digest), at.getTerm(), at.getIndex()));
        snapshotBytes = Files.size(file);
        bytesSinceSnapshot = 0;
        snapshotAskedFor = false;
        return at.getIndex();
    }

    private void write(Path file) throws IOException {
        Files.deleteIfExists(file); // of a process that was killed
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), PrivateFiles.file(file))) {
            replica.snapshot(Channels.newOutputStream(channel));
            channel.force(true);
        }
    }

    /** What is in the folder is not what this node should have. */
    void mustNotServe(DataFolderException why) {
        listener.doesNotFit(why);
    }

    /** The snapshot that was asked for did not come to be: the next one may be asked for. */
    void snapshotFailed() {
        snapshotAskedFor = false;
    }

    @Override
    public void notifyLeaderReady() {
        listener.leads();
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId here, @Nullable RaftPeerId leader) {
        if (leader != null) {
            listener.leaderChanged(leader);
        }
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        listener.follows();
    }

    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        listener.logFailed(cause);
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServer) {
        listener.stopped();
    }

    private void load() throws IOException {
        SingleFileSnapshotInfo latest = storage.loadLatestSnapshot();
        if (latest == null) {
            return;
        }
        ByteBuffer snapshot = SnapshotCodec.map(latest.getFile().getPath());
        int size = snapshot.remaining();
        try {
            replica.restore(snapshot, heap);
        } catch (DataFolderException e) {
            listener.doesNotFit(e);
            throw e;
        } catch (OutOfMemoryError e) {
            DataFolderException why = heap.outOfMemory();
            listener.doesNotFit(why);
            throw why;
        }
        setLastAppliedTermIndex(latest.getTermIndex());
        snapshotBytes = size;
        bytesSinceSnapshot = 0;
        listener.restored();
    }
}
