package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What a way to call participants over a network must do, whichever protocol it speaks: a test extends it, serves a
 * participant at an address of its own, and makes the caller.
 */
public abstract class ParticipantsContract {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Serves a participant until the end of the test.
     *
     * @return its target
     */
    protected abstract String serve(Participant participant);

    /** The way to call it. */
    protected abstract Participants participants(Duration timeout, HttpTargets allowed);

    private Reply call(String target, Operation operation, String payload) throws Exception {
        return call(participants(PATIENCE, HttpTargets.ANY), target, operation, payload);
    }

    private static Reply call(Participants participants, String target, Operation operation, String payload)
            throws Exception {
        return participants
                .find(target)
                .orElseThrow()
                .call(new BranchCall(
                        new TransactionId("order:42"),
                        "stock/50 % \u4E2D+a",
                        operation,
                        target,
                        payload,
                        Map.of("before", "7"),
                        3));
    }

    @Test
    void aCallComesAsItWasMade() throws Exception {
        BlockingQueue<BranchCall> calls = new LinkedBlockingQueue<>();
        String target = serve(call -> {
            calls.add(call);
            return Reply.done("result of " + call.operation().text() + " \u4E2D");
        });
        for (Operation operation : Operation.values()) {
            String payload = operation == Operation.CHECK ? "" : "{\"text\":\"ä\u4E2D\uD83D\uDE00\\n\"}";
            assertThat(call(target, operation, payload))
                    .isEqualTo(Reply.done("result of " + operation.text() + " \u4E2D"));
            BranchCall came = calls.poll(30, TimeUnit.SECONDS);
            assertThat(came).isNotNull();
            assertThat(List.of(came.gid().text(), came.branch(), came.operation(), came.payload()))
                    .containsExactly("order:42", "stock/50 % \u4E2D+a", operation, payload);
        }
    }

    @Test
    void refusedAndNotYetAreWhatTheySay() throws Exception {
        String target = serve(call -> switch (call.operation()) {
            case TRY -> Reply.refused("no money \u4E2D");
            case ACTION -> Reply.refused("");
            default -> Reply.notYet("come again");
        });
        assertThat(call(target, Operation.TRY, "x")).isEqualTo(Reply.refused("no money \u4E2D"));
        assertThat(call(target, Operation.ACTION, "x")).isEqualTo(Reply.refused("no reason given"));
        assertThat(call(target, Operation.CONFIRM, "x")).isEqualTo(Reply.notYet("come again"));
    }

    @Test
    void whatFailsIsNoAnswer() {
        String target = serve(call -> {
            throw new IllegalStateException("out of order");
        });
        assertThatThrownBy(() -> call(target, Operation.ACTION, "x")).isInstanceOf(Exception.class);
    }

    @Test
    void ofALongAnswerTheBeginningIsKept() throws Exception {
        String target = serve(call -> Reply.done("a\0" + "\u4E2D".repeat(HttpParticipants.ANSWER_LENGTH_MAX)));
        Reply reply = call(target, Operation.ACTION, "x");
        String kept = ((Reply.Done) reply).result();
        assertThat(kept).hasSize(HttpParticipants.ANSWER_LENGTH_MAX).startsWith("a\uFFFD\u4E2D");
    }

    @Test
    void aParticipantThatDoesNotAnswerIsGivenUp() {
        CountDownLatch end = new CountDownLatch(1);
        String target = serve(call -> {
            end.await();
            return Reply.done();
        });
        Participants hasty = participants(Duration.ofMillis(300), HttpTargets.ANY);
        long began = System.nanoTime();
        assertThatThrownBy(() -> call(hasty, target, Operation.ACTION, "x")).isInstanceOf(Exception.class);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofMillis(250), PATIENCE);
        end.countDown();
    }

    @Test
    void nobodyAtTheAddressIsNoAnswer() {
        String target = serve(call -> Reply.done());
        URI there = URI.create(target);
        try (TestPort free = TestPort.reserve()) {
            String nobody = target.replace(":" + there.getPort(), ":" + free.number());
            assertThatThrownBy(() -> call(nobody, Operation.ACTION, "x")).isInstanceOf(Exception.class);
        }
    }

    @Test
    void anAddressThatIsNotAllowedIsNotCalled() throws Exception {
        BlockingQueue<BranchCall> calls = new LinkedBlockingQueue<>();
        String target = serve(call -> {
            calls.add(call);
            return Reply.done();
        });
        Participants others = participants(PATIENCE, HttpTargets.within(List.of(target + "x")));
        assertThatThrownBy(() -> call(others, target, Operation.ACTION, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not among the participants");
        assertThat(calls).isEmpty();
        Participants these = participants(PATIENCE, HttpTargets.within(List.of(target)));
        assertThat(call(these, target, Operation.ACTION, "x")).isEqualTo(Reply.done());
        assertThat(these.find("some-name/1")).isEmpty();
    }
}
