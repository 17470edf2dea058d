package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.server.protocol.RaftServerProtocol;
import org.junit.jupiter.api.Test;

class AddressCheckingServerBendTest extends FollowerBends {
    @Test
    void ratisTakesWhatIsForAnotherNode() throws Exception {
        open(Engine.STOCK);
        Caller astray = leader.to("n9");

        assertThat(get(astray.preVote()).getServerReply().getSuccess()).isTrue();
        assertThat(get(astray.entry(0)).getResult()).isEqualTo(AppendResult.SUCCESS);
    }

    @Test
    void oursTakesNothingThatIsForAnotherNode() throws Exception {
        open(Engine.BENT);
        Caller astray = leader.to("n9");

        for (CompletableFuture<?> answer : List.of(
                astray.preVote(),
                astray.entry(0),
                astray.heartbeat(-1, -1),
                astray.installSnapshot(),
                astray.startLeaderElection())) {
            assertThatThrownBy(() -> get(answer)).hasMessageContaining("This is n1, and not n9");
        }
        assertThat(get(leader.preVote()).getServerReply().getSuccess()).isTrue();
        assertThat(get(leader.entry(0)).getResult()).isEqualTo(AppendResult.SUCCESS);
    }

    /**
     * Of a message that is new, it must be said how it is to be checked. A read index is a leader's, which cannot be in
     * another's place.
     */
    @Test
    void theMessagesOfServersAreKnown() {
        assertThat(Stream.of(RaftServerProtocol.class, RaftServerAsynchronousProtocol.class)
                        .flatMap(protocol -> Stream.of(protocol.getMethods()))
                        .map(Method::getName))
                .containsExactlyInAnyOrder(
                        "requestVote",
                        "appendEntries",
                        "installSnapshot",
                        "startLeaderElection",
                        "appendEntriesAsync",
                        "readIndexAsync");
    }
}
