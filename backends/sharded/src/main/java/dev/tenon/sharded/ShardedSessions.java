package dev.tenon.sharded;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * One session over all nodes: it is opened at each of them, kept alive where that is needed, and opened again where it
 * was lost, so that a node which fails ends what was held there and nothing else. Thread-safe.
 */
final class ShardedSessions {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final Map<String, AtNodes> sessions = new ConcurrentHashMap<>();
    private final SessionBook book;
    private final ShardedChange change;
    private final BiConsumer<String, Grant> onGrant;

    /**
     * @param onGrant told of each grant, and by which node
     */
    ShardedSessions(SessionBook book, ShardedChange change, BiConsumer<String, Grant> onGrant) {
        this.book = book;
        this.change = change;
        this.onGrant = onGrant;
    }

    private static final class AtNodes {
        private final Map<String, CompletableFuture<Session>> nodes = new ConcurrentHashMap<>();
        private final SessionSpec spec;
        private volatile long aliveNanos;

        AtNodes(SessionSpec spec) {
            this.spec = spec;
        }
    }

    CompletionStage<Session> open(SessionSpec spec, StoreEvents events) {
        SessionSpec opened = book.open(spec, events);
        AtNodes fresh = new AtNodes(opened);
        sessions.putIfAbsent(spec.id(), fresh);
        Session session = new Session(spec.id(), opened.ttl());
        List<CompletableFuture<Session>> all = change.plan().stores().keySet().stream()
                .map(label -> at(label, spec.id()))
                .toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).handle((done, failure) -> {
            if (all.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
                if (sessions.remove(spec.id(), fresh)) {
                    book.close(spec.id());
                }
                throw new BackendUnavailableException("None of " + all.size() + " stores answers", failure);
            }
            return session;
        });
    }

    boolean isOpen(String sessionId) {
        return book.isOpen(sessionId);
    }

    /** The session at one node, which is opened there unless it is. */
    CompletableFuture<Session> at(String label, String sessionId) {
        AtNodes opened = sessions.get(sessionId);
        if (opened == null) {
            return CompletableFuture.failedFuture(new BackendUnavailableException("The session was closed"));
        }
        CompletableFuture<Session> known = opened.nodes.get(label);
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<Session> mine = new CompletableFuture<>();
        boolean first = known == null
                ? opened.nodes.putIfAbsent(label, mine) == null
                : opened.nodes.replace(label, known, mine);
        if (!first) {
            return at(label, sessionId);
        }
        LockStore store = change.plan().stores().get(label);
        CompletionStage<Session> opening = store == null
                ? CompletableFuture.failedFuture(new BackendUnavailableException("Node " + label + " has left"))
                : store.open(opened.spec, new Events(label, sessionId));
        opening.whenComplete((session, failure) -> {
            if (failure == null) {
                mine.complete(session);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    /** Has the session opened again at this node when it is next needed there. */
    void lost(String label, String sessionId) {
        AtNodes opened = sessions.get(sessionId);
        if (opened != null && opened.nodes.remove(label) != null) {
            book.resync(sessionId);
        }
    }

    /** Tells the nodes that end sessions by themselves that these are alive. */
    void runOnce(long nowNanos) {
        sessions.forEach((id, opened) -> {
            if (nowNanos - opened.aliveNanos < opened.spec.ttl().toNanos() / 3) {
                return;
            }
            opened.aliveNanos = nowNanos;
            for (String label : opened.nodes.keySet()) {
                LockStore store = change.plan().stores().get(label);
                if (store == null) {
                    opened.nodes.remove(label);
                } else if (store.traits().sessionsExpire()) {
                    store.keepAlive(id).thenAccept(alive -> {
                        if (!alive) {
                            lost(label, id);
                        }
                    });
                }
            }
        });
    }

    CompletionStage<Void> close(String sessionId) {
        book.close(sessionId);
        AtNodes opened = sessions.remove(sessionId);
        if (opened == null) {
            return CompletableFuture.completedFuture(null);
        }
        Map<String, LockStore> stores = change.plan().stores();
        List<CompletableFuture<Void>> all = opened.nodes.keySet().stream()
                .filter(stores::containsKey)
                .map(label -> Objects.requireNonNull(stores.get(label))
                        .closeSession(sessionId)
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    void closeAll() {
        CompletableFuture<?>[] all = sessions.keySet().stream()
                .map(id -> close(id).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        // A store that can't be reached lets the leases run out instead.
        CompletableFuture.allOf(all)
                .handle((done, failure) -> true)
                .completeOnTimeout(true, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** What one node tells a session. */
    private final class Events implements StoreEvents {
        private final String label;
        private final String sessionId;

        Events(String label, String sessionId) {
            this.label = label;
            this.sessionId = sessionId;
        }

        @Override
        public void granted(Grant grant) {
            onGrant.accept(label, grant);
        }

        @Override
        public void revokeAsked(Revocation revocation) {
            book.revokeAsked(revocation);
        }

        @Override
        public void sessionLost(String id) {
            lost(label, sessionId);
        }

        @Override
        public void resync() {
            book.resync(sessionId);
        }
    }
}
