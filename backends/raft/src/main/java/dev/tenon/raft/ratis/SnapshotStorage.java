package dev.tenon.raft.ratis;

import java.io.IOException;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.jspecify.annotations.Nullable;

/**
 * Where the snapshots of a state machine are. As long as there is none, Ratis' own lists the folder each time that it
 * is asked for the latest one: it asks for each message that a leader sends, or gets an answer to, and for each that a
 * follower takes. This one looks once, and again when it is told to. Thread-safe.
 *
 * <p>Bends {@code SimpleStateMachineStorage} by a subclass. Why: ADR 41. Goes when Ratis remembers that there is none.
 * Source: {@code SimpleStateMachineStorage.getLatestSnapshot} of Ratis 3.3.0.
 */
public final class SnapshotStorage extends SimpleStateMachineStorage {
    private volatile @Nullable SingleFileSnapshotInfo latest;
    private volatile boolean looked;

    /** One that has not looked yet. */
    public SnapshotStorage() {}

    @Override
    public void init(RaftStorage storage) throws IOException {
        super.init(storage);
        looked = true;
    }

    @Override
    public @Nullable SingleFileSnapshotInfo getLatestSnapshot() {
        return looked ? latest : super.getLatestSnapshot();
    }

    @Override
    public @Nullable SingleFileSnapshotInfo updateLatestSnapshot(@Nullable SingleFileSnapshotInfo info) {
        SingleFileSnapshotInfo now = super.updateLatestSnapshot(info);
        latest = now;
        return now;
    }
}
