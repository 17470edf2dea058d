package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of Ratis: the server, and the ways to its leader. An entry goes to the leader inside this process if that is here,
 * else over the network. Thread-safe.
 */
final class RatisNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RatisNode.class);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(10);
    private static final Duration RETRY_MAX = Duration.ofSeconds(5);
    private static final Duration SEARCH_PAUSE = Duration.ofMillis(200);
    /** After which the engine has made the first files of a group. */
    private static final Duration FILES_MADE = Duration.ofSeconds(2);

    private static final Duration SNAPSHOT_MAX = Duration.ofMinutes(10);
    private static final Duration SNAPSHOT_AGAIN = Duration.ofMinutes(1);

    private final ClientId client = ClientId.randomId();
    private final AtomicLong callIds = new AtomicLong();
    private final ScheduledExecutorService chores = Executors.newScheduledThreadPool(2, task -> {
        Thread thread = new Thread(task, "tenon-raft-chores");
        thread.setDaemon(true);
        return thread;
    });
    private final DataFolder folder;
    private final RatisStateMachine machine;
    private final ClusterRpc.Settings settings;
    private final RatisClients clients;
    private final RaftPeer self;
    private final RaftServer server;
    private final @Nullable GroupSearch search;
    private volatile RaftServer.@Nullable Division division;

    RatisNode(DataFolder folder, RaftOptions options, RatisStateMachine machine) throws IOException {
        FolderVersion version = folder.version();
        Optional<RaftCluster> cluster = options.cluster();
        this.folder = folder;
        this.machine = machine;
        RatisProperties.withoutReporters();
        RaftProperties properties = RatisProperties.of(folder.raft(), cluster);
        this.settings = new ClusterRpc.Settings(cluster);
        this.clients = new RatisClients(properties, settings);
        RaftPeer.Builder peer = RaftPeer.newBuilder().setId(version.node());
        cluster.ifPresent(nodes -> peer.setAddress(nodes.address(nodes.node())));
        this.self = peer.build();
        this.search = cluster.filter(nodes -> version.group().isEmpty())
                .map(nodes -> new GroupSearch(nodes, version.node(), this::newClient))
                .orElse(null);
        this.server = RaftServer.newBuilder()
                .setServerId(self.getId())
                .setGroup(firstGroup(version, cluster.isEmpty()))
                .setStateMachineRegistry(
                        group -> group.getUuid().equals(GroupSearch.LOBBY) ? new BaseStateMachine() : machine)
                .setProperties(properties)
                .setParameters(settings.asParameters(properties))
                .setOption(StartupOption.RECOVER)
                .build();
    }

    private RaftGroup firstGroup(FolderVersion version, boolean alone) {
        if (version.group().isEmpty()) {
            return RaftGroup.valueOf(RaftGroupId.valueOf(GroupSearch.LOBBY));
        }
        return alone
                ? RaftGroup.valueOf(RaftGroupId.valueOf(version.group().get()), self)
                : GroupSearch.group(new GroupSearch.Found(version.group().get(), version.founders()));
    }

    void start() throws IOException {
        server.start();
        later(FILES_MADE, folder::closeFiles);
        if (search == null) {
            division = server.getDivision(groupId());
        } else {
            later(Duration.ZERO, this::searchOnce);
        }
    }

    /** Looks for a group to be in, and goes in. */
    private void searchOnce() {
        try {
            Optional<GroupSearch.Found> found = Objects.requireNonNull(search).runOnce();
            if (found.isPresent()) {
                join(found.get());
                return;
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("The cluster could not be joined; trying again", e);
        }
        later(SEARCH_PAUSE, this::searchOnce);
    }

    private void join(GroupSearch.Found found) throws IOException {
        // On the disk first: from here on, this node has votes and entries that it must not forget.
        folder.become(folder.version().in(found.group(), found.founders()));
        RaftGroup group = GroupSearch.group(found);
        RaftGroupId lobby = RaftGroupId.valueOf(GroupSearch.LOBBY);
        boolean there =
                StreamSupport.stream(server.getGroupIds().spliterator(), false).anyMatch(group.getGroupId()::equals);
        if (!there) {
            require(server.groupManagement(
                    GroupManagementRequest.newAdd(client, self.getId(), callIds.incrementAndGet(), group, false)));
        }
        division = server.getDivision(group.getGroupId());
        later(FILES_MADE, folder::closeFiles);
        require(server.groupManagement(
                GroupManagementRequest.newRemove(client, self.getId(), callIds.incrementAndGet(), lobby, true, false)));
    }

    private static void require(RaftClientReply reply) throws IOException {
        if (!reply.isSuccess()) {
            throw reply.getException();
        }
    }

    /** This node in its group; empty as long as it looks for one. */
    Optional<RaftServer.Division> division() {
        return Optional.ofNullable(division);
    }

    /** This node, as the others know it. */
    RaftPeer self() {
        return self;
    }

    /** Who sends the entries of this node; the leader sees it. */
    ClientId client() {
        return client;
    }

    /**
     * A client that changes the members of this cluster; the caller closes it.
     *
     * @throws BackendUnavailableException if this node is in none yet
     */
    RaftClient newClient() throws IOException {
        return clients.ofAdmin(
                RaftGroup.valueOf(groupId(), peers()),
                requireDivision().getInfo().getLeaderId());
    }

    /** A client of one node, whichever group it is in; the caller closes it. */
    RaftClient newClient(RaftPeer peer) throws IOException {
        return clients.of(RaftGroup.valueOf(RaftGroupId.randomId(), peer));
    }

    private RaftServer.Division requireDivision() {
        RaftServer.Division known = division;
        if (known == null) {
            throw new BackendUnavailableException(
                    "This node is in no cluster yet: " + (search == null ? "it has not started" : search.missing()));
        }
        return known;
    }

    private RaftGroupId groupId() {
        return RaftGroupId.valueOf(folder.version().group().orElseThrow());
    }

    /**
     * Sends an entry to whoever leads, again if need be. The stage completes when the leader has it on a majority; it fails
     * with {@link BackendUnavailableException} if the entry got nowhere, and with something else if it may have.
     *
     * @param wanted asked before it is sent again
     */
    CompletableFuture<RaftClientReply> send(Message entry, BooleanSupplier wanted) {
        Sending sending = new Sending(entry, wanted);
        sending.send();
        return sending.done;
    }

    /** If this node leads: has the others apply what it has applied, and not with the next entry only. */
    void tellFollowers() {
        RaftServer.Division known = division;
        if (known != null && known.getInfo().isLeader()) {
            settings.tellCommit();
        }
    }

    void takeSnapshot() {
        chores.execute(() -> server.snapshotManagementAsync(SnapshotManagementRequest.newCreate(
                        client, self.getId(), groupId(), callIds.incrementAndGet(), SNAPSHOT_MAX.toMillis(), 1))
                .whenComplete((reply, error) -> {
                    if (error != null || !reply.isSuccess()) {
                        LOG.warn(
                                "No snapshot could be taken; the log stays as it is, and it is tried again",
                                error == null ? reply.getException() : error);
                        later(SNAPSHOT_AGAIN, machine::snapshotFailed);
                    } else {
                        folder.closeFiles();
                    }
                }));
    }

    /** Stops the engine, so that the others do not take this node for a leader that lives. */
    void giveUp() {
        later(Duration.ZERO, () -> {
            try {
                server.close();
            } catch (IOException e) {
                LOG.warn("The engine could not be stopped", e);
            }
        });
    }

    @Override
    public void close() {
        chores.shutdownNow();
        try {
            server.close();
            clients.close();
        } catch (IOException e) {
            throw new BackendUnavailableException(
                    "The log could not be closed cleanly; it is mended at the next start", e);
        }
    }

    static String rootOf(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message == null || message.isBlank() ? root.getClass().getSimpleName() : message;
    }

    /** Those that the cluster has now, as far as this node knows. */
    Collection<RaftPeer> peers() {
        RaftServer.Division known = division;
        if (known == null) {
            return List.of();
        }
        // One that was alone is in the log without an address.
        return known.getRaftConf().getAllPeers().stream()
                .map(peer -> peer.getId().equals(self.getId()) ? self : peer)
                .toList();
    }

    private void later(Duration pause, Runnable step) {
        try {
            chores.schedule(step, pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("Closed", e);
        }
    }

    /** An entry on its way. */
    private final class Sending {
        private final Message entry;
        private final BooleanSupplier wanted;
        private final long since = System.nanoTime();
        private final CompletableFuture<RaftClientReply> done = new CompletableFuture<>();
        private volatile boolean mayHaveArrived;

        Sending(Message entry, BooleanSupplier wanted) {
            this.entry = entry;
            this.wanted = wanted;
        }

        /** To the leader, as far as this node knows it. */
        void send() {
            RaftServer.Division here = division;
            if (here == null) {
                failed(null, new IOException(search == null ? "not started" : search.missing()), true);
                return;
            }
            RaftPeerId leader = here.getInfo().getLeaderId();
            try {
                if (here.getInfo().isLeader()) {
                    sendHere(here);
                } else if (leader == null || leader.equals(self.getId())) {
                    failed(null, new NotLeaderException(here.getMemberId(), null, List.of()), true);
                } else {
                    clients.shared(RaftGroup.valueOf(groupId(), peers()))
                            .sendRequestAsyncUnordered(request(leader))
                            .whenComplete((reply, error) -> answered(leader, reply, error, false));
                }
            } catch (IOException | RuntimeException e) {
                failed(leader, e, false);
            }
        }

        private void sendHere(RaftServer.Division here) throws IOException {
            // Through RaftServer every request would change threads twice more, and the caller would wait for that.
            CompletableFuture<RaftClientReply> sent =
                    ((RaftClientAsynchronousProtocol) (Object) here).submitClientRequestAsync(request(self.getId()));
            // What is refused at the door is refused at once. A leader that loses its place later says the same, but
            // then the entry is in its log.
            boolean refused = sent.isDone();
            sent.whenComplete((reply, error) -> answered(null, reply, error, refused));
        }

        private RaftClientRequest request(RaftPeerId to) {
            return RaftClientRequest.newBuilder()
                    .setClientId(client)
                    .setServerId(to)
                    .setGroupId(groupId())
                    .setCallId(callIds.incrementAndGet())
                    .setType(RaftClientRequest.writeRequestType())
                    .setMessage(entry)
                    .build();
        }

        private void answered(
                @Nullable RaftPeerId from,
                @Nullable RaftClientReply reply,
                @Nullable Throwable error,
                boolean refusedAtTheDoor) {
            Throwable problem = error != null ? error : reply == null ? null : reply.getException();
            if (problem instanceof CompletionException && problem.getCause() != null) {
                problem = problem.getCause();
            }
            if (problem == null) {
                done.complete(Objects.requireNonNull(reply, "reply"));
            } else {
                boolean notLeader = problem instanceof NotLeaderException;
                failed(
                        notLeader ? null : from,
                        problem,
                        problem instanceof LeaderNotReadyException
                                || problem instanceof LeaderSteppingDownException
                                || (notLeader && refusedAtTheDoor));
            }
        }

        /**
         * @param reconnectTo whose connection is to be made anew
         * @param nowhere whether it is certain that the entry is in no log
         */
        private void failed(@Nullable RaftPeerId reconnectTo, Throwable problem, boolean nowhere) {
            mayHaveArrived |= !nowhere;
            if (reconnectTo != null && !nowhere) {
                clients.reconnect(reconnectTo, problem);
            }
            if (wanted.getAsBoolean() && System.nanoTime() - since < RETRY_MAX.toNanos() && !chores.isShutdown()) {
                later(RETRY_PAUSE, this::send);
            } else if (mayHaveArrived) {
                done.completeExceptionally(new OutcomeUnknownException(rootOf(problem), problem));
            } else {
                done.completeExceptionally(new BackendUnavailableException(noLeader(), problem));
            }
        }
    }

    private String noLeader() {
        if (division == null) {
            return "This node is in no cluster yet: " + (search == null ? "it has not started" : search.missing());
        }
        Collection<RaftPeer> members = peers();
        String all = members.stream()
                .map(peer -> FolderVersion.nameOf(peer.getId().toString()) + "=" + peer.getAddress())
                .sorted()
                .collect(Collectors.joining(", "));
        return members.stream().anyMatch(peer -> peer.getId().equals(self.getId()))
                ? "No leader: a majority of the nodes " + all + " must be up and reach each other"
                : "This node is no member of the cluster [" + all + "]: add it; if it was removed, give it an empty"
                        + " folder before that";
    }
}
