package dev.tenon.raft;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import java.io.IOException;
import java.time.Duration;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.api.GroupManagementApi;
import org.apache.ratis.grpc.GrpcUtil;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.exceptions.GroupMismatchException;

/**
 * Asks a node which folder it has. A node that has just started changes from the group in which it waits to that of the
 * cluster: one of the two is closed, not open yet or gone at that moment, and the engine then answers with an error.
 * Such a node is asked again. Thread-safe.
 */
final class NodeIdentity {
    static final Duration START_MAX = Duration.ofSeconds(10);
    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    /**
     * Of a log that is not open; the engine has no type for it. Source: {@code OpenCloseState.assertOpen} of Ratis
     * 3.3.0.
     */
    private static final String NOT_OPEN = "is expected to be opened but it is";

    private final GroupSearch.Clients clients;
    private final TimeSource time;

    NodeIdentity(GroupSearch.Clients clients, TimeSource time) {
        this.clients = clients;
        this.time = time;
    }

    /**
     * Waits for a node that is starting, for {@link #START_MAX} at most.
     *
     * @param asked the node's name and address
     * @return the node by its identity, which is its name and its folder's
     * @throws TenonException if it does not answer, or is starting still
     * @throws IllegalArgumentException if another node answers
     */
    RaftPeer of(RaftPeer asked) {
        String name = asked.getId().toString();
        String identity = ask(asked);
        if (!FolderVersion.nameOf(identity).equals(name)) {
            throw new IllegalArgumentException("At " + asked.getAddress() + " there is node "
                    + FolderVersion.nameOf(identity) + ", and not " + name);
        }
        return RaftPeer.newBuilder()
                .setId(identity)
                .setAddress(asked.getAddress())
                .build();
    }

    private String ask(RaftPeer asked) {
        long since = time.nanoTime();
        try (RaftClient client = clients.of(asked)) {
            GroupManagementApi there = client.getGroupManagementApi(asked.getId());
            while (true) {
                try {
                    RaftGroupId group = there.list().getGroupIds().get(0);
                    return there.info(group)
                            .getRoleInfoProto()
                            .getSelf()
                            .getId()
                            .toStringUtf8();
                } catch (IOException | RuntimeException e) { // gRPC throws its own
                    if (!isStarting(e)) {
                        throw e;
                    }
                    if (time.nanoTime() - since > START_MAX.toNanos()) {
                        throw new TenonException(
                                "Node " + asked.getId() + " at " + asked.getAddress() + " does not finish its start ("
                                        + RatisNode.rootOf(e)
                                        + "): look at its log; if it was removed from the cluster, start it with an empty folder",
                                e);
                    }
                }
                time.park(RETRY_PAUSE);
            }
        } catch (TenonException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new TenonException(
                    "Node " + asked.getId() + " does not answer at " + asked.getAddress() + " (" + RatisNode.rootOf(e)
                            + "): start it first, with an empty folder and members of this cluster among its peers",
                    e);
        }
    }

    private static boolean isStarting(Throwable error) {
        Throwable there = GrpcUtil.unwrapThrowable(error); // the engine leaves it wrapped for these two questions
        String message = there.getMessage();
        return there instanceof GroupMismatchException || message != null && message.contains(NOT_OPEN);
    }
}
