package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.protocol.exceptions.TransferLeadershipException;
import org.apache.ratis.server.RaftServer;

/**
 * The members of a cluster: who they are, who leads, how far each is, and changes of all that; asked of any node, done
 * by the leader. One change at a time, by Raft's joint consensus (Ongaro and Ousterhout, "In search of an
 * understandable consensus algorithm", 2014, section 6): the cluster serves meanwhile. Thread-safe.
 */
public final class RaftMembers {
    private static final Duration TRANSFER_MAX = Duration.ofSeconds(10);
    private static final Duration LEADER_MAX = Duration.ofSeconds(10);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);
    private static final List<Class<? extends Throwable>> REFUSALS = List.of(
            SetConfigurationException.class,
            ReconfigurationInProgressException.class,
            ReconfigurationTimeoutException.class,
            TransferLeadershipException.class);
    private static final List<Class<? extends Throwable>> NO_LEADER =
            List.of(NotLeaderException.class, LeaderNotReadyException.class, LeaderSteppingDownException.class);

    private final RatisNode node;
    private final Supplier<Optional<String>> trouble;
    private final NodeIdentity identity;

    RaftMembers(RatisNode node, Supplier<Optional<String>> trouble) {
        this.node = node;
        this.trouble = trouble;
        this.identity = new NodeIdentity(node::newClient, TimeSource.system());
    }

    /**
     * One node.
     *
     * @param name that it was given
     * @param address at which the others find it; empty for one that is alone
     * @param committed index of the latest entry that it knows to be on a majority, as far as the node asked knows
     * @param trouble why it serves nobody and will not by itself, as far as the node asked knows: that it has lost
     *     entries, say
     */
    public record Member(String name, String address, OptionalLong committed, Optional<String> trouble) {
        /** One of which nothing bad is known. */
        public Member(String name, String address, OptionalLong committed) {
            this(name, address, committed, Optional.empty());
        }
    }

    /**
     * The cluster as one node sees it.
     *
     * @param node that was asked
     * @param leader who leads, if one is known
     * @param term the number of the latest election that the node knows of
     * @param applied index of the latest entry that the node has applied
     * @param members in the order of their names
     */
    public record View(String node, Optional<String> leader, long term, long applied, List<Member> members) {
        /** Whether the node that was asked leads. */
        public boolean leads() {
            return leader.filter(node::equals).isPresent();
        }
    }

    /** What this node knows. No round trip; without a majority it may be old. */
    public View view() {
        Optional<RaftServer.Division> division = node.division();
        if (division.isEmpty()) {
            return new View(nameOf(node.self()), Optional.empty(), 0, 0, List.of());
        }
        RaftServer.Division here = division.get();
        Map<String, Long> committed = here.getCommitInfos().stream()
                .collect(Collectors.toMap(
                        info -> info.getServer().getId().toStringUtf8(), CommitInfoProto::getCommitIndex, Math::max));
        List<Member> members = node.peers().stream()
                .map(peer -> member(peer, committed))
                .sorted(Comparator.comparing(Member::name))
                .toList();
        return new View(
                nameOf(node.self()),
                Optional.ofNullable(here.getInfo().getLeaderId())
                        .filter(leader -> trouble.get().isEmpty()) // it hears of no new one
                        .map(RaftPeerId::toString)
                        .map(FolderVersion::nameOf),
                here.getInfo().getCurrentTerm(),
                here.getInfo().getLastAppliedIndex(),
                members);
    }

    /**
     * Lets a node in, which must run already, with an empty folder of its own and with members of this cluster among
     * its peers; waits until it has caught up, and before that, for 10 s at most, until it has started. A member of
     * that name whose folder is lost gives its place to the new one, in one change. A node that is a member is no
     * error.
     *
     * @param address {@code host:port} at which the node listens for the others
     * @throws IllegalArgumentException if there is a member of that name with another address: remove that one first
     * @throws TenonException if the node can't be reached or does not catch up
     */
    public void add(String name, String address) {
        RaftPeer asked = RaftCluster.peer(name, address);
        List<RaftPeer> now = current();
        for (RaftPeer member : now) {
            if (nameOf(member).equals(name) && !addressOf(member).equals(address)) {
                throw new IllegalArgumentException("Node \"" + name + "\" is a member with the address "
                        + addressOf(member) + ": remove it first, or choose another name");
            }
        }
        RaftPeer joining = asked.getId().equals(node.self().getId()) ? node.self() : identity.of(asked);
        if (now.stream().noneMatch(member -> member.getId().equals(joining.getId()))) {
            List<RaftPeer> next = now.stream()
                    .filter(member -> !nameOf(member).equals(name))
                    .map(this::withAddress)
                    .collect(Collectors.toCollection(ArrayList::new));
            next.add(joining);
            change(now, next, "Node " + name + " could not be added");
        }
    }

    /**
     * Removes a node, up or down; it stops to take requests. It can't come back with its folder: to let it in again,
     * start it with an empty one. One that is no member is no error.
     *
     * @throws IllegalArgumentException if it is the last one
     */
    public void remove(String name) {
        List<RaftPeer> now = current();
        List<RaftPeer> next =
                now.stream().filter(member -> !nameOf(member).equals(name)).toList();
        if (next.isEmpty()) {
            throw new IllegalArgumentException("Node \"" + name + "\" is the last one: stop it instead");
        }
        if (next.size() < now.size()) {
            change(now, next, "Node " + name + " could not be removed");
        }
    }

    /**
     * Makes a member the leader. Waits until it is; requests wait meanwhile, for about a round trip.
     *
     * @throws IllegalArgumentException if it is no member
     */
    public void transferLeadership(String name) {
        RaftPeerId to = current().stream()
                .filter(member -> nameOf(member).equals(name))
                .map(RaftPeer::getId)
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("Node \"" + name + "\" is not a member; members are " + names()));
        run(
                "Leadership could not be transferred to " + name,
                client -> client.admin().transferLeadership(to, TRANSFER_MAX.toMillis()));
    }

    /** A node that was alone is in the log without an address. */
    private RaftPeer withAddress(RaftPeer member) {
        return member.getId().equals(node.self().getId()) ? node.self() : member;
    }

    private void change(List<RaftPeer> now, List<RaftPeer> next, String failure) {
        SetConfigurationRequest.Arguments arguments = SetConfigurationRequest.Arguments.newBuilder()
                .setServersInCurrentConf(now)
                .setServersInNewConf(next)
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .build();
        run(failure, client -> client.admin().setConfiguration(arguments));
    }

    private interface Request {
        RaftClientReply send(RaftClient client) throws IOException;
    }

    private void run(String failure, Request request) {
        long since = System.nanoTime();
        while (true) {
            try (RaftClient client = node.newClient()) {
                RaftClientReply reply = request.send(client);
                if (reply.isSuccess()) {
                    return;
                }
                throw Objects.requireNonNull(reply.getException(), "exception");
            } catch (IOException e) {
                boolean refused = REFUSALS.stream().anyMatch(kind -> hasCause(e, kind));
                if (refused) {
                    throw new TenonException(failure + ": " + RatisNode.rootOf(e), e);
                }
                if (NO_LEADER.stream().noneMatch(kind -> hasCause(e, kind))) {
                    throw new OutcomeUnknownException(
                            failure + ", or the answer was lost (" + RatisNode.rootOf(e)
                                    + "): look at the cluster's members",
                            e);
                }
                if (System.nanoTime() - since > LEADER_MAX.toNanos()) {
                    throw new BackendUnavailableException(failure + ": nobody leads", e);
                }
            }
            TimeSource.system().park(RETRY_PAUSE);
        }
    }

    private static boolean hasCause(Throwable error, Class<? extends Throwable> kind) {
        Throwable cause = error;
        while (cause != null && !kind.isInstance(cause)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    private List<RaftPeer> current() {
        // A node that waits to be let in has a group, and nobody in it.
        List<RaftPeer> peers = node.division()
                .map(here -> List.copyOf(here.getRaftConf().getCurrentPeers()))
                .filter(members -> !members.isEmpty())
                .orElseThrow(() -> new BackendUnavailableException("This node is in no cluster yet: ask another one"));
        if (node.self().getAddress() == null) {
            throw new BackendUnavailableException(
                    "This node is alone and opens no port for others: start it as a node with peers to let others join");
        }
        return peers;
    }

    private String names() {
        return current().stream().map(RaftMembers::nameOf).sorted().collect(Collectors.joining(", "));
    }

    private Member member(RaftPeer peer, Map<String, Long> committed) {
        Long index = committed.get(peer.getId().toString());
        return new Member(
                nameOf(peer),
                addressOf(withAddress(peer)),
                index == null ? OptionalLong.empty() : OptionalLong.of(index),
                peer.getId().equals(node.self().getId())
                        ? trouble.get()
                        : Optional.ofNullable(node.troubles().get(peer.getId().toString())));
    }

    private static String nameOf(RaftPeer peer) {
        return FolderVersion.nameOf(peer.getId().toString());
    }

    private static String addressOf(RaftPeer peer) {
        return peer.getAddress() == null ? "" : peer.getAddress();
    }
}
