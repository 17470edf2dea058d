package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TimeSource;
import dev.tenon.lock.engine.CompositeWait;
import dev.tenon.lock.engine.CompositeWaits;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One lock store over several independent ones: what a majority of the nodes says counts (after <a
 * href="https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">RedLock</a>). Each name has an order in
 * which its nodes are asked; the first that answers has the queue, so that waiters don't split the nodes among
 * themselves. Semaphores need all nodes, as no majority can count.
 *
 * <p><b>Why tokens increase.</b> At each node, (1) a grant gets a token greater than that of every hold before, and
 * that of a hold only rises. (2) A token counts once a majority has answered that this request holds there under
 * exactly this token. Take two exclusive grants whose tokens count. Their majorities share a node; there the holds
 * follow one another; say A's, under {@code a} in the end, came first. By (1) B's token there is greater than {@code a}
 * from its grant on, and by (2) it is B's token. So no two tokens are equal, and they are in the order of the holds. If
 * {@code a} had been returned before B was asked for, A's hold at that node had begun before B's: so B's token is
 * greater than any that was ever returned before. This holds whatever clocks, pauses and networks do, as long as nodes
 * forget nothing; {@code docs/adr/0014-quorum-lock.md} has the rest.
 */
final class RedisQuorumLockStore implements LockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.TokenSource.STORE_CLOCK, StoreTraits.Push.PUSHED, true, false, Duration.ofMillis(50));

    private final Map<String, CompletableFuture<Session>> opened = new ConcurrentHashMap<>();
    private final List<QuorumNode> nodes;
    private final int majority;
    private final TimeSource time;
    private final ScheduledExecutorService timer;
    private final SessionBook book;
    private final CompositeWaits<RedisQuorumWait.NodeGrant> waits;
    private final RedisQuorumRenewals renewing;

    RedisQuorumLockStore(List<? extends QuorumNode> nodes, TimeSource time, ScheduledExecutorService timer) {
        this.nodes = List.copyOf(nodes);
        this.majority = nodes.size() / 2 + 1;
        this.time = time;
        this.timer = timer;
        this.book = new SessionBook(time, Duration.ZERO);
        this.waits = new CompositeWaits<>(book, time, this::newWait);
        this.renewing = new RedisQuorumRenewals(this.nodes, majority, time, book, this::release);
    }

    /** Forgets what is over. */
    void runOnce() {
        book.runOnce();
        waits.runOnce();
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        SessionSpec agreed = book.open(spec, events);
        CompletableFuture<Session> opening = new CompletableFuture<>();
        CompletableFuture<Session> known = opened.putIfAbsent(spec.id(), opening);
        if (known != null) {
            return known;
        }
        QuorumAnswers.gather(nodes, node -> listen(node, spec.id())).whenComplete((answers, none) -> {
            try {
                answers.require(majority);
                opening.complete(new Session(agreed.id(), agreed.ttl()));
            } catch (RuntimeException e) {
                forget(spec.id());
                opening.completeExceptionally(e);
            }
        });
        return opening;
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return CompletableFuture.completedFuture(book.isOpen(sessionId));
    }

    private void forget(String sessionId) {
        book.close(sessionId);
        opened.remove(sessionId);
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        forget(sessionId);
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (Acquire request : waits.ofSession(sessionId)) {
            all.add(cancel(new Cancel(request.name(), request.requestId()))
                    .thenCompose(was -> release(
                            was instanceof Cancelled.WasGranted granted
                                    ? List.of(new Release(request.name(), granted.token()))
                                    : List.of()))
                    .toCompletableFuture());
        }
        all.add(release(book.heldBy(sessionId)).toCompletableFuture());
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenCompose(given -> QuorumAnswers.gather(
                        nodes,
                        node -> node.ask(store -> store.closeSession(sessionId).thenApply(none -> true))))
                .thenApply(closed -> null);
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        if (request.lease().isEmpty() || request.lease().get().compareTo(TRAITS.leastLease()) < 0) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "A quorum ends no sessions: a lease of " + TRAITS.leastLease() + " or more is needed"));
        }
        if (!book.isOpen(request.sessionId())) {
            return CompletableFuture.completedFuture(new Outcome.NoSession());
        }
        return book.held(request.name()).entrySet().stream()
                .filter(entry -> entry.getValue().requestId().equals(request.requestId()))
                .findFirst()
                .map(entry -> again(request, new Release(request.name(), entry.getKey())))
                .orElseGet(() -> waits.ask(request));
    }

    /** Looks whether a request still has what it got. */
    private CompletionStage<Outcome> again(Acquire request, Release mine) {
        return inspect(request.name()).thenCompose(seen -> {
            Optional<Outcome> still = seen.stream()
                    .flatMap(view -> view.holders().stream())
                    .filter(holder -> holder.token() == mine.token())
                    .map(holder -> (Outcome) new Outcome.Granted(holder.token(), holder.leaseLeft()))
                    .findFirst();
            if (still.isPresent()) {
                return CompletableFuture.completedFuture(still.get());
            }
            book.holdsNoMore(mine);
            return waits.ask(request);
        });
    }

    private RedisQuorumWait newWait(CompositeWait<RedisQuorumWait.NodeGrant> wait) {
        return new RedisQuorumWait(
                wait, this, QuorumNode.order(nodes, wait.request().name()));
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        if (releases.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        return QuorumAnswers.gather(nodes, node -> node.ask(store -> store.release(releases)))
                .thenApply(answers -> {
                    List<List<Released>> given = answers.require(majority).given();
                    return IntStream.range(0, releases.size())
                            .mapToObj(i -> released(
                                    releases.get(i),
                                    given.stream().map(each -> each.get(i)).toList()))
                            .toList();
                });
    }

    private Released released(Release release, List<Released> given) {
        book.holdsNoMore(release);
        long held = given.stream().filter(r -> r != Released.NOT_HELD).count();
        if (held < majority) {
            return Released.NOT_HELD;
        }
        return given.contains(Released.HANDED_OVER) ? Released.HANDED_OVER : Released.FREED;
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return renewing.renew(renewals);
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return waits.cancel(request.requestId())
                .thenCompose(done -> QuorumAnswers.gather(nodes, node -> node.ask(store -> store.cancel(request))))
                .thenCompose(answers -> {
                    waits.remove(request.requestId());
                    return cancelled(request, answers);
                });
    }

    private CompletionStage<Cancelled> cancelled(Cancel request, QuorumAnswers<Cancelled> answers) {
        Map<Long, List<Duration>> byToken = new HashMap<>();
        for (Cancelled answer : answers.given()) {
            if (answer instanceof Cancelled.WasGranted granted) {
                byToken.computeIfAbsent(granted.token(), token -> new ArrayList<>())
                        .add(granted.lease());
            }
        }
        for (Map.Entry<Long, List<Duration>> entry : byToken.entrySet()) {
            if (entry.getValue().size() >= majority) {
                Duration lease = QuorumAnswers.reachedBy(majority, entry.getValue());
                return CompletableFuture.completedFuture(new Cancelled.WasGranted(entry.getKey(), lease));
            }
        }
        List<Release> parts = byToken.keySet().stream()
                .map(token -> new Release(request.name(), token))
                .toList();
        return QuorumAnswers.gather(nodes, node -> node.ask(store -> store.release(parts)))
                .thenApply(given -> {
                    answers.require(majority);
                    return new Cancelled.Gone();
                });
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        return QuorumAnswers.gather(QuorumNode.order(nodes, name), node -> node.ask(store -> store.inspect(name)))
                .thenApply(answers ->
                        RedisQuorumViews.view(name, answers.require(majority).given(), majority));
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        return QuorumAnswers.gather(nodes, node -> node.ask(store -> store.list(prefix, after, limit)))
                .thenApply(answers ->
                        RedisQuorumViews.page(answers.require(majority).byNode(), limit, majority));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        return QuorumAnswers.gather(nodes, node -> node.ask(store -> store.evict(name, expectedToken, reason)))
                .thenApply(answers -> {
                    List<Long> floors = answers.require(majority).given().stream()
                            .flatMap(Optional::stream)
                            .toList();
                    // A later majority shares a node with this one, and its token is greater than the floor there.
                    return floors.size() < majority ? Optional.empty() : Optional.of(Collections.min(floors));
                });
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        return QuorumAnswers.gather(nodes, node -> node.ask(store -> store.revoke(name, by)))
                .thenApply(answers -> QuorumAnswers.reachedBy(
                        majority, answers.require(majority).given()));
    }

    @Override
    public void close() {
        CompletableFuture<?>[] all = opened.keySet().stream()
                .map(id -> closeSession(id).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(all).handle((done, failure) -> null).join();
    }

    TimeSource time() {
        return time;
    }

    /** Has a node tell this session what happens there. */
    CompletableFuture<Boolean> listen(QuorumNode node, String sessionId) {
        Optional<SessionSpec> spec = book.spec(sessionId);
        if (spec.isEmpty()) {
            return CompletableFuture.failedFuture(new BackendUnavailableException("The session was closed"));
        }
        return node.ask(store -> store.open(spec.get(), new RedisQuorumEvents(book, waits, node, sessionId)))
                .thenApply(session -> true)
                .toCompletableFuture();
    }

    void after(long nanos, Runnable step) {
        try {
            timer.schedule(step, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException disconnected) {
            step.run(); // it fails, and so ends a way that somebody may wait for
        }
    }

    void granted(Acquire request, long token, long untilNanos) {
        book.holds(request, token, untilNanos, "");
    }
}
