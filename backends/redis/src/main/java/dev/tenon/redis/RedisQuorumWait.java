package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TimeSource;
import dev.tenon.lock.engine.CompositeWait;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The way of one request through the nodes. It asks the first node that answers, for the lock or a place in its queue;
 * once that has granted it, all others at the same time, under the token that the first has made. When enough of them
 * hold for it under one and the same token, it has the lock. When not, it gives back what it got, and tries again after
 * a random pause if it may wait: at first without leaving the first node, then from the start. As its steps never
 * overlap, the proposed token only rises, and a step that was lost on the way and arrives late proposes less than what
 * was agreed on, which changes nothing.
 */
final class RedisQuorumWait implements CompositeWait.Strategy<RedisQuorumWait.NodeGrant> {
    private static final int AGREEMENTS = 6;
    private static final int ROUNDS_AT_THE_HEAD = 8;
    private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration CONVERSION = Duration.ofSeconds(1);

    private final CompositeWait<NodeGrant> wait;
    private final RedisQuorumLockStore quorum;
    private final List<QuorumNode> nodes;
    private final TimeSource time;
    private final int needed;
    private int first = -1;
    private long proposed;
    private int rounds;
    private volatile @Nullable Throwable lastFailure;

    /** The queue of a node has come to this request. */
    record NodeGrant(QuorumNode node, long token) {}

    /**
     * @param nodes in the order in which this name asks them
     */
    RedisQuorumWait(CompositeWait<NodeGrant> wait, RedisQuorumLockStore quorum, List<QuorumNode> nodes) {
        this.wait = wait;
        this.quorum = quorum;
        this.nodes = nodes;
        this.time = quorum.time();
        this.needed = RedisQuorum.needed(request().terms().mode(), nodes.size());
    }

    private Acquire request() {
        return wait.request();
    }

    @Override
    public Duration patience() {
        Duration asked = request().waitTime();
        return converts() && asked.compareTo(CONVERSION) < 0 ? CONVERSION : asked;
    }

    @Override
    public void begin() {
        standInLine(0, new ArrayList<>());
    }

    @Override
    public void confirm(NodeGrant by) {
        first = nodes.indexOf(by.node);
        proposed = Math.max(proposed, by.token);
        gather(Map.of(), 0);
    }

    private void standInLine(int index, List<Integer> silent) {
        QuorumNode node = nodes.get(index);
        long sentNanos = time.nanoTime();
        wait.forgetGrant();
        Acquire there = wait.forNode();
        CompletableFuture<Boolean> listening =
                there.mayWait() ? quorum.listen(node, there.sessionId()) : CompletableFuture.completedFuture(true);
        listening.thenCompose(open -> node.take(there, proposed)).whenComplete((outcome, failure) -> {
            if (failure == null) {
                first = index;
                inLine(outcome, sentNanos, silent);
                return;
            }
            lastFailure = RedisErrors.unwrap(failure);
            silent.add(index);
            if (nodes.size() - silent.size() < needed) {
                giveBack(silent);
                fail(nodes.size() - silent.size());
            } else {
                standInLine(index + 1, silent);
            }
        });
    }

    private void inLine(Outcome outcome, long sentNanos, List<Integer> silent) {
        if (outcome instanceof Outcome.Granted granted) {
            Map<Integer, QuorumVote> votes = new HashMap<>();
            votes.put(first, new QuorumVote(granted, sentNanos));
            silent.forEach(i -> votes.put(i, QuorumVote.SILENT));
            gather(votes, 0);
            return;
        }
        giveBack(silent);
        if (outcome instanceof Outcome.Queued) {
            wait.queued(outcome);
        } else {
            wait.end(outcome);
        }
    }

    /** Asks every node that has no vote among these. */
    private void gather(Map<Integer, QuorumVote> known, int agreements) {
        boolean late = wait.isAnswered();
        Duration lease = request().lease().orElseThrow();
        Acquire wish = request()
                .withWait(Duration.ZERO)
                .withLease(late && lease.compareTo(LockMachine.CLAIM_LEASE) > 0 ? LockMachine.CLAIM_LEASE : lease);
        long sentNanos = time.nanoTime();
        List<CompletableFuture<QuorumVote>> votes = IntStream.range(0, nodes.size())
                .mapToObj(i -> known.containsKey(i)
                        ? CompletableFuture.completedFuture(known.get(i))
                        : vote(nodes.get(i), wish, sentNanos))
                .toList();
        CompletableFuture.allOf(votes.toArray(CompletableFuture<?>[]::new))
                .thenRun(() -> count(votes.stream().map(CompletableFuture::join).toList(), sentNanos, agreements));
    }

    private CompletableFuture<QuorumVote> vote(QuorumNode node, Acquire wish, long sentNanos) {
        return node.take(wish, proposed)
                .handle((outcome, failure) -> {
                    if (failure != null) {
                        lastFailure = RedisErrors.unwrap(failure);
                        return QuorumVote.SILENT;
                    }
                    return new QuorumVote(outcome, sentNanos);
                })
                .toCompletableFuture();
    }

