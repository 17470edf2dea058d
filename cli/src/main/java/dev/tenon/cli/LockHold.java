package dev.tenon.cli;

import dev.tenon.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One lock in a session of its own, from the client's side: opened, waited for, kept alive, given back. The lock lives
 * as long as the session; the session lives {@code ttl} from the moment at which the last successful keep-alive was
 * <em>sent</em>, which is earlier than the server counts. Thread-safe.
 */
final class LockHold implements AutoCloseable {
    private static final int OWNER_MAX = 200;
    private static final Duration WAIT_MAX = Duration.ofDays(1);
    private static final Duration SPARE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final ServerClient client;
    private final TimeSource time;
    private final String path;
    private final Duration ttl;
    private final String owner;
    private final Map<String, Object> mode;
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private final CompletableFuture<String> revokeAsked = new CompletableFuture<>();
    private volatile @Nullable String session;
    private volatile @Nullable Long token;
    private volatile long aliveNanos;

    /**
     * @param mode the fields of an acquire that say how the lock is to be held; none: exclusively
     */
    LockHold(ServerClient client, TimeSource time, String name, Duration ttl, Map<String, Object> mode) {
        this.client = client;
        this.time = time;
        this.path = "/v1/locks/" + ServerClient.segment(name);
        this.ttl = ttl;
        this.mode = Map.copyOf(mode);
        this.owner = owner();
    }

    /** Opens the session. */
    void open() {
        long sentNanos = time.nanoTime();
        JsonNode opened =
                client.send("POST", "/v1/sessions", Map.of("ttl", ttl.toString(), "owner", owner), callTimeout());
        aliveNanos = sentNanos;
        session = opened.path("id").asString();
    }

    /**
     * Waits for the lock. A server that stops or restarts meanwhile is asked again, under the same request ID.
     *
     * @param wait how long at most; empty: for ever
     * @return the fencing token; empty if it was not acquired in time
     */
    Optional<Long> acquire(Optional<Duration> wait) {
        long startNanos = time.nanoTime();
        String requestId = UUID.randomUUID().toString();
        while (true) {
            Duration left =
                    wait.map(w -> w.minusNanos(time.nanoTime() - startNanos)).orElse(WAIT_MAX);
            boolean last = left.isNegative();
            try {
                long granted = ask(requestId, last ? Duration.ZERO : left);
                token = granted;
                return Optional.of(granted);
            } catch (RefusedException e) {
                if (e.is("lock-not-acquired") && wait.isPresent()) {
                    return Optional.empty();
                }
                if (e.is("unknown-session") || e.is("session-of-another-server")) {
                    open(); // it ended while the server was away; the place in the queue went with it
                } else if (e.status() != 503 && e.status() != 504 && !e.is("lock-not-acquired") || last) {
                    throw e;
                }
            } catch (UnreachableException e) {
                if (last || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
            time.park(PAUSE);
        }
    }

    private long ask(String requestId, Duration wait) {
        Map<String, Object> body = new LinkedHashMap<>(mode);
        body.put("session", String.valueOf(session));
        body.put("requestId", requestId);
        body.put("wait", (wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait).toString());
        return client.send("POST", path + "/acquire", body, wait.plus(SPARE))
                .path("token")
                .asLong();
    }

    /**
     * Keeps the session alive, and looks whether the lock is still this one's. To be called well within each {@link
     * #period()}; a failed call is made up for by the next one, until {@link #left()} is over.
     */
    void runOnce() {
        String id = session;
        if (id == null || lost.isDone()) {
            return;
        }
        long sentNanos = time.nanoTime();
        try {
            client.send("POST", "/v1/sessions/" + id + "/keepalive", Map.of(), callTimeout());
            Long held = token;
            if (held != null) {
                String by = client.send("POST", path + "/renew", Map.of("session", id, "token", held), callTimeout())
                        .path("revokedBy")
                        .asString("");
                if (!by.isEmpty()) {
                    revokeAsked.complete(by);
                }
            }
            aliveNanos = sentNanos;
        } catch (RefusedException e) {
            // While it still waits, the acquire finds out by itself and opens another session.
            if (token != null && (e.status() == 404 || e.status() == 409 || e.status() == 421)) {
                lost.complete(String.valueOf(e.getMessage()));
            }
        } catch (UnreachableException e) {
            // The lease goes on without the server; whoever waits for left() will see its end.
        }
    }

    /** How often to call {@link #runOnce}. */
    Duration period() {
        return ttl.dividedBy(4);
    }

    /** How long the lock is certain to be held, as far as this process can tell. */
    Duration left() {
        return ttl.minusNanos(time.nanoTime() - aliveNanos);
    }

    /** Completes, with the reason, when the server says that the lock is not held any more. */
    CompletableFuture<String> lost() {
        return lost;
    }

    /** Completes, with who it was, when the server says that somebody asks for the lock back. */
    CompletableFuture<String> revokeAsked() {
        return revokeAsked;
    }

    /** Gives the lock back; the session goes on. */
    void release() {
        Long held = token;
        token = null;
        if (held != null) {
            client.send(
                    "POST",
                    path + "/release",
                    Map.of("session", String.valueOf(session), "token", held),
                    callTimeout());
        }
    }

    /** Gives the lock back and ends the session. */
    @Override
    public void close() {
        String id = session;
        session = null;
        if (id == null) {
            return;
        }
        try {
            client.send("DELETE", "/v1/sessions/" + id, null, callTimeout());
        } catch (RefusedException | UnreachableException e) {
            // It ends by itself when its time is over.
        }
    }

    private Duration callTimeout() {
        Duration third = ttl.dividedBy(3);
        return third.compareTo(SPARE) < 0 ? third : SPARE;
    }

    /** What this process calls itself. */
    static String owner() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "localhost";
        }
        String text = System.getProperty("user.name", "somebody") + "@" + host + ", process "
                + ProcessHandle.current().pid();
        return text.length() > OWNER_MAX ? text.substring(text.length() - OWNER_MAX) : text;
    }
}
