package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.junit.jupiter.api.Test;

class OrderedEntriesBendTest extends FollowerBends {
    @Test
    void ratisConfirmsWhatComesTwiceAndIsNotOnTheDisk() throws Exception {
        open(Engine.STOCK);
        engine.machine().hang();
        CompletableFuture<AppendEntriesReplyProto> first = leader.entry(0);
        written(0);

        AppendEntriesReplyProto again = get(leader.entry(0));

        assertThat(again.getResult()).isEqualTo(AppendResult.SUCCESS);
        assertThat(again.getMatchIndex()).isZero();
        assertThat(engine.division().getRaftLog().getFlushIndex()).isNegative();
        assertThat(first).isNotDone();
    }

    @Test
    void ratisThatConfirmsInOrderDoesNotBeginWithTheNextMessageBeforeTheFlush() throws Exception {
        open(Engine.STOCK, true);
        engine.machine().hang();
        leader.entry(0);
        written(0);

        CompletableFuture<AppendEntriesReplyProto> next = leader.entry(1);

        Engine.soon().until(() -> underWay() == 2);
        get(leader.heartbeat(0, -1));
        assertThat(engine.division().getRaftLog().getNextIndex()).isEqualTo(1);
        engine.machine().mend();
        assertThat(get(next).getMatchIndex()).isEqualTo(1);
    }

    @Test
    void oursBeginsWithTheNextMessageAndConfirmsWhatIsOnTheDisk() throws Exception {
        open(Engine.BENT);
        engine.machine().hang();
        CompletableFuture<AppendEntriesReplyProto> first = leader.entry(0);
        written(0);

        CompletableFuture<AppendEntriesReplyProto> again = leader.entry(0);
        CompletableFuture<AppendEntriesReplyProto> next = leader.entry(1);
        written(1);

        // Refused, a leader sends them again; confirmed, it counts on them.
        assertThat(List.of(first, again, next)).noneMatch(OrderedEntriesBendTest::isConfirmed);
        engine.machine().mend();
        confirms(0);
        confirms(1);
    }

    private static boolean isConfirmed(CompletableFuture<AppendEntriesReplyProto> answer) {
        return answer.isDone() && !answer.isCompletedExceptionally();
    }

    /** The leader sends an entry until it is confirmed. */
    private void confirms(long index) {
        Engine.soon().ignoreExceptions().until(() -> get(leader.entry(index)).getMatchIndex() == index);
    }

    /** How many messages with entries it has taken, and not answered. */
    private int underWay() throws IOException {
        return engine.division().getInfo().getRoleInfoProto().getFollowerInfo().getOutstandingOp();
    }

    private void written(long index) {
        Engine.soon().until(() -> engine.division().getRaftLog().getNextIndex() == index + 1);
    }
}