    private void count(List<QuorumVote> votes, long sentNanos, int agreements) {
        List<Integer> granted = QuorumVote.indexes(votes, QuorumVote::isGranted);
        Map<Long, Integer> byToken = new HashMap<>();
        granted.forEach(i -> byToken.merge(votes.get(i).token(), 1, Integer::sum));
        Optional<Long> agreed = byToken.entrySet().stream()
                .filter(e -> e.getValue() >= needed)
                .map(Map.Entry::getKey)
                .findFirst();
        int silent = QuorumVote.indexes(votes, QuorumVote::isSilent).size();
        int notHeld = QuorumVote.indexes(votes, v -> v.outcome() instanceof Outcome.NotHeld)
                .size();
        if (wait.isCancelled()) {
            giveBackAll().thenRun(wait::endCancelled);
        } else if (agreed.isPresent()) {
            settle(agreed.get(), votes, sentNanos);
        } else if (granted.size() >= needed && agreements < AGREEMENTS) {
            long greatest =
                    granted.stream().mapToLong(i -> votes.get(i).token()).max().orElseThrow();
            // A neighbour may have the token that was proposed last: then the next one after it.
            proposed = greatest > proposed ? greatest : proposed + 1;
            gather(Map.of(), agreements + 1);
        } else if (notHeld > nodes.size() - needed) {
            giveBackAll().thenRun(() -> wait.end(new Outcome.NotHeld()));
        } else if (nodes.size() - silent < needed) {
            giveBackAll().thenRun(() -> fail(nodes.size() - silent));
        } else {
            refused(votes);
        }
    }

    private void settle(long token, List<QuorumVote> votes, long sentNanos) {
        long untilNanos = QuorumVote.untilNanos(votes, token, needed, sentNanos);
        long now = time.nanoTime();
        Duration asked = request().lease().orElseThrow();
        if (untilNanos - now <= (untilNanos - sentNanos) / 100 + PAUSE_NANOS_MIN) { // for clocks of different rates
            lastFailure = null;
            giveBackAll()
                    .thenRun(() -> wait.fail(new BackendUnavailableException(
                            "The nodes took longer to answer than the lease of " + asked + " lasts")));
            return;
        }
        proposed = token;
        for (int i = 0; i < votes.size(); i++) {
            QuorumVote vote = votes.get(i);
            if (vote.isGranted() && vote.token() < token) {
                vote(nodes.get(i), request().withWait(Duration.ZERO), now);
            } else if (vote.isSilent() || vote.isQueued() || vote.isGranted() && vote.token() > token) {
                giveBack(List.of(i)); // it may hold under a token of its own, which nobody would ever release
            }
        }
        Duration left = Duration.ofNanos(untilNanos - wait.askedNanos()); // longer than asked, if it replaces a hold
        quorum.granted(request(), token, untilNanos);
        if (!wait.isAnswered()) {
            wait.end(new Outcome.Granted(token, converts() ? left : QuorumVote.shorter(asked, left)));
            return;
        }
        Duration got = Duration.ofNanos(untilNanos - sentNanos);
        Duration claim = converts() ? got : QuorumVote.shorter(LockMachine.CLAIM_LEASE, got);
        Duration since = Duration.ofNanos(sentNanos - wait.startNanos());
        wait.endPushed(
                new Grant(request().name(), request().requestId(), request().sessionId(), token, since, claim));
    }

    /** Too many nodes are held by others. */
    private void refused(List<QuorumVote> votes) {
        long now = time.nanoTime();
        if (wait.deadlineNanos() - now <= 0) {
            Outcome last = converts() ? new Outcome.NotHeld() : QuorumVote.busy(votes);
            giveBackAll().thenRun(() -> wait.end(last));
            return;
        }
        rounds++;
        boolean leaves = !converts()
                && rounds >= ROUNDS_AT_THE_HEAD
                && ThreadLocalRandom.current().nextInt(4) == 0;
        List<Integer> back = converts()
                ? List.of()
                : QuorumVote.indexes(votes, v -> v.isGranted() || v.isQueued()).stream()
                        .filter(i -> leaves || i != first)
                        .toList();
        long longest = Math.min(PAUSE_NANOS_MAX, PAUSE_NANOS_MIN << Math.min(20, rounds));
        long pause = ThreadLocalRandom.current().nextLong(PAUSE_NANOS_MIN, longest + 1);
        giveBack(back).thenRun(() -> {
            if (request().mayWait()) {
                wait.answerQueued(new Outcome.Queued(0, request().lease().orElseThrow()));
            }
            quorum.after(pause, () -> again(leaves));
        });
    }

    private void again(boolean fromTheStart) {
        if (wait.isCancelled()) {
            giveBackAll().thenRun(wait::endCancelled);
        } else if (fromTheStart) {
            standInLine(0, new ArrayList<>());
        } else {
            // Its hold at the first node may be a short claim.
            Duration claim = QuorumVote.shorter(
                    LockMachine.CLAIM_LEASE, request().lease().orElseThrow());
            Renew hold = new Renew(request().name(), proposed, Optional.of(claim));
            nodes.get(first)
                    .ask(store -> store.renew(List.of(hold)))
                    .whenComplete((done, failure) -> gather(Map.of(), 0));
        }
    }

    @Override
    public CompletableFuture<Void> giveBackAll() {
        return giveBack(IntStream.range(0, nodes.size()).boxed().toList());
    }

    /** Takes the request out of the queues of these nodes, and gives back what they granted. Never fails. */
    private CompletableFuture<Void> giveBack(List<Integer> indexes) {
        Cancel cancel = new Cancel(request().name(), request().requestId());
        return CompletableFuture.allOf(indexes.stream()
                        .map(nodes::get)
                        .map(node -> node.ask(store -> store.cancel(cancel))
                                .thenCompose(was -> was instanceof Cancelled.WasGranted granted
                                        ? node.ask(store -> store.release(
                                                List.of(new Release(request().name(), granted.token()))))
                                        : CompletableFuture.completedFuture(List.of()))
                                .toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> null);
    }

    private void fail(int answered) {
        wait.fail(QuorumAnswers.unavailable(answered, nodes.size(), needed, lastFailure));
    }

    private boolean converts() {
        return request().terms().converts().isPresent();
    }
}
