package dev.tenon.server;

import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import dev.tenon.raft.RaftMembers;
import dev.tenon.server.backend.ClusterAdmin;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The members of a Raft group. */
final class RaftClusterAdmin implements ClusterAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(RaftClusterAdmin.class);

    private static final Duration HAND_OVER_MAX = Duration.ofSeconds(3);

    private final RaftMembers members;
    private final Supplier<OptionalLong> snapshot;
    private final boolean alone;

    /**
     * @param snapshot the latest entry in the latest snapshot
     * @param alone whether this node opens no port for others
     */
    RaftClusterAdmin(RaftMembers members, Supplier<OptionalLong> snapshot, boolean alone) {
        this.members = members;
        this.snapshot = snapshot;
        this.alone = alone;
    }

    @Override
    public View view() {
        RaftMembers.View seen = members.view();
        return new View(
                seen.node(),
                seen.leader(),
                seen.term(),
                seen.applied(),
                snapshot.get(),
                seen.members().stream()
                        .map(m -> new Member(m.name(), m.address(), m.committed(), m.trouble()))
                        .toList());
    }

    @Override
    public boolean takesMembers() {
        return !alone;
    }

    @Override
    public void add(String name, String address) {
        members.add(name, address);
    }

    @Override
    public void remove(String name) {
        members.remove(name);
    }

    @Override
    public void transfer(String name) {
        members.transferLeadership(name);
    }

    @Override
    public void handOver() {
        RaftMembers.View seen = members.view();
        if (!seen.leads() || seen.members().size() < 2) {
            return;
        }
        try {
            CompletableFuture.runAsync(() -> handOver(seen), RaftClusterAdmin::onAThreadOfItsOwn)
                    .get(HAND_OVER_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.info("No other node took the lead in time; they elect one");
        }
    }

    private static void onAThreadOfItsOwn(Runnable task) {
        DaemonThreads.of("tenon-hand-over", task).start();
    }

    /** To whoever is furthest, who has the least to catch up with. */
    private void handOver(RaftMembers.View seen) {
        List<RaftMembers.Member> heirs = seen.members().stream()
                .filter(m -> !m.name().equals(seen.node()))
                .sorted(Comparator.comparingLong(
                                (RaftMembers.Member m) -> m.committed().orElse(-1))
                        .reversed())
                .toList();
        for (RaftMembers.Member heir : heirs) {
            try {
                members.transferLeadership(heir.name());
                LOG.info("{} leads now", heir.name());
                return;
            } catch (TenonException | IllegalArgumentException e) {
                LOG.info("The lead could not be handed to {}: {}", heir.name(), e.getMessage());
            }
        }
    }
}
