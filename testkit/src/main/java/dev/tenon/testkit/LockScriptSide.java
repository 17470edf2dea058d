package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One of the two processes of a script: the store as it has it, its present session, and what that was told. */
final class LockScriptSide implements StoreEvents {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LockScriptCalls calls;
    private final Map<String, CompletableFuture<Grant>> grants = new ConcurrentHashMap<>();
    private volatile String wrong = "";
    private String sessionId = "";
    private CompletionStage<Session> opened = CompletableFuture.completedFuture(new Session("none", Duration.ZERO));

    LockScriptSide(LockScriptCalls calls) {
        this.calls = calls;
    }

    LockStore store() {
        return calls.store();
    }

    LockScriptCalls calls() {
        return calls;
    }

    String sessionId() {
        return sessionId;
    }

    /** Begins to open another session. */
    SessionSpec begin() {
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "script", Duration.ofHours(1));
        sessionId = spec.id();
        opened = store().open(spec, this);
        return spec;
    }

    void awaitOpen() {
        assertThat(join(opened).id()).isEqualTo(sessionId);
    }

    CompletionStage<Void> end() {
        return store().closeSession(sessionId);
    }

    Grant awaitGrantOf(String requestId) {
        return join(of(requestId));
    }

    /** How many requests were granted by a push; fails if one was granted twice, with another token. */
    long grantsTold() {
        assertThat(wrong).isEmpty();
        return grants.values().stream().filter(CompletableFuture::isDone).count();
    }

    @Override
    public void granted(Grant grant) {
        CompletableFuture<Grant> known = of(grant.requestId());
        if (!known.complete(grant) && known.join().token() != grant.token()) { // one may be told more than once
            wrong = known.join() + " was told, and then " + grant;
        }
    }

    @Override
    public void revokeAsked(Revocation revocation) {}

    @Override
    public void sessionLost(String lost) {
        wrong = "session " + lost + " is lost";
    }

    @Override
    public void sessionClosed(String closed) {
        // by this script
    }

    @Override
    public void resync() {}

    private CompletableFuture<Grant> of(String requestId) {
        return grants.computeIfAbsent(requestId, any -> new CompletableFuture<>());
    }

    static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("no answer: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for an answer", e);
        }
    }
}
