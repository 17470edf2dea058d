package dev.tenon.server.grpc;

import dev.tenon.grpc.LockMessages;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseResponse;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.protocol.RenewResponse;
import dev.tenon.server.access.Caller;
import dev.tenon.server.locks.TokenOwners;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Lets a caller give back, renew and convert what its own sessions hold, and nothing else: a token is no secret, as
 * everybody who may look sees it. Whose a token is, is known of what was granted here; else the store is asked, once
 * for each hold. Thread-safe.
 */
final class OwnHolds {
    /** How many questions of one call are under way at a time. */
    private static final int LOOKS_AT_ONCE = 64;

    private final TokenOwners owners = new TokenOwners();
    private final LockStore store;

    OwnHolds(LockStore store) {
        this.store = store;
    }

    /**
     * A hold, as somebody names it.
     *
     * @param session that is said to hold it, by its caller's own name; empty: any of the caller's
     */
    private record Named(String name, long token, String session) {}

    /** What was asked of holds: how the store is asked, and what the answer is for one that is not the caller's. */
    private record Act<T, A>(Function<List<T>, CompletionStage<List<A>>> store, A refused) {}

    /** An acquire was answered. */
    void answered(Acquire request, Outcome outcome) {
        if (outcome instanceof Outcome.Granted granted) {
            owners.remember(request.name(), granted.token(), request.sessionId());
        }
    }

    /** A receiver of events that notes grants on their way. */
    StoreEvents noting(StoreEvents receiver) {
        return new StoreEvents() {
            @Override
            public void granted(Grant grant) {
                owners.remember(grant.name(), grant.token(), grant.sessionId());
                receiver.granted(grant);
            }

            @Override
            public void revokeAsked(Revocation revocation) {
                receiver.revokeAsked(revocation);
            }

            @Override
            public void sessionLost(String sessionId) {
                receiver.sessionLost(sessionId);
            }

            @Override
            public void sessionClosed(String sessionId) {
                receiver.sessionClosed(sessionId);
            }

            @Override
            public void resync() {
                receiver.resync();
            }
        };
    }

    /** Gives back those that are the caller's; the others are not held, as far as it is concerned. */
    CompletionStage<ReleaseResponse> release(ReleaseRequest request, Caller who) {
        List<Named> named = request.getReleasesList().stream()
                .map(one -> new Named(one.getName(), one.getToken(), one.getSessionId()))
                .toList();
        return own(named, LockMessages.releases(request), new Act<>(store::release, Released.NOT_HELD), who)
                .thenApply(answers -> {
                    for (int i = 0; i < answers.size(); i++) {
                        if (answers.get(i) != Released.NOT_HELD) {
                            owners.forget(named.get(i).name(), named.get(i).token());
                        }
                    }
                    return LockMessages.released(answers);
                });
    }

    /** Renews those that are the caller's; the others are not held, as far as it is concerned. */
    CompletionStage<RenewResponse> renew(RenewRequest request, Caller who) {
        List<Named> named = request.getRenewalsList().stream()
                .map(one -> new Named(one.getName(), one.getToken(), one.getSessionId()))
                .toList();
        return own(
                        named,
                        LockMessages.renewals(request),
                        new Act<Renew, Renewed>(store::renew, new Renewed.NotHeld()),
                        who)
                .thenApply(LockMessages::renewed);
    }

    /**
     * Whether nothing of these would replace a hold of another session; whose a token is never changes, so that looking
     * first is enough.
     */
    CompletionStage<Boolean> mayConvert(List<Acquire> requests) {
        List<Acquire> converting =
                requests.stream().filter(r -> r.terms().converts().isPresent()).toList();
        List<CompletableFuture<Boolean>> looks = converting.stream()
                .map(r -> sessionOf(r.name(), r.terms().converts().orElseThrow())
                        .thenApply(holder -> holder.map(r.sessionId()::equals).orElse(true))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new))
                .thenApply(v -> looks.stream().allMatch(CompletableFuture::join));
    }

    /** Asks the store for what is the caller's own; the answers are in the order of the requests. */
    private <T, A> CompletionStage<List<A>> own(List<Named> named, List<T> requests, Act<T, A> act, Caller who) {
        List<Integer> own = Collections.synchronizedList(new ArrayList<>());
        return look(named, 0, who, own::add).thenCompose(v -> {
            if (own.isEmpty()) {
                return CompletableFuture.completedStage(Collections.nCopies(requests.size(), act.refused()));
            }
            List<Integer> allowed = own.stream().sorted().toList();
            return act.store()
                    .apply(allowed.stream().map(requests::get).toList())
                    .thenApply(answers -> {
                        List<A> all = new ArrayList<>(Collections.nCopies(requests.size(), act.refused()));
                        for (int i = 0; i < allowed.size(); i++) {
                            all.set(allowed.get(i), answers.get(i));
                        }
                        return all;
                    });
        });
    }

    private CompletionStage<Void> look(List<Named> named, int from, Caller who, Consumer<Integer> own) {
        List<CompletableFuture<Void>> asked = new ArrayList<>();
        int i = from;
        for (; i < named.size() && asked.size() < LOOKS_AT_ONCE; i++) {
            int index = i;
            CompletableFuture<Boolean> mine = isOwn(named.get(i), who).toCompletableFuture();
            CompletableFuture<Void> noted = mine.thenAccept(yes -> {
                if (yes) {
                    own.accept(index);
                }
            });
            if (!noted.isDone() || noted.isCompletedExceptionally()) {
                asked.add(noted);
            }
        }
        int next = i;
        CompletableFuture<Void> some = CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new));
        return next == named.size() ? some : some.thenCompose(v -> look(named, next, who, own));
    }

    private CompletionStage<Boolean> isOwn(Named hold, Caller who) {
        if (who.keyId().isEmpty() && hold.session().isEmpty()) {
            return CompletableFuture.completedStage(true); // nobody is told apart
        }
        return sessionOf(hold.name(), hold.token())
                .thenApply(holder -> holder.filter(who::owns)
                        .filter(h -> hold.session().isEmpty() || h.equals(who.own(hold.session())))
                        .isPresent());
    }

    /** Who holds under a token; empty: nobody does. */
    private CompletionStage<Optional<String>> sessionOf(String name, long token) {
        Optional<String> known = owners.sessionOf(name, token);
        if (known.isPresent()) {
            return CompletableFuture.completedStage(known);
        }
        return store.inspect(name).thenApply(view -> {
            Optional<String> holder = view.stream()
                    .flatMap(v -> v.holders().stream())
                    .filter(h -> h.token() == token)
                    .map(h -> h.sessionId())
                    .findFirst();
            holder.ifPresent(session -> owners.remember(name, token, session));
            return holder;
        });
    }
}
