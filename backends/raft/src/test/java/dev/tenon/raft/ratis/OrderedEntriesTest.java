package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.junit.jupiter.api.Test;

class OrderedEntriesTest {
    private final List<CompletableFuture<AppendEntriesReplyProto>> written = new ArrayList<>();
    private long flushed;
    private final OrderedEntries entries = new OrderedEntries(
            message -> {
                CompletableFuture<AppendEntriesReplyProto> reply = new CompletableFuture<>();
                written.add(reply);
                return reply;
            },
            message -> flushed);

    @Test
    void theNextMessageIsWrittenWhileTheLastOneIsOnItsWayToTheDisk() throws IOException {
        CompletableFuture<AppendEntriesReplyProto> first = take(1);
        CompletableFuture<AppendEntriesReplyProto> second = take(2);
        assertThat(written).hasSize(2);
        assertThat(first).isNotDone();
        flushed = 2;
        confirm(0, 1);
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        confirm(1, 2);
        assertThat(second).isCompletedWithValueMatching(reply -> reply.getMatchIndex() == 2);
    }

    @Test
    void whatComesTwiceIsConfirmedWithTheFirstAndNotBefore() throws IOException {
        CompletableFuture<AppendEntriesReplyProto> first = take(1);
        CompletableFuture<AppendEntriesReplyProto> again = take(1);
        flushed = 5; // of entries that are cut off just then
        confirm(1, 1); // by Ratis at once, as it has nothing to write
        assertThat(again).isNotDone();
        confirm(0, 1);
        assertThat(first).isCompleted();
        assertThat(again).isCompleted();
    }

    @Test
    void whatIsNotOnTheDiskIsNotConfirmed() throws IOException {
        CompletableFuture<AppendEntriesReplyProto> first = take(1);
        CompletableFuture<AppendEntriesReplyProto> again = take(1);
        written.get(0).completeExceptionally(new IOException("no space"));
        confirm(1, 1);
        assertThat(first).isCompletedExceptionally();
        assertThat(again).isCompletedExceptionally();
        CompletableFuture<AppendEntriesReplyProto> later = take(1);
        confirm(2, 1);
        assertThat(later).isCompletedExceptionally();
    }

    @Test
    void afterAFailureItGoesOn() throws IOException {
        take(1);
        written.get(0).completeExceptionally(new IOException("not started"));
        CompletableFuture<AppendEntriesReplyProto> again = take(1);
        flushed = 1;
        confirm(1, 1);
        assertThat(again).isCompleted();
    }

    @Test
    void aHeartbeatWaitsForNothing() throws IOException {
        take(1);
        CompletableFuture<AppendEntriesReplyProto> heartbeat =
                entries.take(AppendEntriesRequestProto.getDefaultInstance());
        confirm(1, -1);
        assertThat(heartbeat).isCompleted();
    }

    private CompletableFuture<AppendEntriesReplyProto> take(long index) throws IOException {
        return entries.take(AppendEntriesRequestProto.newBuilder()
                .addEntries(LogEntryProto.newBuilder().setIndex(index))
                .build());
    }

    private void confirm(int message, long index) {
        written.get(message)
                .complete(AppendEntriesReplyProto.newBuilder()
                        .setResult(AppendResult.SUCCESS)
                        .setMatchIndex(index)
                        .build());
    }
}
