package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.raft.ratis.DirectRequests;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * Sends entries to whoever leads, in this process or over the network, and again while nobody does, when a call fails, and when another
 * node is elected while the one that was asked says nothing. An entry that is in the log twice is applied once. Thread-safe.
 */
final class EntrySender {
    private static final Duration RETRY_PAUSE = Duration.ofMillis(10);
    /** Of a node that is alone: it leads, or starts to. */
    private static final Duration PATIENCE_ALONE = Duration.ofSeconds(5);

    private static final Duration PATIENCE_LEAST = Duration.ofMillis(2500);
    /** Enough for a new leader, though the first election is a tie. */
    private static final int ELECTIONS = 5;

    private final RatisNode node;
    private final RatisClients clients;
    private final ClientId client;
    private final AtomicLong callIds;
    private final Set<Attempt> unanswered = ConcurrentHashMap.newKeySet();
    private final Duration patience;
    private final Duration patienceWithout;
    private volatile long ledNanos = System.nanoTime();

    /** @param electionTimeout empty: this node is alone */
    EntrySender(
            RatisNode node,
            RatisClients clients,
            ClientId client,
            AtomicLong callIds,
            Optional<Duration> electionTimeout) {
        this.node = node;
        this.clients = clients;
        this.client = client;
        this.callIds = callIds;
        this.patience = electionTimeout
                .map(timeout -> timeout.multipliedBy(ELECTIONS))
                .map(elections -> elections.compareTo(PATIENCE_LEAST) < 0 ? PATIENCE_LEAST : elections)
                .orElse(PATIENCE_ALONE);
        this.patienceWithout = electionTimeout.orElse(PATIENCE_ALONE);
    }

    /** Whether what was sent so long ago may still be sent again. Where nobody has led for long, nobody waits long. */
    private boolean isWorthwhile(long sinceNanos) {
        long now = System.nanoTime();
        boolean longWithout = now - ledNanos > patience.toNanos();
        return now - sinceNanos < (longWithout ? patienceWithout : patience).toNanos();
    }

    /** As {@link RatisNode#send}. */
    CompletableFuture<RaftClientReply> send(Message entry, BooleanSupplier wanted) {
        Sending sending = new Sending(entry, wanted);
        sending.send();
        return sending.done;
    }

    /** What another node was asked to write is asked of this one: that one can't write it any more, and may never say so. */
    void leaderChanged(RaftPeerId leader) {
        for (Attempt each : unanswered) {
            if (!leader.equals(each.to)) {
                each.failed(new IOException(leader + " leads now, and not " + each.to), false);
            }
        }
    }

    private RaftClientRequest request(RaftPeerId to, Message entry) {
        return RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(to)
                .setGroupId(node.group().getGroupId())
                .setCallId(callIds.incrementAndGet())
                .setType(RaftClientRequest.writeRequestType())
                .setMessage(entry)
                .build();
    }

    private static Throwable problemOf(@Nullable RaftClientReply reply, @Nullable Throwable error) {
        Throwable problem =
                error != null ? error : Objects.requireNonNull(reply).getException();
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }

    /** An entry on its way. */
    private final class Sending {
        private final Message entry;
        private final BooleanSupplier wanted;
        private final long since = System.nanoTime();
        private final CompletableFuture<RaftClientReply> done = new CompletableFuture<>();
        private volatile boolean mayHaveArrived;

        Sending(Message entry, BooleanSupplier wanted) {
            this.entry = entry;
            this.wanted = wanted;
        }

        /** To the leader, as far as this node knows it. */
        void send() {
            RaftServer.Division here = node.division().orElse(null);
            if (here == null) {
                failed(new IOException(node.noLeader()), true);
                return;
            }
            RaftPeerId leader = here.getInfo().getLeaderId();
            RaftPeerId self = node.self().getId();
            boolean leads = here.getInfo().isLeader();
            if (leads || leader != null) {
                ledNanos = System.nanoTime();
            }
            try {
                if (leads) {
                    sendHere(here);
                } else if (leader == null || leader.equals(self)) {
                    failed(new NotLeaderException(here.getMemberId(), null, List.of()), true);
                } else {
                    new Attempt(this, leader).send();
                }
            } catch (IOException | RuntimeException e) {
                failed(e, false);
            }
        }

        private void sendHere(RaftServer.Division here) throws IOException {
            CompletableFuture<RaftClientReply> sent =
                    DirectRequests.send(here, request(node.self().getId(), entry));
            // What is refused at the door is refused at once. A leader that loses its place later says the same, but
            // then the entry is in its log.
            boolean refused = sent.isDone();
            sent.whenComplete((reply, error) -> {
                if (error == null && reply.getException() == null) {
                    done.complete(reply);
                } else {
                    Throwable problem = problemOf(reply, error);
                    failed(problem, isNowhere(problem) || refused && problem instanceof NotLeaderException);
                }
            });
        }

        /** @param nowhere whether it is certain that the entry is in no log */
        void failed(Throwable problem, boolean nowhere) {
            mayHaveArrived |= !nowhere;
            if (wanted.getAsBoolean() && isWorthwhile(since) && !node.isClosing()) {
                node.later(RETRY_PAUSE, this::send);
            } else if (mayHaveArrived) {
                done.completeExceptionally(new OutcomeUnknownException(RatisNode.rootOf(problem), problem));
            } else {
                done.completeExceptionally(new BackendUnavailableException(node.noLeader(), problem));
            }
        }
    }

    private static boolean isNowhere(Throwable problem) {
        return problem instanceof LeaderNotReadyException || problem instanceof LeaderSteppingDownException;
    }

    /** An entry that another node was asked to write; it ends once. */
    private final class Attempt {
        private final Sending sending;
        private final RaftPeerId to;
        private final AtomicBoolean over = new AtomicBoolean();

        Attempt(Sending sending, RaftPeerId to) {
            this.sending = sending;
            this.to = to;
        }

        void send() throws IOException {
            RaftClient used = clients.shared(node.group());
            unanswered.add(this);
            RaftPeerId now =
                    node.division().map(here -> here.getInfo().getLeaderId()).orElse(null);
            if (now != null && !now.equals(to)) { // since it was looked up: nobody says so again
                failed(new IOException(now + " leads now, and not " + to), true);
                return;
            }
            try {
                used.getClientRpc()
                        .sendRequestAsyncUnordered(request(to, sending.entry))
                        .whenComplete((reply, error) -> answered(used, reply, error));
            } catch (RuntimeException e) {
                unanswered.remove(this);
                throw e;
            }
        }

        private void answered(RaftClient used, @Nullable RaftClientReply reply, @Nullable Throwable error) {
            if (error == null && Objects.requireNonNull(reply).getException() == null) {
                unanswered.remove(this);
                sending.done.complete(reply); // also one that comes late
                return;
            }
            Throwable problem = problemOf(reply, error);
            boolean nowhere = isNowhere(problem);
            if (!nowhere && !(problem instanceof NotLeaderException)) {
                clients.reconnect(used, to, problem);
            }
            failed(problem, nowhere);
        }

        void failed(Throwable problem, boolean nowhere) {
            if (over.compareAndSet(false, true)) {
                unanswered.remove(this);
                sending.failed(problem, nowhere);
            }
        }
    }
}
