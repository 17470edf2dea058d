package dev.tenon.redis;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The one push connection of a lock store, with a channel for each session. In a cluster it may lead to any node: what
 * one publishes, all pass on. The driver subscribes again after it has reconnected; what was published in between is
 * lost, so the session is then asked to {@link StoreEvents#resync}, and also when keys have moved: the node that they
 * were on may have died before it had passed on what it published. Thread-safe; events are told on the driver's thread.
 */
final class RedisSubscription {
    private final Map<String, Subscriber> subscribers = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<StatefulRedisPubSubConnection<String, String>>>
            connection = new AtomicReference<>();
    private final RedisLink link;
    private final RedisLockKeys keys;
    private final BiConsumer<Grant, StoreEvents> onGrant;

    /** @param onGrant told of each grant, with the session's events that are to be told of it */
    RedisSubscription(RedisLink link, RedisLockKeys keys, BiConsumer<Grant, StoreEvents> onGrant) {
        this.link = link;
        this.keys = keys;
        this.onGrant = onGrant;
        link.onMoved(() -> subscribers.values().forEach(subscriber -> subscriber.events.resync()));
    }

    /**
     * Has a look at whether there is still somebody at the other end, where another server may have taken over: who
     * only waits sends nothing, and would not notice.
     */
    void runOnce() {
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> connected = connection.get();
        if (link.mayBeReplaced() && connected != null && !subscribers.isEmpty()) {
            connected.thenAccept(c -> link.bounded(c.async().ping()));
        }
    }

    /** Opens a session, or redirects the events of an open one. Done once Redis has confirmed the subscription. */
    CompletableFuture<Session> open(SessionSpec spec, StoreEvents events) {
        Subscriber fresh = new Subscriber(new Session(spec.id(), spec.ttl()), events);
        Subscriber known = subscribers.putIfAbsent(spec.id(), fresh);
        if (known != null) {
            known.events = events;
            return known.opened;
        }
        String channel = keys.channel(spec.id());
        connected().thenCompose(c -> link.bounded(c.async().subscribe(channel))).whenComplete((done, failure) -> {
            if (failure == null) {
                fresh.opened.complete(fresh.session);
            } else {
                subscribers.remove(spec.id(), fresh);
                fresh.opened.completeExceptionally(RedisErrors.unwrap(failure));
            }
        });
        return fresh.opened;
    }

    boolean isOpen(String sessionId) {
        return subscribers.containsKey(sessionId);
    }

    List<String> openSessions() {
        return List.copyOf(subscribers.keySet());
    }

    /** Tells the session nothing more. */
    void close(String sessionId) {
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> connected = connection.get();
        if (subscribers.remove(sessionId) != null && connected != null) {
            connected.thenAccept(c -> c.async().unsubscribe(keys.channel(sessionId)));
        }
    }

    private CompletableFuture<StatefulRedisPubSubConnection<String, String>> connected() {
        CompletableFuture<StatefulRedisPubSubConnection<String, String>> mine = new CompletableFuture<>();
        while (!connection.compareAndSet(null, mine)) {
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> others = connection.get();
            if (others != null) {
                return others;
            }
        }
        link.subscriber().whenComplete((c, failure) -> {
            if (failure == null) {
                c.addListener(new Listener());
                mine.complete(c);
            } else {
                connection.set(null); // the next session tries again
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    private static final class Subscriber {
        private final CompletableFuture<Session> opened = new CompletableFuture<>();
        private final Session session;
        private volatile StoreEvents events;
        private boolean subscribedBefore; // touched by the driver's thread of this connection alone

        Subscriber(Session session, StoreEvents events) {
            this.session = session;
            this.events = events;
        }
    }

    private final class Listener extends RedisPubSubAdapter<String, String> {
        @Override
        public void message(String channel, String message) {
            Subscriber subscriber = of(channel);
            if (subscriber != null) {
                Optional<Revocation> revocation = RedisLockReplies.revocation(subscriber.session.id(), message);
                if (revocation.isPresent()) {
                    subscriber.events.revokeAsked(revocation.get());
                    return;
                }
                Grant grant = RedisLockReplies.grant(subscriber.session.id(), message);
                onGrant.accept(grant, subscriber.events);
            }
        }

        @Override
        public void subscribed(String channel, long count) {
            Subscriber subscriber = of(channel);
            if (subscriber == null) {
                return;
            }
            if (subscriber.subscribedBefore) {
                subscriber.events.resync();
            }
            subscriber.subscribedBefore = true;
        }

        private @Nullable Subscriber of(String channel) {
            return subscribers.get(channel.substring(keys.channelPrefix().length()));
        }
    }
}
