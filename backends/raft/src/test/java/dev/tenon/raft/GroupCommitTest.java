package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.raft.Command.Answer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupCommitTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    private final HeldLog log = new HeldLog();
    private final GroupCommit commands = new GroupCommit(log, 5);

    @AfterEach
    void close() {
        commands.close();
    }

    @Test
    void whatArrivesDuringAnEntryGoesIntoTheNextOneTogether() {
        commands.start();
        CompletableFuture<Boolean> first = commands.submit(new LockCommand.KeepAlive("1"));
        log.awaitEntries(1);
        CompletableFuture<Boolean> second = commands.submit(new LockCommand.KeepAlive("2"));
        CompletableFuture<Boolean> third = commands.submit(new LockCommand.KeepAlive("3"));
        assertThat(log.entries).hasSize(1);

        log.answer(0, List.of(new Answer(true, null)));
        assertThat(first.join()).isTrue();
        log.awaitEntries(2);
        assertThat(log.entry(1).commands())
                .isEqualTo(List.of(new LockCommand.KeepAlive("2"), new LockCommand.KeepAlive("3")));
        log.answer(1, List.of(new Answer(false, null), new Answer(null, new IllegalStateException("refused"))));
        assertThat(second.join()).isFalse();
        assertThatThrownBy(third::join)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("refused");
    }

    @Test
    void whoAsksAgainInItsAnswerIsInTheNextEntryWithTheOthers() {
        commands.start();
        commands.submit(new LockCommand.KeepAlive("held"));
        log.awaitEntries(1);
        for (String id : List.of("a", "b", "c")) {
            commands.submit(new LockCommand.KeepAlive(id))
                    .thenAccept(yes -> commands.submit(new LockCommand.KeepAlive(id + id)));
        }
        log.answer(0, List.of(new Answer(true, null)));
        log.awaitEntries(2);
        log.answer(1, List.of(new Answer(true, null), new Answer(true, null), new Answer(true, null)));
        log.awaitEntries(3);
        assertThat(log.entry(2).commands()).hasSize(3);
    }

    @Test
    void beyondTheLimitOfTheQueueCommandsAreRefusedAtOnce() {
        commands.start();
        commands.submit(new LockCommand.KeepAlive("held"));
        log.awaitEntries(1);
        List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(commands.submit(new LockCommand.KeepAlive("w" + i)));
        }
        assertThat(commands.submit(new LockCommand.KeepAlive("one too many")))
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(BackendUnavailableException.class);
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void aLostEntryFailsAllItsCommandsAndTheNextOneIsWritten() {
        commands.start();
        CompletableFuture<Boolean> lost = commands.submit(new LockCommand.KeepAlive("1"));
        log.awaitEntries(1);
        log.appends.get(0).completeExceptionally(new OutcomeUnknownException("lost"));
        assertThatThrownBy(lost::join).hasCauseInstanceOf(OutcomeUnknownException.class);
        CompletableFuture<Boolean> next = commands.submit(new LockCommand.KeepAlive("2"));
        log.awaitEntries(2);
        log.answer(1, List.of(new Answer(true, null)));
        assertThat(next.join()).isTrue();
    }

    @Test
    void whatIsUnderWayWhenItIsClosedIsNotWaitedForForEver() {
        commands.start();
        CompletableFuture<Boolean> underWay = commands.submit(new LockCommand.KeepAlive("1"));
        log.awaitEntries(1);
        CompletableFuture<Boolean> waiting = commands.submit(new LockCommand.KeepAlive("2"));
        commands.close();
        assertThat(underWay)
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(waiting)
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aLogThatFailsOverAnEntryHoldsUpNobody() {
        log.broken = true;
        commands.start();
        assertThat(commands.submit(new LockCommand.KeepAlive("1")))
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(OutcomeUnknownException.class);
        log.broken = false;
        CompletableFuture<Boolean> next = commands.submit(new LockCommand.KeepAlive("2"));
        log.awaitEntries(1);
        log.answer(0, List.of(new Answer(true, null)));
        assertThat(next).succeedsWithin(PATIENCE).isEqualTo(true);
    }

    @Test
    void commandsThatAreTooLongForOneEntryAreSpread() {
        String megabyte = "x".repeat((1 << 20) - 100);
        CompletableFuture<String> first = commands.submit(new IdCommand.PutDefinition("a", megabyte));
        CompletableFuture<String> second = commands.submit(new IdCommand.PutDefinition("b", megabyte));
        CompletableFuture<Boolean> third = commands.submit(new LockCommand.KeepAlive("c"));
        commands.start();
        log.awaitEntries(1);
        assertThat(log.entry(0).commands()).hasSize(1);
        log.answer(0, List.of(new Answer(megabyte, null)));
        log.awaitEntries(2);
        assertThat(log.entry(1).commands()).hasSize(2);
        log.answer(1, List.of(new Answer(megabyte, null), new Answer(true, null)));
        assertThat(first).isCompleted();
        await().untilAsserted(() -> assertThat(second).isCompleted());
        await().untilAsserted(() -> assertThat(third).isCompleted());
    }

    @Test
    void whatWaitsForTheNextEntryIsRefusedWhenTheLogIsClosed() {
        String megabyte = "x".repeat((1 << 20) - 100);
        commands.submit(new IdCommand.PutDefinition("a", megabyte));
        CompletableFuture<String> second = commands.submit(new IdCommand.PutDefinition("b", megabyte));
        commands.start();
        log.awaitEntries(1);

        commands.close();

        assertThat(second)
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void aCommandThatFitsInNoEntryIsRefused() {
        assertThat(commands.submit(new IdCommand.PutDefinition("a", "x".repeat(1 << 20))))
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingRefusesWhatWaitsAndWhatComes() {
        CompletableFuture<Boolean> waiting = commands.submit(new LockCommand.KeepAlive("1"));
        commands.close();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(BackendUnavailableException.class);
        assertThatThrownBy(commands.submit(new LockCommand.KeepAlive("2"))::join)
                .hasCauseInstanceOf(BackendUnavailableException.class);
    }

    /** A log that answers when it is told to. */
    private static final class HeldLog implements ReplicatedLog {
        private final List<List<byte[]>> entries = new CopyOnWriteArrayList<>();
        private final List<CompletableFuture<List<Answer>>> appends = new CopyOnWriteArrayList<>();
        private volatile boolean broken;

        @Override
        public CompletableFuture<List<Answer>> append(List<byte[]> entry) {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            CompletableFuture<List<Answer>> answers = new CompletableFuture<>();
            appends.add(answers);
            entries.add(entry);
            return answers;
        }

        void awaitEntries(int count) {
            await().untilAsserted(() -> assertThat(entries).hasSize(count));
        }

        EntryCodec.Entry entry(int i) {
            return EntryCodec.decode(ByteBuffer.wrap(EntryCodecTest.bytes(NOW, entries.get(i))));
        }

        void answer(int i, List<Answer> answers) {
            appends.get(i).complete(answers);
        }

        @Override
        public void close() {}
    }
}
