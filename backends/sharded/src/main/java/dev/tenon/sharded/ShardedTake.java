package dev.tenon.sharded;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The way of one request: it asks the node where its name lives, and while the name moves it waits. What is granted as
 * the name begins to move is given back. Steps of one request never overlap.
 */
final class ShardedTake {
    private static final String MOVING = "a change of the nodes";
    private static final Duration RECHECK = Duration.ofMillis(500);

    private final ShardedTakes takes;
    private final Acquire request;
    private final long startNanos;
    private final long deadlineNanos;
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private CompletableFuture<Outcome> answer = new CompletableFuture<>();
    private boolean running;
    private @Nullable Handed handed;
    private volatile boolean cancelled;
    private volatile @Nullable String queuedAt;

    private record Handed(String label, Grant grant) {}

    ShardedTake(ShardedTakes takes, Acquire request) {
        this.takes = takes;
        this.request = request;
        this.startNanos = takes.nanoTime();
        this.deadlineNanos = startNanos + request.waitTime().toNanos();
    }

    /** Asks, for the first time or again; empty if its way has come to an end. */
    Optional<CompletableFuture<Outcome>> ask() {
        CompletableFuture<Outcome> mine;
        mutex.lock();
        try {
            if (ended.isDone()) {
                return Optional.empty();
            }
            if (running) {
                return Optional.of(answer);
            }
            running = true;
            handed = null;
            mine = new CompletableFuture<>();
            answer = mine;
        } finally {
            mutex.unlock();
        }
        stand();
        return Optional.of(mine);
    }

    void handed(String label, Grant grant) {
        Handed now = new Handed(label, grant);
        mutex.lock();
        try {
            handed = now;
            if (running || ended.isDone()) {
                return; // the step under way looks at it: it may have been answered before
            }
            running = true;
        } finally {
            mutex.unlock();
        }
        take(now);
    }

    CompletableFuture<Boolean> stop() {
        cancelled = true;
        mutex.lock();
        try {
            if (!running) {
                ended.complete(true);
            }
        } finally {
            mutex.unlock();
        }
        return ended;
    }

    /** Whether it waits no more, whatever happens. */
    boolean isOver(long nowNanos) {
        mutex.lock();
        try {
            return !running && nowNanos - deadlineNanos > 0;
        } finally {
            mutex.unlock();
        }
    }

    /** Asks where the name lives, or waits while it moves. */
    private void stand() {
        ShardedPlan plan = takes.change().plan();
        String place = plan.places(request.name()).get(0);
        String before = queuedAt;
        if (before != null && (!before.equals(place) || plan.moves(request.name()))) {
            queuedAt = null;
            giveBack(before).thenRun(this::stand);
            return;
        }
        if (plan.moves(request.name()) && converted().isEmpty()) {
            moving();
            return;
        }
        long sentNanos = takes.nanoTime();
        Duration left = Duration.ofNanos(Math.max(1_000_000, deadlineNanos - sentNanos));
        Acquire there = request.mayWait() ? request.withWait(left) : request;
        takes.sessions()
                .at(place, request.sessionId())
                .thenCompose(session -> plan.store(place).acquire(there))
                .whenComplete((outcome, failure) -> {
                    if (failure != null) {
                        fail(failure);
                    } else {
                        stood(place, outcome, sentNanos);
                    }
                });
    }

    private void stood(String place, Outcome outcome, long sentNanos) {
        if (outcome instanceof Outcome.Granted granted) {
            held(place, granted.token(), sentNanos + granted.lease().toNanos(), () -> end(outcome));
        } else if (outcome instanceof Outcome.NoSession) {
            takes.sessions().lost(place, request.sessionId());
            fail(new BackendUnavailableException("Node " + place + " did not know the session, which is opened again"));
        } else if (!(outcome instanceof Outcome.Queued)) {
            end(outcome);
        } else if (cancelled) {
            giveBack(place).thenRun(() -> end(outcome));
        } else {
            queuedAt = place;
            queued(outcome);
        }
    }

    /** Nobody takes it here until the change is settled; then all who wait are told to ask again. */
    private void moving() {
        if (cancelled || !request.mayWait()) {
            end(new Outcome.Busy(MOVING, RECHECK));
        } else {
            queued(new Outcome.Queued(0, RECHECK));
        }
    }

    private void queued(Outcome outcome) {
        CompletableFuture<Outcome> told = answer;
        Handed now;
        mutex.lock();
        try {
            now = handed;
            running = now != null;
        } finally {
            mutex.unlock();
        }
        told.complete(outcome);
        if (now != null) {
            take(now);
        }
    }

    private void take(Handed by) {
        Grant grant = by.grant;
        // The store's clock may run faster than ours by 0.1 %: then less time than it says has passed here.
        long since = grant.sinceQueued().toNanos();
        long endNanos = startNanos + since - since / 1000 + grant.lease().toNanos();
        held(by.label, grant.token(), endNanos, () -> {
            end();
            takes.sessions().tell(grant);
        });
    }

    /** It is held at this place: that counts unless it was given up, or the name has begun to move. */
    private void held(String place, long token, long endNanos, Runnable tell) {
        Release lock = new Release(request.name(), token);
        Optional<Release> before = converted();
        boolean counts = !cancelled
                && (before.isPresent()
                        ? takes.replace(before.get(), lock, request.sessionId(), place, endNanos)
                        : takes.hold(lock, request.sessionId(), place, endNanos));
        if (counts) {
            tell.run();
            return;
        }
        queuedAt = null;
        mutex.lock();
        try {
            handed = null;
        } finally {
            mutex.unlock();
        }
        giveBack(place).thenRun(() -> {
            if (cancelled || before.isPresent()) {
                end(new Outcome.NotHeld());
            } else {
                stand();
            }
        });
    }

    /** The hold of this process that is to be converted: where that is, the new one will be. */
    private Optional<Release> converted() {
        OptionalLong token = request.terms().converts();
        return token.isEmpty()
                ? Optional.empty()
                : Optional.of(new Release(request.name(), token.getAsLong()))
                        .filter(lock -> takes.holds().label(lock).isPresent());
    }

    /** Takes the request out of the queue of a node, or gives back what that granted. Never fails. */
    private CompletableFuture<Boolean> giveBack(String label) {
        LockStore store = takes.change().plan().stores().get(label);
        if (store == null) {
            return CompletableFuture.completedFuture(true);
        }
        return store.cancel(new Cancel(request.name(), request.requestId()))
                .thenCompose(was -> was instanceof Cancelled.WasGranted granted
                        ? store.release(List.of(new Release(request.name(), granted.token())))
                        : CompletableFuture.completedFuture(List.of()))
                .handle((done, failure) -> true) // what can't be reached runs out with its lease
                .toCompletableFuture();
    }

    private void fail(Throwable failure) {
        boolean told = answer.isDone();
        end();
        if (told) {
            takes.sessions().resync(request.sessionId()); // whoever waits asks again, and hears of it then
        } else {
            answer.completeExceptionally(failure);
        }
    }

    private void end(Outcome outcome) {
        end();
        if (!answer.complete(outcome) && !cancelled) {
            takes.sessions().resync(request.sessionId());
        }
    }

    private void end() {
        takes.ended(request.requestId(), this);
        mutex.lock();
        try {
            running = false;
        } finally {
            mutex.unlock();
        }
        ended.complete(true);
    }
}
