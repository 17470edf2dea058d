package dev.tenon.server.locks;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Whose a token is, and why a session may not act under it. Thread-safe. */
record Ownership(LockStore store, TokenOwners tokens, SessionIds ids) {
    /** Whether a session may act under a token, as far as that can be told without acting. */
    CompletionStage<Boolean> allows(String sessionId, String name, long token) {
        Optional<String> known = tokens.sessionOf(name, token);
        if (known.isPresent()) {
            return CompletableFuture.completedStage(known.get().equals(sessionId));
        }
        return store.inspect(name)
                .thenApply(view -> view.stream()
                        .flatMap(v -> v.holders().stream())
                        .anyMatch(h -> h.token() == token && h.sessionId().equals(sessionId)));
    }

    /** Fails always: with the reason. */
    <T> CompletionStage<T> refused(String sessionId, String name, long token) {
        return store.keepAlive(sessionId)
                .thenCombine(store.inspect(name), (alive, view) -> {
                    if (!alive) {
                        return ids.unknown(sessionId);
                    }
                    String holder = view.flatMap(v -> v.holder())
                            .map(h -> "it is held by " + h.owner() + " under token " + h.token())
                            .orElse("it is not held");
                    return new ProblemException(
                            ProblemType.LOCK_NOT_HELD,
                            "The lock is not held by this session under token " + token + "; " + holder
                                    + ". Stop acting under that token.");
                })
                .thenCompose(CompletableFuture::failedStage);
    }
}
