package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.testkit.RecordedEvents;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Sessions that are opened at one node, used at another, and ended at a third, as behind a load balancer: three
 * replicas of one log.
 */
class WanderingSessionsTest {
    private static final int SESSIONS = 100_000;
    private static final int BATCH = 1_000;
    private static final Duration TTL = Duration.ofMinutes(1);

    private final List<ReplicaNode> nodes =
            Stream.generate(ReplicaNode::new).limit(3).toList();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long index;

    /** One node, which writes what it was asked for when told to. */
    private final class ReplicaNode implements CommandLog {
        private final Replica replica = new Replica();
        private final SessionEvents events = new SessionEvents();
        private final RaftLockStore store = new RaftLockStore(this, events);
        private final List<Command<?>> asked = new ArrayList<>();
        private final List<CompletableFuture<Object>> answers = new ArrayList<>();
        private boolean away;

        @Override
        @SuppressWarnings("unchecked")
        public <R> CompletableFuture<R> submit(Command<R> command) {
            CompletableFuture<Object> answer = new CompletableFuture<>();
            asked.add(command);
            answers.add(answer);
            return (CompletableFuture<R>) answer;
        }

        private void write() {
            byte[] entry = EntryCodecTest.encode(now, asked);
            asked.clear();
            index++;
            nodes.stream().filter(node -> !node.away).forEach(node -> node.apply(entry, node == this));
        }

        private void apply(byte[] entry, boolean own) {
            Command.Applied applied = replica.apply(index, ByteBuffer.wrap(entry));
            if (own) {
                for (int i = 0; i < answers.size(); i++) {
                    answers.get(i).complete(applied.answers().get(i).value());
                }
                answers.clear();
            }
            events.tell(applied);
        }

        /** It has been away, and gets a snapshot of another node. */
        private void catchUp(ReplicaNode from) {
            away = false;
            replica.restore(from.replica.snapshot());
            events.restored(replica::openAmong);
        }
    }

    /** Counts the sessions that end. */
    private static final class Count implements StoreEvents {
        private int closed;

        @Override
        public void granted(Grant grant) {}

        @Override
        public void revokeAsked(Revocation revocation) {}

        @Override
        public void sessionLost(String sessionId) {
            throw new IllegalStateException("session " + sessionId + " is lost");
        }

        @Override
        public void sessionClosed(String sessionId) {
            closed++;
        }

        @Override
        public void resync() {}
    }

    private ReplicaNode node(int number) {
        return nodes.get(number % nodes.size());
    }

    private static SessionSpec spec(String id) {
        return new SessionSpec(id, "owner of " + id, TTL);
    }

    private static Acquire wish(String name, String session, Duration wait) {
        return new Acquire(name, session, "request of " + session, session, Optional.empty(), wait);
    }

    @Test
    void aHundredThousandSessionsLeaveNothingAtAnyNode() {
        Count opened = new Count();
        Count used = new Count();
        for (int first = 0; first < SESSIONS; first += BATCH) {
            int[] numbers = IntStream.range(first, first + BATCH).toArray();
            for (int i : numbers) {
                node(i).store.open(spec("s" + i), opened);
            }
            nodes.forEach(ReplicaNode::write);
            for (int i : numbers) {
                node(i + 1).store.attach("s" + i, used);
                node(i + 1).store.acquire(wish("lock " + i, "s" + i, Duration.ZERO));
            }
            nodes.forEach(ReplicaNode::write);
            assertThat(nodes.stream().mapToInt(node -> node.events.size()).sum())
                    .isEqualTo(2 * BATCH);
            for (int i : numbers) {
                node(i + 2).store.closeSession("s" + i);
            }
            nodes.forEach(ReplicaNode::write);
            assertThat(opened.closed).as("told at the first node").isEqualTo(first + BATCH);
            assertThat(used.closed).as("told at the second node").isEqualTo(first + BATCH);
        }
        for (ReplicaNode node : nodes) {
            assertThat(node.events.size()).isZero();
            assertThat(node.replica.usage().locks()).isZero();
            node.store.close(); // would wait for ever for the end of a session that it still counts
        }
    }

    @Test
    void whoWaitsInASessionThatIsClosedElsewhereIsTold() {
        RecordedEvents holder = new RecordedEvents();
        RecordedEvents waiter = new RecordedEvents();
        node(0).store.open(spec("holder"), holder);
        node(0).store.open(spec("waiter"), new RecordedEvents());
        node(0).write();
        node(1).store.attach("waiter", waiter);
        var held = node(0).store.acquire(wish("door", "holder", Duration.ZERO));
        node(0).write();
        var queued = node(1).store.acquire(wish("door", "waiter", Duration.ofMinutes(1)));
        node(1).write();
        assertThat(held.toCompletableFuture().join()).isInstanceOf(Outcome.Granted.class);
        assertThat(queued.toCompletableFuture().join()).isInstanceOf(Outcome.Queued.class);

        node(2).store.closeSession("waiter");
        node(2).write();
        assertThat(waiter.closedSessions()).containsExactly("waiter");
        assertThat(waiter.lostSessions()).isEmpty();
        assertThat(holder.closedSessions()).isEmpty();
        now = now.plus(TTL);
        node(2).write();
        assertThat(holder.lostSessions()).containsExactly("holder");
        assertThat(holder.closedSessions()).isEmpty();
    }

    @Test
    void aNodeThatGetsASnapshotForgetsTheSessionsThatAreNotInIt() {
        RecordedEvents closed = new RecordedEvents();
        RecordedEvents expired = new RecordedEvents();
        RecordedEvents alive = new RecordedEvents();
        ReplicaNode behind = node(2);
        behind.store.open(spec("closed"), closed);
        behind.store.open(spec("expired"), expired);
        node(0).store.open(spec("alive"), new RecordedEvents());
        behind.write();
        node(0).write();
        behind.store.attach("alive", alive);
        behind.write();

        behind.away = true;
        node(0).store.closeSession("closed");
        node(0).write();
        now = now.plus(TTL.dividedBy(2));
        node(1).store.keepAlive("alive");
        node(1).write();
        now = now.plus(TTL.dividedBy(2));
        node(1).write();
        RecordedEvents coming = new RecordedEvents();
        behind.store.open(spec("coming"), coming); // its entry comes behind the snapshot
        assertThat(behind.events.size()).isEqualTo(4);

        behind.catchUp(node(0));
        assertThat(closed.lostSessions()).containsExactly("closed");
        assertThat(expired.lostSessions()).containsExactly("expired");
        assertThat(alive.lostSessions()).isEmpty();
        assertThat(coming.lostSessions()).isEmpty();
        behind.write();
        node(1).store.closeSession("coming");
        node(1).store.closeSession("alive");
        node(1).write();
        assertThat(coming.closedSessions()).containsExactly("coming");
        assertThat(alive.closedSessions()).containsExactly("alive");
        assertThat(behind.events.size()).isZero();
    }

    @Test
    void aSessionThatIsRefusedLeavesNothingAtItsNode() {
        SessionEvents events = new SessionEvents();
        CommandLog full = new CommandLog() {
            @Override
            public <R> CompletableFuture<R> submit(Command<R> command) {
                return CompletableFuture.<R>failedFuture(new StateFullException(2, 1))
                        .whenComplete((answer, failure) -> {}); // from here on the cause is wrapped
            }
        };
        RaftLockStore store = new RaftLockStore(full, events);
        assertThat(store.open(spec("s"), new RecordedEvents()).toCompletableFuture())
                .isCompletedExceptionally();
        assertThat(events.size()).isZero();
        store.close(); // would ask for the end of a session that it still counts
    }
}
