package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.LogAppender;
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
    private final NodeTransport transport;
    private final RatisClients clients;
    private final EntrySender sender;
    private final RaftPeer self;
    private final RaftServer server;
    private final @Nullable GroupSearch search;
    private final Optional<GroupCheck> check;
    private final Optional<TwinCheck> twins;
    private final Optional<DeafLeader> hearing;
    private volatile RaftServer.@Nullable Division division;

    RatisNode(DataFolder folder, RaftOptions options, RatisStateMachine machine) throws IOException {
        FolderVersion version = folder.version();
        Optional<RaftCluster> cluster = options.cluster();
        this.folder = folder;
        this.machine = machine;
        RatisProperties.withoutReporters();
        RaftProperties properties = RatisProperties.of(folder.raft(), cluster);
        this.transport = new NodeTransport(cluster);
        this.clients = new RatisClients(properties, transport);
        this.sender = new EntrySender(this, clients, client, callIds, cluster.map(RaftCluster::electionTimeout));
        RaftPeer.Builder peer = RaftPeer.newBuilder().setId(version.node());
        cluster.ifPresent(nodes -> peer.setAddress(nodes.address(nodes.node())));
        this.self = peer.build();
        this.search = cluster.filter(nodes -> version.group().isEmpty())
                .map(nodes -> asking(nodes, version))
                .orElse(null);
        Optional<RaftCluster> known = cluster.filter(nodes -> version.group().isPresent());
        this.check = known.map(nodes -> new GroupCheck(
                folder.path(), nodes, version.group().orElseThrow(), new Neighbours(asking(nodes, version))));
        this.twins = known.map(nodes -> new TwinCheck(folder.path(), nodes, asking(nodes, version)::lastHeard));
        this.hearing = cluster.map(nodes -> new DeafLeader(this, nodes.electionTimeout()));
        this.server = RaftServer.newBuilder()
                .setServerId(self.getId())
                .setGroup(firstGroup(version, cluster.isEmpty()))
                .setStateMachineRegistry(
                        group -> group.getUuid().equals(GroupSearch.LOBBY) ? new BaseStateMachine() : machine)
                .setProperties(properties)
                .setParameters(transport.asParameters(properties))
                .setOption(StartupOption.RECOVER)
                .build();
    }

    private GroupSearch asking(RaftCluster nodes, FolderVersion version) {
        return new GroupSearch(nodes, version.node(), this::newClient);
    }

    private RaftGroup firstGroup(FolderVersion version, boolean alone) {
        if (version.group().isEmpty()) {
            return RaftGroup.valueOf(RaftGroupId.valueOf(GroupSearch.LOBBY));
        }
        return alone
                ? RaftGroup.valueOf(RaftGroupId.valueOf(version.group().get()), self)
                : GroupSearch.group(new GroupSearch.Found(version.group().get(), version.founders()));
    }

    /** @throws DataFolderException if the folder is another cluster's, or a copy of one that is in use */
    void start() throws IOException {
        twins.ifPresent(TwinCheck::run);
        server.start();
        hearing.ifPresent(DeafLeader::start);
        later(FILES_MADE, folder::closeFiles);
        if (search == null) {
            division = server.getDivision(groupId());
            if (check.isPresent() && !check.get().runOnce()) {
                later(GroupCheck.PAUSE, this::checkGroup);
            }
        } else {
            later(Duration.ZERO, this::searchOnce);
        }
    }

    /** Those around this node, for the check of its group. */
    private final class Neighbours implements GroupCheck.Peers {
        private final GroupSearch asking;

        Neighbours(GroupSearch asking) {
            this.asking = asking;
        }

        @Override
        public Optional<UUID> groupOf(String name) {
            return asking.groupOf(name);
        }

        @Override
        public Set<String> members() {
            return peers().stream().map(RaftPeer::getAddress).collect(Collectors.toSet());
        }
    }

    /** Nobody was heard at the start: whoever is heard first may be in another cluster. */
    private void checkGroup() {
        try {
            if (!check.orElseThrow().runOnce()) {
                later(GroupCheck.PAUSE, this::checkGroup);
            }
        } catch (DataFolderException e) {
            LOG.error("{}", e.getMessage());
            machine.mustNotServe(e);
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
        return clients.ofAdmin(group(), requireDivision().getInfo().getLeaderId());
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
        return sender.send(entry, wanted);
    }

    /** Another node leads: what waits for an answer of the one before goes to that. */
    void leaderChanged(RaftPeerId leader) {
        later(Duration.ZERO, () -> sender.leaderChanged(leader));
    }

    /** Who is told why this node must not take part. */
    void whenInTrouble(Consumer<String> told) {
        transport.whenInTrouble(told);
    }

    /** What is wrong with members, by their identities, as this node has seen while it led. */
    Map<String, String> troubles() {
        return transport.troubles();
    }

    /** Index of the latest entry that is on this disk and on a majority; less than 0: none is known. */
    long reached() {
        RaftServer.Division known = division;
        return known == null
                ? -1
                : Math.min(
                        known.getRaftLog().getFlushIndex(), known.getRaftLog().getLastCommittedIndex());
    }

    /** Those to whom this node, which leads, sends its entries. */
    List<LogAppender> appenders() {
        return transport.followers().appenders();
    }

    /** The group, with the members that it has now. */
    RaftGroup group() {
        return RaftGroup.valueOf(groupId(), peers());
    }

    /** Whether it is about to end: nothing is sent again. */
    boolean isClosing() {
        return chores.isShutdown();
    }

    /** If this node leads: has the others apply what it has applied, and not with the next entry only. */
    void tellFollowers() {
        RaftServer.Division known = division;
        if (known != null && known.getInfo().isLeader()) {
            transport.followers().tellCommit();
        }
    }

    /** The latest entry in the latest snapshot; empty: there is none. */
    OptionalLong latestSnapshot() {
        return division()
                .map(known -> known.getStateMachine().getLatestSnapshot())
                .map(snapshot -> OptionalLong.of(snapshot.getIndex()))
                .orElseGet(OptionalLong::empty);
    }

    void takeSnapshot() {
        later(
                Duration.ZERO,
                () -> server.snapshotManagementAsync(SnapshotManagementRequest.newCreate(
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
        hearing.ifPresent(DeafLeader::close);
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

    void later(Duration pause, Runnable step) {
        try {
            chores.schedule(step, pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("Closed", e);
        }
    }

    /** Why an entry got nowhere. */
    String noLeader() {
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
