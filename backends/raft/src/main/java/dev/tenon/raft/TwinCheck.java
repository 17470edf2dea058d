package dev.tenon.raft;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out, before a node takes part, whether another process does so in its name: one with a copy of its folder, on a
 * machine where the node's address leads to itself. Two such processes have one vote each, which the others take for
 * the same one; so a leader could be elected that misses what was answered. What tells is a peer that goes on to hear
 * from the node while this process, which is to be the node, says nothing yet. Stateless.
 */
final class TwinCheck {
    private final Path folder;
    private final RaftCluster cluster;
    private final Peers peers;

    /** Asks a node. */
    interface Peers {
        /**
         * How long ago a peer has heard from the process that it takes for this node; empty if it does not answer, or
         * speaks with another leader. Does not throw; threads may call at once.
         */
        Optional<Duration> lastHeard(String peer);
    }

    /** @param folder for messages */
    TwinCheck(Path folder, RaftCluster cluster, Peers peers) {
        this.folder = folder;
        this.cluster = cluster;
        this.peers = peers;
    }

    private record Verdict(String peer, Optional<Boolean> twin) {
        boolean found() {
            return twin.orElse(false);
        }
    }

    /**
     * Asks the peers until one knows; at most for some election timeouts more than they take to answer.
     *
     * @throws DataFolderException if another process is this node
     */
    void run() {
        long begun = System.nanoTime();
        List<Verdict> verdicts = PeerRound.of(
                cluster,
                peer -> new Verdict(peer, hearsAnother(peer, begun)),
                verdict -> verdict.twin().isPresent());
        verdicts.stream().filter(Verdict::found).findFirst().ifPresent(verdict -> {
            throw new DataFolderException("Another process is node " + cluster.node() + " of this cluster: node "
                    + verdict.peer() + " goes on to hear from it, and not from this one. Data folder " + folder
                    + " is a copy of that one's: start it nowhere, and delete it. If the other process has the wrong folder, stop that one"
                    + " first");
        });
    }

    /**
     * Empty: the peer can't know. A word that was on its way when an earlier process of this node ended is no proof:
     * two are, with time between.
     */
    private Optional<Boolean> hearsAnother(String peer, long begun) {
        long patience = cluster.electionTimeout().toNanos();
        long first = begun;
        while (true) {
            long asked = System.nanoTime();
            Optional<Duration> ago = peers.lastHeard(peer);
            if (ago.isEmpty()) {
                return Optional.empty();
            }
            long heard = asked - ago.get().toNanos(); // or later
            if (first != begun && heard - first > patience / 2) {
                return Optional.of(true);
            }
            if (first == begun && heard - begun > 0) {
                first = heard;
            }
            if (ago.get().toNanos() > patience || asked - first > patience) {
                return Optional.of(false);
            }
            LockSupport.parkNanos(patience / 5);
        }
    }
}
