package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

/** Whose answers a leader needs. */
class DeafLeaderTest {
    private static List<RaftPeer> members(String... names) {
        return Stream.of(names)
                .map(name -> RaftPeer.newBuilder().setId(name).build())
                .toList();
    }

    private static Set<RaftPeerId> answering(String... names) {
        return Stream.of(names).map(RaftPeerId::valueOf).collect(Collectors.toSet());
    }

    @Test
    void moreThanHalfOfTheMembersAreEnough() {
        assertThat(DeafLeader.isMajority(answering("n1", "n2"), members("n1", "n2", "n3")))
                .isTrue();
        assertThat(DeafLeader.isMajority(answering("n1"), members("n1", "n2", "n3")))
                .isFalse();
        assertThat(DeafLeader.isMajority(answering("n1", "n2"), members("n1", "n2", "n3", "n4")))
                .isFalse();
    }

    @Test
    void whoIsOnlyBeingAddedDoesNotCount() {
        assertThat(DeafLeader.isMajority(answering("n1", "new"), members("n1", "n2", "n3")))
                .isFalse();
        assertThat(DeafLeader.isMajority(answering("n1"), members("n1"))).isTrue();
    }

    @Test
    void withoutAChangeThereAreNoMembersOfBefore() {
        assertThat(DeafLeader.isMajority(answering("n1"), members())).isTrue();
    }
}
