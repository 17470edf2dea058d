package dev.tenon.raft;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk under a node of several: while it hangs, the node does not lead, so that the others, whose disks do not, go
 * on. It stays a member, and catches up when the disk is back. Why not the engine: it commits what a majority <em>and
 * its leader</em> have on their disks, and a leader sends its heartbeats whatever its disk does (Ratis 3.3.0,
 * {@code RaftLogBase.updateCommitIndex}).
 */
final class RatisDisk implements DiskWatch.Watched {
    private static final Logger LOG = LoggerFactory.getLogger(RatisDisk.class);
    private static final long STEP_DOWN_MILLIS_MAX = 3000;

    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    private final RatisNode node;
    private final Runnable hangs;
    private boolean told;

    /** @param hangs run when it begins to */
    RatisDisk(RatisNode node, Runnable hangs) {
        this.node = node;
        this.hangs = hangs;
    }

    @Override
    public long taken() {
        return node.division()
                .map(division -> division.getRaftLog().getNextIndex() - 1)
                .orElse(-1L);
    }

    @Override
    public long flushed() {
        return node.division()
                .map(division -> division.getRaftLog().getFlushIndex())
                .orElse(-1L);
    }

    @Override
    public void hangs() {
        if (!told) {
            told = true;
            LOG.error("The disk of this node hangs: a flush of the log does not return. It answers nobody until that"
                    + " does, and leads no more; the others go on. Mend the disk, or replace this node");
            hangs.run();
        }
        node.division().filter(division -> division.getInfo().isLeader()).ifPresent(this::stepDown);
    }

    @Override
    public void isBack() {
        told = false;
        LOG.warn("The disk of this node is back");
    }

    private void stepDown(RaftServer.Division division) {
        try {
            division.getRaftServer()
                    .transferLeadershipAsync(new TransferLeadershipRequest(
                            client,
                            division.getId(),
                            division.getGroup().getGroupId(),
                            calls.incrementAndGet(),
                            null, // nobody by name: whoever is elected
                            STEP_DOWN_MILLIS_MAX))
                    .whenComplete((reply, error) -> {
                        if (error != null) {
                            LOG.warn("The lead could not be given up; trying again", error);
                        }
                    });
        } catch (IOException e) {
            LOG.warn("The lead could not be given up; trying again", e);
        }
    }
}
