package dev.tenon.lock;

import dev.tenon.lock.LockEvent.Kind;
import dev.tenon.lock.LockEvent.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Who listens to what happens to the leases of a process. Costs nothing while nobody does. Thread-safe. */
final class LockEvents {
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Executor callbacks;

    LockEvents(Executor callbacks) {
        this.callbacks = callbacks;
    }

    /** Where users' code is told of anything. */
    Executor callbacks() {
        return callbacks;
    }

    Subscription listen(Consumer<LockEvent> listener) {
        Subscription subscription =
                new Subscription(Objects.requireNonNull(listener, "listener"), subscriptions::remove, callbacks);
        subscriptions.add(subscription);
        return subscription;
    }

    void tell(Kind kind, Lease lease, Optional<String> detail) {
        if (!subscriptions.isEmpty()) {
            LockEvent event = new LockEvent(kind, lease.name(), lease.token(), lease.owner(), detail);
            subscriptions.forEach(subscription -> subscription.offer(event));
        }
    }
}
