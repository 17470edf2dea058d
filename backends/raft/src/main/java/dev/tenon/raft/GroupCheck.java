package dev.tenon.raft;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Finds out, for a node whose folder belongs to a group, whether the nodes among its peers are in the same one. If none
 * of them is, and one is in another and no member of this one, the folder is not that of this node: it is another
 * cluster's, or one from before a restore. A node that went on with it would answer its clients from there, if it needs
 * no majority (a cluster of one), beside the others. (One that <em>is</em> a member of this group, and in another, is
 * the one with the wrong folder.) One thread at a time.
 */
final class GroupCheck {
    /** Between two rounds, as long as nobody was heard. */
    static final Duration PAUSE = Duration.ofSeconds(5);

    private final Path folder;
    private final RaftCluster cluster;
    private final UUID group;
    private final Peers peers;

    /** Asks a node. */
    interface Peers {
        /**
         * The group that it is in; empty if it does not answer, or is in none. Does not throw; threads may call at
         * once.
         */
        Optional<UUID> groupOf(String name);

        /** The addresses of those who are in the group of this node. */
        Set<String> members();
    }

    private record Heard(String name, Optional<UUID> group) {}

    /**
     * @param folder for messages
     * @param group that it belongs to
     */
    GroupCheck(Path folder, RaftCluster cluster, UUID group, Peers peers) {
        this.folder = folder;
        this.cluster = cluster;
        this.group = group;
        this.peers = peers;
    }

    /**
     * Asks the peers, until one is in the same group.
     *
     * @return whether one was; else nobody was heard who would know
     * @throws DataFolderException if those who answer are in other groups, and no members of this one
     */
    boolean runOnce() {
        List<Heard> heard = PeerRound.of(cluster, name -> new Heard(name, peers.groupOf(name)), this::isInTheSame);
        if (heard.stream().anyMatch(this::isInTheSame)) {
            return true;
        }
        String stranger = heard.stream()
                .filter(other -> other.group().isPresent())
                .map(Heard::name)
                .filter(name -> !peers.members().contains(cluster.address(name)))
                .findFirst()
                .orElse("");
        if (stranger.isEmpty()) {
            return false;
        }
        throw new DataFolderException(
                "Data folder " + folder + " belongs to another cluster than node " + stranger + " at "
                        + cluster.address(stranger)
                        + ", which is among this node's peers: start this node with its own folder; if that is lost,"
                        + " with an empty one, and add it to the cluster again. If the folder is the right one, the peers are not");
    }

    private boolean isInTheSame(Heard other) {
        return other.group().filter(group::equals).isPresent();
    }
}
