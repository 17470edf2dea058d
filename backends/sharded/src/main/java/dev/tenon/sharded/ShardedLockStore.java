package dev.tenon.sharded;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.CompositeWaits;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sends each call to the store where its name lives. */
final class ShardedLockStore implements LockStore {
    private final ShardedChange change;
    private final SessionBook book;
    private final ShardedSessions sessions;
    private final CompositeWaits<ShardedWait.NodeGrant> waits;
    private final TimeSource time;

    ShardedLockStore(Map<String, LockStore> stores, Duration clocksApart, TimeSource time) {
        stores.values().forEach(ShardedLockStore::requireClock);
        this.time = time;
        this.book = new SessionBook(time, Duration.ZERO);
        this.change = new ShardedChange(stores, book, clocksApart, time);
        this.sessions = new ShardedSessions(book, change, this::granted);
        this.waits = new CompositeWaits<>(book, time, wait -> new ShardedWait(wait, change, sessions));
    }

    /** Keeps sessions alive, forgets what is over, and looks how far a change has come. */
    void runOnce() {
        sessions.runOnce(time.nanoTime());
        book.runOnce();
        waits.runOnce();
        change.runOnce();
    }

    ShardedPlan plan() {
        return change.plan();
    }

    Set<String> nodes() {
        return change.plan().before().weights().keySet();
    }

    CompletionStage<Void> join(String label, LockStore store) {
        requireClock(store);
        return change.begin(ring -> ring.with(label, 1), Map.of(label, store));
    }

    CompletionStage<Void> leave(String label) {
        return change.begin(ring -> ring.without(label), Map.of());
    }

    void settle() {
        change.settle();
        book.resync(); // those who waited for this come to the new node
    }

    private static void requireClock(LockStore store) {
        if (store.traits().tokenSource() != StoreTraits.TokenSource.STORE_CLOCK) {
            throw new IllegalArgumentException("Tokens would not increase when a lock moves to or from a store whose"
                    + " tokens do not come from a clock: " + store.traits());
        }
    }

