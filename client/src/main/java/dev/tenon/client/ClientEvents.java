package dev.tenon.client;

import dev.tenon.BackendUnavailableException;
import dev.tenon.grpc.LockMessages;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionEnd;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.OpenSessionResponse;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that are open here, and the one push stream for all of them, which is always at the server in use. When
 * it breaks, another is opened there; the sessions are resumed on it, and each is told to ask again for what it waits
 * for, or that it is lost. Thread-safe.
 */
final class ClientEvents {
    private static final Duration PAUSE_MIN = Duration.ofMillis(10);
    private static final Duration PAUSE_MAX = Duration.ofMillis(500);

    private final Map<String, Opened> sessions = new ConcurrentHashMap<>();
    /** Guards what follows, and the states of the sessions; nothing is called that may block. */
    private final ReentrantLock guard = new ReentrantLock();

    private final ClientLink link;
    private @Nullable ClientStream stream;
    private Duration pause = PAUSE_MIN;

    /** A session, and whom to tell of it. */
    private static final class Opened {
        private final SessionSpec spec;
        private final StoreEvents receiver;
        /** The server has opened it. */
        private boolean open;
        /** It is being resumed. */
        private boolean resuming;

        Opened(SessionSpec spec, StoreEvents receiver) {
            this.spec = spec;
            this.receiver = receiver;
        }
    }

    ClientEvents(ClientLink link) {
        this.link = link;
        link.whenLeft(this::left);
    }

    /** Opens a session, or has the events of one sent to another receiver. */
    CompletableFuture<Session> open(SessionSpec spec, StoreEvents receiver) {
        Opened opened = new Opened(spec, receiver);
        sessions.put(spec.id(), opened);
        CompletableFuture<Session> result = new CompletableFuture<>();
        attach(opened, false, link.deadline()).whenComplete((attached, failure) -> {
            if (failure != null) {
                sessions.remove(spec.id(), opened);
                result.completeExceptionally(failure);
                return;
            }
            if (withGuard(() -> {
                opened.open = true;
                return stream != attached.stream;
            })) {
                resume(opened);
            }
            result.complete(new Session(spec.id(), TimeMessages.duration(attached.answer.getTtl())));
        });
        return result;
    }

    /** Forgets a session: nothing is told of it any more. */
    void forget(String sessionId) {
        sessions.remove(sessionId);
        if (sessions.isEmpty()) {
            ClientStream unused = withGuard(() -> sessions.isEmpty() ? stream : null);
            if (unused != null) {
                unused.cancel("nobody listens");
            }
        }
    }

    /** Those that are open. */
    Set<String> open() {
        return Set.copyOf(sessions.keySet());
    }

    /** The answer to an attachment, and the stream that it was for. */
    private record Attached(ClientStream stream, OpenSessionResponse answer) {}

    private CompletableFuture<Attached> attach(Opened opened, boolean resume, Deadline deadline) {
        CompletableFuture<Attached> result = new CompletableFuture<>();
        attach(opened, resume, deadline, result);
        return result;
    }

    private void attach(Opened opened, boolean resume, Deadline deadline, CompletableFuture<Attached> result) {
        if (link.isClosed()) {
            result.completeExceptionally(new BackendUnavailableException("The client is closed"));
            return;
        }
        ClientStream current = stream();
        long left = Math.max(1, deadline.timeRemaining(TimeUnit.MILLISECONDS));
        current.id().copy().orTimeout(left, TimeUnit.MILLISECONDS).whenComplete((id, broken) -> {
            if (broken != null) {
                again(
                        opened,
                        resume,
                        deadline,
                        result,
                        new BackendUnavailableException(
                                "There is no stream of events from " + link.address(current.server()), broken));
                return;
            }
            OpenSessionRequest request = OpenSessionRequest.newBuilder()
                    .setSessionId(opened.spec.id())
                    .setOwner(opened.spec.owner())
                    .setTtl(TimeMessages.message(opened.spec.ttl()))
                    .setStream(id)
                    .setResume(resume)
                    .build();
            link.call(ClientMethods.OPEN_SESSION, request).whenComplete((answer, failure) -> {
                if (failure == null) {
                    result.complete(new Attached(current, answer));
                } else if (isCurrent(current)) {
                    result.completeExceptionally(failure);
                } else {
                    again(opened, resume, deadline, result, failure); // another server, which knows no such stream
                }
            });
        });
    }

