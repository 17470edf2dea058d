package dev.tenon.raft;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.api.GroupManagementApi;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.GroupInfoReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out, for a node whose folder belongs to no group yet, which one it is to be in: the one that a node among its
 * peers is in; or, if all of them are as new as this one, a new one, which each of them makes by itself and which is
 * the same.
 *
 * <p>A group begins only when every peer has been heard. So a node that has lost its disk never begins a second group
 * beside the one that the others, who are out of reach just now, have been in for long. One thread at a time.
 */
final class GroupSearch {
    private static final Logger LOG = LoggerFactory.getLogger(GroupSearch.class);

    /** Where a node waits that is in no group yet, so that the others can ask for its identity. */
    static final UUID LOBBY = UUID.nameUUIDFromBytes("tenon lobby".getBytes(StandardCharsets.UTF_8));

    private final RaftCluster cluster;
    private final String self;
    private final Clients clients;
    private volatile String missing;
    private boolean warned;

    /** Makes clients of a node that nothing is known of but its address. */
    interface Clients {
        RaftClient of(RaftPeer peer) throws IOException;
    }

    /**
     * A group to be in.
     *
     * @param founders address by identity of those with whom it begins; none: it began without this node, and has to
     *     let it in
     */
    record Found(UUID group, Map<String, String> founders) {}

    /**
     * What a node said.
     *
     * @param group it is in; the lobby if it is in none
     * @param members of that group as far as it knows, itself if it is in none
     * @param role whom it hears there
     */
    private record Answer(UUID group, Map<String, String> members, RoleInfoProto role) {
        /** One that is being added is not yet: it has no clock for whom it hears, and says "just now" for ever. */
        boolean isMember() {
            return members.containsKey(role.getSelf().getId().toStringUtf8());
        }
    }

    GroupSearch(RaftCluster cluster, String self, Clients clients) {
        this.cluster = cluster;
        this.self = self;
        this.clients = clients;
        this.missing = "the others have not been asked yet";
    }

    /** Why there is no group yet. */
    String missing() {
        return missing;
    }

    /** Asks every peer once. */
    Optional<Found> runOnce() {
        Map<String, String> fresh = new TreeMap<>();
        fresh.put(self, address(cluster.node()));
        TreeSet<String> silent = new TreeSet<>();
        for (String name : new TreeSet<>(cluster.peers().keySet())) {
            Optional<Answer> answer = name.equals(cluster.node()) ? Optional.empty() : ask(name);
            if (answer.isPresent() && !answer.get().group().equals(LOBBY)) {
                return Optional.of(found(answer.get()));
            }
            answer.ifPresent(other -> fresh.putAll(other.members()));
            if (answer.isEmpty() && !name.equals(cluster.node())) {
                silent.add(name + " (" + address(name) + ")");
            }
        }
        if (!silent.isEmpty() || fresh.size() < cluster.peers().size()) {
            missing = String.join(", ", silent) + (silent.size() == 1 ? " does" : " do")
                    + " not answer; a cluster begins when all of its nodes are up";
            return Optional.empty();
        }
        return Optional.of(
                new Found(UUID.nameUUIDFromBytes(("tenon cluster " + fresh).getBytes(StandardCharsets.UTF_8)), fresh));
    }

    private Found found(Answer answer) {
        if (answer.members().containsKey(self)) {
            return new Found(answer.group(), answer.members());
        }
        answer.members().keySet().stream()
                .filter(id -> FolderVersion.nameOf(id).equals(cluster.node()))
                .forEach(id -> LOG.warn(
                        "A node {} with another data folder is a member. If that folder is lost, add {} again to let"
                                + " this one take its place; if not, start this node with that folder",
                        cluster.node(),
                        cluster.node()));
        return new Found(answer.group(), Map.of());
    }

    /** The group that a peer is in; empty if it does not answer, or is in none yet. */
    Optional<UUID> groupOf(String name) {
        return ask(name).map(Answer::group).filter(group -> !group.equals(LOBBY));
    }

    /**
     * How long ago a member has heard from this node, as its leader or its follower; empty if it does not answer, or is
     * neither.
     */
    Optional<Duration> lastHeard(String name) {
        return ask(name)
                .filter(Answer::isMember)
                .flatMap(answer -> Stream.concat(
                                answer.role().getLeaderInfo().getFollowerInfoList().stream(),
                                Stream.of(answer.role().getFollowerInfo().getLeaderInfo()))
                        .filter(other -> other.getId().getId().toStringUtf8().equals(self))
                        .map(other -> Duration.ofMillis(other.getLastRpcElapsedTimeMs()))
                        .findFirst());
    }

    private Optional<Answer> ask(String name) {
        RaftPeer peer = RaftCluster.peer(name, address(name));
        try (RaftClient client = clients.of(peer)) {
            GroupManagementApi node = client.getGroupManagementApi(peer.getId());
            List<UUID> groups =
                    node.list().getGroupIds().stream().map(RaftGroupId::getUuid).toList();
            Optional<UUID> group =
                    groups.stream().filter(id -> !id.equals(LOBBY)).findFirst();
            GroupInfoReply info = node.info(RaftGroupId.valueOf(group.orElse(LOBBY)));
            String id = info.getRoleInfoProto().getSelf().getId().toStringUtf8();
            if (!FolderVersion.nameOf(id).equals(name)) {
                warnOnce(name, id);
                return Optional.empty();
            }
            if (group.isEmpty()) {
                return Optional.of(new Answer(LOBBY, Map.of(id, address(name)), info.getRoleInfoProto()));
            }
            Map<String, String> members = new TreeMap<>();
            info.getGroup()
                    .getPeers()
                    .forEach(member -> members.put(member.getId().toString(), member.getAddress()));
            return members.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Answer(group.get(), members, info.getRoleInfoProto()));
        } catch (IOException | RuntimeException e) { // gRPC throws its own
            LOG.debug("{} does not answer", peer, e);
            return Optional.empty();
        }
    }

    private void warnOnce(String name, String id) {
        if (!warned) {
            warned = true;
            LOG.warn(
                    "At {} there is node {}, and not {}: check the peers",
                    address(name),
                    FolderVersion.nameOf(id),
                    name);
        }
    }

    private String address(String name) {
        return cluster.address(name);
    }

    /** The peers of a group, as the engine wants them. */
    static RaftGroup group(Found found) {
        List<RaftPeer> peers = found.founders().entrySet().stream()
                .map(founder -> RaftPeer.newBuilder()
                        .setId(RaftPeerId.valueOf(founder.getKey()))
                        .setAddress(founder.getValue())
                        .build())
                .toList();
        return RaftGroup.valueOf(RaftGroupId.valueOf(found.group()), peers);
    }
}
