package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.api.GroupManagementApi;
import org.apache.ratis.proto.RaftProtos.FollowerInfoProto;
import org.apache.ratis.proto.RaftProtos.LogInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupInfoReply;
import org.apache.ratis.protocol.GroupListReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

/** What a node makes of what another one says of itself. */
class GroupSearchTest {
    private static final RaftGroupId GROUP = RaftGroupId.valueOf(UUID.randomUUID());
    private static final RaftCluster CLUSTER = new RaftCluster("n1", Map.of("n1", "a:1", "n2", "b:1", "n3", "c:1"));
    private static final String SELF = "n1~a1";
    private static final String OTHER = "n3~a3";

    @Test
    void aMemberSaysWhenItHeardFromThisNode() {
        assertThat(whereMembersAre(SELF, OTHER).lastHeard("n3")).contains(Duration.ofMillis(7));
    }

    /** It says "just now" as long as it is being added, also when the leader that added it is long gone. */
    @Test
    void whoIsOnlyBeingAddedDoesNot() {
        assertThat(whereMembersAre(SELF, "n2~a2").lastHeard("n3")).isEmpty();
    }

    /** Asks a node n3 that follows n1. */
    private static GroupSearch whereMembersAre(String... members) {
        List<RaftPeer> peers = Stream.of(members)
                .map(id -> RaftPeer.newBuilder().setId(id).setAddress("x:1").build())
                .toList();
        RoleInfoProto role = RoleInfoProto.newBuilder()
                .setSelf(peer(OTHER))
                .setFollowerInfo(FollowerInfoProto.newBuilder()
                        .setLeaderInfo(
                                ServerRpcProto.newBuilder().setId(peer(SELF)).setLastRpcElapsedTimeMs(7)))
                .build();
        ClientId client = ClientId.randomId();
        RaftPeerId to = RaftPeerId.valueOf(OTHER);
        GroupManagementApi api = answering(
                GroupManagementApi.class,
                method -> method.equals("list")
                        ? new GroupListReply(client, to, GROUP, 1, List.of(GROUP))
                        : new GroupInfoReply(
                                client,
                                to,
                                GROUP,
                                1,
                                List.of(),
                                RaftGroup.valueOf(GROUP, peers),
                                role,
                                true,
                                RaftConfigurationProto.getDefaultInstance(),
                                LogInfoProto.getDefaultInstance()));
        return new GroupSearch(CLUSTER, SELF, peer -> answering(RaftClient.class, method -> api));
    }

    private static RaftPeerProto peer(String id) {
        return RaftPeer.newBuilder().setId(id).setAddress("x:1").build().getRaftPeerProto();
    }

    private interface Answers {
        Object to(String method);
    }

    private static <T> T answering(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, given) -> method.getReturnType() == void.class ? null : answers.to(method.getName())));
    }
}