    private void again(
            Opened opened, boolean resume, Deadline deadline, CompletableFuture<Attached> result, Throwable failure) {
        if (link.isClosed() || deadline.timeRemaining(TimeUnit.NANOSECONDS) <= PAUSE_MIN.toNanos()) {
            result.completeExceptionally(failure);
        } else {
            link.later(PAUSE_MIN, () -> attach(opened, resume, deadline, result));
        }
    }

    /**
     * Has an open session told of on the stream that there is now; goes on until that is done or the session is gone.
     */
    private void resume(Opened opened) {
        if (withGuard(() -> {
            boolean begun = opened.resuming;
            opened.resuming = true;
            return begun;
        })) {
            return;
        }
        attach(opened, true, link.deadline()).whenComplete((attached, failure) -> {
            boolean behind = withGuard(() -> {
                opened.resuming = false;
                return failure != null || stream != attached.stream;
            });
            String id = opened.spec.id();
            if (sessions.get(id) != opened || link.isClosed()) {
                return;
            }
            if (failure == null && !attached.answer.getOpen()) {
                sessions.remove(id, opened);
                opened.receiver.sessionLost(id);
            } else if (behind) {
                link.later(failure == null ? PAUSE_MIN : PAUSE_MAX, () -> resume(opened));
            } else {
                opened.receiver.resync();
            }
        });
    }

    /** The stream, which is opened if there is none. */
    private ClientStream stream() {
        ClientStream[] fresh = new ClientStream[1];
        ClientStream current = withGuard(() -> {
            ClientStream known = stream;
            if (known == null) {
                known = new ClientStream(link, link.inUse(), this::heard, this::ended);
                fresh[0] = known;
                stream = known;
            }
            return known;
        });
        if (fresh[0] != null) {
            fresh[0].start();
        }
        return current;
    }

    private boolean isCurrent(ClientStream asked) {
        return withGuard(() -> stream == asked);
    }

    private void heard(ClientStream from, LockStoreEvent event) {
        link.silence().heard(from.server());
        switch (event.getEventCase()) {
            case CONNECTED -> connected(from, event.getConnected().getStream());
            case GRANTED ->
                tell(event.getGranted().getSessionId(), r -> r.granted(LockMessages.grant(event.getGranted())));
            case REVOKE_ASKED ->
                tell(
                        event.getRevokeAsked().getSessionId(),
                        r -> r.revokeAsked(LockMessages.revocation(event.getRevokeAsked())));
            case SESSION_LOST -> {
                SessionEnd end = new SessionEnd(
                        event.getSessionLost().getSessionId(),
                        event.getSessionLost().getClosed());
                Optional.ofNullable(sessions.remove(end.sessionId())).ifPresent(o -> end.tell(o.receiver));
            }
            case RESYNC -> List.copyOf(sessions.values()).forEach(o -> o.receiver.resync());
            case EVENT_NOT_SET -> {} // of a newer server: what is missed, the answer to the next question tells
        }
    }

    private void connected(ClientStream from, String id) {
        List<Opened> toResume = withGuard(() -> {
            pause = PAUSE_MIN;
            return sessions.values().stream().filter(o -> o.open).toList();
        });
        from.id().complete(id);
        toResume.forEach(this::resume);
    }

    private void tell(String sessionId, Consumer<StoreEvents> message) {
        Opened opened = sessions.get(sessionId);
        if (opened != null) {
            message.accept(opened.receiver);
        }
    }

    private void ended(ClientStream which) {
        Duration next = withGuard(() -> {
            if (stream == which) {
                stream = null;
            }
            Duration now = pause;
            pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause.multipliedBy(2);
            return now;
        });
        if (!link.isClosed()) {
            link.later(next, this::runOnce);
        }
    }

    /** Opens a stream again if somebody needs it. */
    private void runOnce() {
        if (!sessions.isEmpty() && !link.isClosed()) {
            stream();
        }
    }

    private void left(int server) {
        ClientStream there = withGuard(() -> stream);
        if (there != null && there.server() == server) {
            there.cancel("the client uses another connection");
        }
    }

    private <T extends @Nullable Object> T withGuard(Supplier<T> work) {
        guard.lock();
        try {
            return work.get();
        } finally {
            guard.unlock();
        }
    }
}
