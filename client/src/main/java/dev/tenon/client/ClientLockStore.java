package dev.tenon.client;

import dev.tenon.Names;
import dev.tenon.grpc.LockMessages;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.protocol.AcquireAllRequest;
import dev.tenon.protocol.CloseSessionRequest;
import dev.tenon.protocol.EvictLockRequest;
import dev.tenon.protocol.InspectLockRequest;
import dev.tenon.protocol.KeepAliveRequest;
import dev.tenon.protocol.KeepAliveResponse;
import dev.tenon.protocol.ListLocksRequest;
import dev.tenon.protocol.RevokeLockRequest;
import dev.tenon.protocol.RevokeLockResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@link MultiLockStore} of a server. Stages complete on the thread of the connection. */
final class ClientLockStore implements MultiLockStore {
    private static final int PAGE_MAX = 1000;

    private final ClientLink link;
    private final ClientEvents events;
    private final HoldSessions holders = new HoldSessions();
    private final Waiters waiters;
    private final StoreTraits traits;

    ClientLockStore(ClientLink link, StoreTraits traits) {
        this.link = link;
        this.events = new ClientEvents(link);
        this.waiters = new Waiters(link::nanoTime);
        this.traits = traits;
        link.silence().whenListening(waiters::any);
    }

    private Outcome noted(Acquire request, Outcome outcome) {
        if (link.servers() > 1) {
            waiters.noted(request, outcome);
        }
        link.silence().lookSoon();
        return holders.noted(request, outcome);
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public CompletionStage<Session> open(SessionSpec spec, StoreEvents receiver) {
        return events.open(spec, waiters.noting(holders.noting(receiver)));
    }

    @Override
    public CompletionStage<Boolean> keepAlive(String sessionId) {
        KeepAliveRequest request =
                KeepAliveRequest.newBuilder().setSessionId(sessionId).build();
        return link.call(ClientMethods.KEEP_ALIVE, request).thenApply(KeepAliveResponse::getAlive);
    }

    @Override
    public CompletionStage<Void> closeSession(String sessionId) {
        CloseSessionRequest request =
                CloseSessionRequest.newBuilder().setSessionId(sessionId).build();
        return link.call(ClientMethods.CLOSE_SESSION, request).thenAccept(closed -> {
            events.forget(sessionId);
            waiters.sessionOver(sessionId);
        });
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquire request) {
        return link.call(ClientMethods.ACQUIRE, LockMessages.message(request))
                .thenApply(answer -> noted(request, LockMessages.outcome(answer)));
    }

    @Override
    public CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests) {
        AcquireAllRequest message = AcquireAllRequest.newBuilder()
                .addAllRequests(MultiLockStore.requireTogether(requests).stream()
                        .map(LockMessages::message)
                        .toList())
                .build();
        return link.call(ClientMethods.ACQUIRE_ALL, message).thenApply(answer -> {
            List<Outcome> outcomes =
                    answer.getOutcomesList().stream().map(LockMessages::outcome).toList();
            for (int i = 0; i < outcomes.size() && outcomes.size() == requests.size(); i++) {
                noted(requests.get(i), outcomes.get(i));
            }
            return outcomes;
        });
    }

    @Override
    public CompletionStage<List<Released>> release(List<Release> releases) {
        return link.call(ClientMethods.RELEASE, LockMessages.releases(releases, holders::of))
                .thenApply(answer -> {
                    releases.forEach(one -> holders.forget(one.name(), one.token()));
                    return LockMessages.released(answer);
                });
    }

    @Override
    public CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        return link.call(ClientMethods.RENEW, LockMessages.renewals(renewals, holders::of))
                .thenApply(LockMessages::renewed);
    }

    @Override
    public CompletionStage<Cancelled> cancel(Cancel request) {
        waiters.over(request.requestId());
        return link.call(ClientMethods.CANCEL, LockMessages.message(request)).thenApply(LockMessages::cancelled);
    }

    @Override
    public CompletionStage<Optional<LockView>> inspect(String name) {
        InspectLockRequest request =
                InspectLockRequest.newBuilder().setName(checked(name)).build();
        return link.call(ClientMethods.INSPECT, request)
                .thenApply(answer ->
                        answer.hasLock() ? Optional.of(LockMessages.view(answer.getLock())) : Optional.empty());
    }

    @Override
    public CompletionStage<LockPage> list(String prefix, String after, int limit) {
        if (limit < 1 || limit > PAGE_MAX) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("Limit must be between 1 and " + PAGE_MAX + ": " + limit));
        }
        ListLocksRequest request = ListLocksRequest.newBuilder()
                .setPrefix(prefix)
                .setAfter(after)
                .setLimit(limit)
                .build();
        return link.call(ClientMethods.LIST, request)
                .thenApply(page -> new LockPage(
                        page.getLocksList().stream().map(LockMessages::view).toList(),
                        page.hasNext() ? Optional.of(page.getNext()) : Optional.empty()));
    }

    @Override
    public CompletionStage<Optional<Long>> evict(String name, long expectedToken, String reason) {
        EvictLockRequest request = EvictLockRequest.newBuilder()
                .setName(checked(name))
                .setExpectedToken(expectedToken)
                .setReason(reason)
                .build();
        return link.call(ClientMethods.EVICT, request)
                .thenApply(answer -> answer.hasFloor() ? Optional.of(answer.getFloor()) : Optional.empty());
    }

    @Override
    public CompletionStage<Integer> revoke(String name, String by) {
        RevokeLockRequest request =
                RevokeLockRequest.newBuilder().setName(checked(name)).setBy(by).build();
        return link.call(ClientMethods.REVOKE, request).thenApply(RevokeLockResponse::getHolders);
    }

    @Override
    public void close() {
        CompletableFuture.allOf(events.open().stream()
                        .map(id -> closeSession(id).toCompletableFuture().exceptionally(failure -> null))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    private static String checked(String name) {
        return Names.requireValid("lock name", name);
    }
}
