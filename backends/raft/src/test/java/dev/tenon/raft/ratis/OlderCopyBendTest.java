package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.junit.jupiter.api.Test;

class OlderCopyBendTest extends FollowerBends {
    @Test
    void ratisTakesPartThoughItHasForgottenWhatItHadConfirmed() throws Exception {
        open(Engine.STOCK);

        assertThat(get(leader.remember(100)).getResult()).isEqualTo(AppendResult.SUCCESS);
        assertThat(get(leader.entry(0)).getResult()).isEqualTo(AppendResult.SUCCESS);
        assertThat(get(leader.preVote()).getServerReply().getSuccess()).isTrue();
    }

    @Test
    void oursSaysSoAndTakesNoPart() throws Exception {
        open(Engine.BENT);

        assertThat(get(leader.remember(100)).getResult()).isEqualTo(AppendResult.INCONSISTENCY);
        assertThat(get(leader.entry(0)).getResult()).isEqualTo(AppendResult.INCONSISTENCY);
        assertThatThrownBy(() -> get(leader.preVote())).hasMessageContaining("older copy");
        assertThat(troubles)
                .containsExactly("older copy: entries up to 100 were confirmed, and the log ends with entry -1");
    }

    @Test
    void ratisTellsMoreThanWhatIsOnItsDisk() throws Exception {
        open(Engine.STOCK);

        assertThat(committedWithAnEntryThatIsNotFlushed()).isEqualTo(1);
    }

    @Test
    void oursTellsWhatIsOnItsDisk() throws Exception {
        open(Engine.BENT);

        assertThat(committedWithAnEntryThatIsNotFlushed()).isZero();
    }

    private long committedWithAnEntryThatIsNotFlushed() throws Exception {
        get(leader.entry(0));
        engine.machine().hang();
        leader.entry(1);
        Engine.soon().until(() -> engine.division().getRaftLog().getNextIndex() == 2);
        long committed = get(leader.heartbeat(1, 1)).getFollowerCommit();
        assertThat(flushed()).isZero();
        return committed;
    }

    private long flushed() throws IOException {
        return engine.division().getRaftLog().getFlushIndex();
    }
}
