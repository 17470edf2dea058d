package dev.tenon.sharded;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.engine.CompositeWait;
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
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way: it asks the node where its name lives, and while the name moves it waits. What is granted as
 * the name begins to move is given back.
 */
final class ShardedWait implements CompositeWait.Strategy<ShardedWait.NodeGrant> {
    private static final String MOVING = "a change of the nodes";
    private static final Duration RECHECK = Duration.ofMillis(500);

    private final CompositeWait<NodeGrant> wait;
    private final ShardedChange change;
    private final ShardedSessions sessions;
    private volatile @Nullable String queuedAt;

    /** A grant and the node that gave it. */
    record NodeGrant(String node, Grant grant) {}

    ShardedWait(CompositeWait<NodeGrant> wait, ShardedChange change, ShardedSessions sessions) {
        this.wait = wait;
        this.change = change;
        this.sessions = sessions;
    }

    @Override
    public Duration patience() {
        return request().waitTime();
    }

    private Acquire request() {
        return wait.request();
    }

    /** Asks where the name lives, or waits while it moves. */
    @Override
    public void begin() {
        ShardedPlan plan = change.plan();
        String place = plan.places(request().name()).get(0);
        String before = queuedAt;
        if (before != null && (!before.equals(place) || plan.moves(request().name()))) {
            queuedAt = null;
            giveBack(before).thenRun(this::begin);
            return;
        }
        if (plan.moves(request().name()) && converted().isEmpty()) {
            moving();
            return;
        }
        long sentNanos = change.nanoTime();
        sessions.at(place, request().sessionId())
                .thenCompose(session -> plan.store(place).acquire(wait.forNode()))
                .whenComplete((outcome, failure) -> {
                    if (failure != null) {
                        wait.fail(failure);
                    } else {
                        answered(place, outcome, sentNanos);
                    }
                });
    }

    private void answered(String place, Outcome outcome, long sentNanos) {
        if (outcome instanceof Outcome.Granted granted) {
            held(place, granted.token(), sentNanos + granted.lease().toNanos(), () -> wait.end(outcome));
        } else if (outcome instanceof Outcome.NoSession) {
            sessions.lost(place, request().sessionId());
            wait.fail(new BackendUnavailableException(
                    "Node " + place + " did not know the session, which is opened again"));
        } else if (outcome instanceof Outcome.Queued) {
            queuedAt = place;
            wait.queued(outcome);
        } else {
            wait.end(outcome);
        }
    }

    /** Nobody takes it here until the change is settled; then all who wait are told to ask again. */
    private void moving() {
        if (wait.isCancelled() || !request().mayWait()) {
            wait.end(new Outcome.Busy(MOVING, RECHECK));
        } else {
            wait.queued(new Outcome.Queued(0, RECHECK));
        }
    }

    @Override
    public void confirm(NodeGrant by) {
        Grant grant = by.grant;
        // The store's clock may run faster than ours by 0.1 %: then less time than it says has passed here.
        long since = grant.sinceQueued().toNanos();
        long endNanos = wait.startNanos() + since - since / 1000 + grant.lease().toNanos();
        held(by.node, grant.token(), endNanos, () -> wait.endPushed(grant));
    }

    /** It is held at this place: that counts unless it was given up, or the name has begun to move. */
    private void held(String place, long token, long endNanos, Runnable tell) {
        boolean converts = converted().isPresent();
        if (!wait.isCancelled() && change.hold(request(), token, place, endNanos)) {
            tell.run();
            return;
        }
        queuedAt = null;
        wait.forgetGrant();
        giveBack(place).thenRun(() -> {
            if (wait.isCancelled() || converts) {
                wait.end(new Outcome.NotHeld());
            } else {
                begin();
            }
        });
    }

    /** The hold of this process that is to be converted: where that is, the new one will be. */
    private Optional<Release> converted() {
        return ShardedChange.converted(request())
                .filter(lock -> change.node(lock).isPresent());
    }

    @Override
    public CompletableFuture<?> giveBackAll() {
        String place = queuedAt;
        return place == null ? CompletableFuture.completedFuture(true) : giveBack(place);
    }

    /** Takes the request out of the queue of a node, or gives back what that granted. Never fails. */
    private CompletableFuture<Boolean> giveBack(String node) {
        LockStore store = change.plan().stores().get(node);
        if (store == null) {
            return CompletableFuture.completedFuture(true);
        }
        return store.cancel(new Cancel(request().name(), request().requestId()))
                .thenCompose(was -> was instanceof Cancelled.WasGranted granted
                        ? store.release(List.of(new Release(request().name(), granted.token())))
                        : CompletableFuture.completedFuture(List.of()))
                .handle((done, failure) -> true) // what can't be reached runs out with its lease
                .toCompletableFuture();
    }
}