    @Override
    public StoreTraits traits() {
        List<StoreTraits> all =
                plan().stores().values().stream().map(LockStore::traits).toList();
        boolean pushed = all.stream().allMatch(t -> t.push() == StoreTraits.Push.PUSHED);
        Duration least = all.stream()
                .map(StoreTraits::leastLease)
                .max(Duration::compareTo)
                .orElseThrow();
        return new StoreTraits(
                StoreTraits.TokenSource.STORE_CLOCK,
                pushed ? StoreTraits.Push.PUSHED : StoreTraits.Push.TIMED,
                all.stream().allMatch(StoreTraits::survivesRestart),
                false,
                least);
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        return sessions.open(spec, events);
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        return CompletableFuture.completedFuture(sessions.isOpen(sessionId));
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        return sessions.close(sessionId).thenRun(() -> book.heldBy(sessionId).forEach(book::holdsNoMore));
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        if (request.lease().isEmpty() || request.lease().get().compareTo(traits().leastLease()) < 0) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "Sharded locks end no sessions: a lease of " + traits().leastLease() + " or more is needed"));
        }
        return sessions.isOpen(request.sessionId())
                ? waits.ask(request)
                : CompletableFuture.completedFuture(new Outcome.NoSession());
    }

    private void granted(String label, Grant grant) {
        waits.of(grant.requestId()).ifPresent(wait -> wait.granted(new ShardedWait.NodeGrant(label, grant)));
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        Map<String, List<Release>> byLabel = new HashMap<>();
        List<Slot> slots =
                releases.stream().map(r -> Slot.of(byLabel, place(r), r)).toList();
        return ShardedCalls.each(byLabel, (label, part) -> plan().store(label).release(part))
                .thenApply(answers -> {
                    releases.forEach(book::holdsNoMore);
                    change.runOnce();
                    return slots.stream().map(slot -> slot.in(answers)).toList();
                });
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        Map<String, List<Renew>> byLabel = new HashMap<>();
        List<Slot> slots = renewals.stream()
                .map(r -> Slot.of(byLabel, place(new Release(r.name(), r.token())), r))
                .toList();
        long sentNanos = time.nanoTime();
        return ShardedCalls.eachThatAnswers(
                        byLabel, (label, part) -> plan().store(label).renew(part))
                .thenApply(answers -> {
                    List<Renewed> all = new ArrayList<>();
                    for (int i = 0; i < renewals.size(); i++) {
                        Release lock = new Release(
                                renewals.get(i).name(), renewals.get(i).token());
                        boolean answered = answers.containsKey(slots.get(i).label());
                        all.add(
                                answered
                                        ? renewed(lock, slots.get(i).in(answers), sentNanos)
                                        : doubtful(lock, sentNanos));
                    }
                    change.runOnce();
                    return all;
                });
    }

    private Renewed renewed(Release lock, Renewed answer, long sentNanos) {
        if (answer instanceof Renewed.Extended extended) {
            book.renewed(lock, sentNanos + extended.lease().toNanos(), false);
        } else {
            book.holdsNoMore(lock);
        }
        return answer;
    }

    /** One store that is down must not make the leases in the others doubtful: this has what was left of it. */
    private Renewed doubtful(Release lock, long sentNanos) {
        return book.hold(lock)
                .map(hold -> Duration.ofNanos(hold.until() - sentNanos))
                .filter(left -> !left.isNegative() && !left.isZero())
                .<Renewed>map(Renewed.Extended::new)
                .orElseGet(Renewed.NotHeld::new);
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        return waits.cancel(request.requestId()).thenCompose(done -> {
            waits.remove(request.requestId());
            String place = plan().places(request.name()).get(0);
            long sentNanos = time.nanoTime();
            return plan().store(place).cancel(request).thenCompose(was -> cancelled(request, place, was, sentNanos));
        });
    }

    private CompletionStage<Cancelled> cancelled(Cancel request, String place, Cancelled was, long sentNanos) {
        if (!(was instanceof Cancelled.WasGranted granted)) {
            return CompletableFuture.completedFuture(was);
        }
        Release lock = new Release(request.name(), granted.token());
        return change.hold(lock, place, sentNanos + granted.lease().toNanos())
                ? CompletableFuture.completedFuture(granted)
                : plan().store(place).release(List.of(lock)).thenApply(done -> new Cancelled.Gone());
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        ShardedPlan plan = plan();
        return ShardedCalls.inOrder(
                        plan.places(name), label -> plan.store(label).inspect(name))
                .thenApply(views -> views.stream().flatMap(Optional::stream).findFirst());
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        ShardedPlan plan = plan();
        List<String> labels = List.copyOf(plan.stores().keySet());
        return ShardedCalls.inOrder(labels, label -> plan.store(label).list(prefix, after, limit))
                .thenApply(pages -> {
                    Map<String, LockPage> byLabel = new HashMap<>();
                    for (int i = 0; i < labels.size(); i++) {
                        byLabel.put(labels.get(i), pages.get(i));
                    }
                    return ShardedListing.merged(byLabel, plan, limit);
                });
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        ShardedPlan plan = plan();
        return ShardedCalls.inOrder(
                        plan.places(name), label -> plan.store(label).evict(name, expectedToken, reason))
                .thenApply(floors -> floors.stream().flatMap(Optional::stream).findFirst());
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        ShardedPlan plan = plan();
        return ShardedCalls.inOrder(
                        plan.places(name), label -> plan.store(label).revoke(name, by))
                .thenApply(
                        counts -> counts.stream().mapToInt(count -> count).max().orElse(0));
    }

    @Override
    public void close() {
        sessions.closeAll();
    }

    private String place(Release lock) {
        return change.node(lock).orElseGet(() -> plan().places(lock.name()).get(0));
    }

    /** Where the answer to one question will be: which node's, and the how-manieth. */
    private record Slot(String label, int index) {
        static <Q> Slot of(Map<String, List<Q>> byLabel, String label, Q question) {
            List<Q> questions = byLabel.computeIfAbsent(label, any -> new ArrayList<>());
            questions.add(question);
            return new Slot(label, questions.size() - 1);
        }

        <A> A in(Map<String, List<A>> answers) {
            return Objects.requireNonNull(answers.get(label)).get(index);
        }
    }
}
