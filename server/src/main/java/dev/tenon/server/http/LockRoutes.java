package dev.tenon.server.http;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.server.locks.AcquireAnswer;
import dev.tenon.server.locks.LockDesk;
import dev.tenon.server.locks.LockDesk.Asked;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /v1/locks}. */
final class LockRoutes {
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1000;

    private final LockDesk desk;
    private final LockStore store;
    private final Duration leastLease;
    private final Supplier<String> randomId;

    LockRoutes(LockDesk desk, LockStore store, Supplier<String> randomId) {
        this.desk = desk;
        this.store = store;
        this.leastLease = store.traits().leastLease();
        this.randomId = randomId;
    }

    /** Body of an acquire. */
    record AcquireBody(
            @Nullable String session,
            @Nullable String mode,
            @JsonProperty("wait") @Nullable String waitTime,
            @Nullable String lease,
            @Nullable String requestId) {}

    /** Body of a release. */
    record ReleaseBody(@Nullable String session, @Nullable Long token) {}

    /** Body of a renew. */
    record RenewBody(
            @Nullable String session,
            @Nullable Long token,
            @Nullable String lease) {}

    /** A lock that is held, to its holder. */
    record HeldDocument(
            String name, long token, String lease, @Nullable String requestId) {}

    /** A lock, to whoever looks. */
    record LockDocument(String name, boolean held, @Nullable HolderDocument holder, List<WaiterDocument> queue) {}

    /** Who holds. */
    record HolderDocument(String session, String owner, long token, String since, String leaseLeft) {}

    /** Who waits. */
    record WaiterDocument(String session, String owner, String since, String waitLeft) {}

    /** A page of locks. */
    record PageDocument(List<LockDocument> locks, @Nullable String next) {}

    List<Route> routes() {
        return List.of(
                Route.read("/v1/locks", this::list),
                Route.read("/v1/locks/{}", this::show),
                Route.of("DELETE", "/v1/locks/{}", this::evict),
                Route.read("/v1/locks/{}/validate", this::validate),
                Route.of("POST", "/v1/locks/{}/acquire", this::acquire),
                Route.of("POST", "/v1/locks/{}/renew", this::renew),
                Route.of("POST", "/v1/locks/{}/release", this::release));
    }

    private Future<Reply> acquire(Exchange x) {
        x.query();
        String name = x.name("lock name");
        AcquireBody body = x.read(AcquireBody.class);
        String session = Exchange.checkedName("session ID", required("session", body.session()));
        if (body.mode() != null && !body.mode().equals("exclusive")) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"mode\" must be \"exclusive\", not \"" + Texts.shortened(body.mode()) + "\".");
        }
        Duration wait = Iso.duration("wait", body.waitTime()).orElse(Duration.ZERO);
        if (wait.isNegative() || wait.compareTo(Acquire.WAIT_MAX) > 0) {
            throw new ProblemException(
                    ProblemType.BAD_DURATION,
                    "\"wait\" must be between PT0S and " + Acquire.WAIT_MAX + ", not " + body.waitTime() + ".");
        }
        String requestId =
                body.requestId() == null ? randomId.get() : Exchange.checkedName("requestId", body.requestId());
        Acquire request = new Acquire(name, session, requestId, desk.ownerOf(session), lease(body.lease()), wait);
        Asked asked = desk.acquire(request);
        x.clientGone().onComplete(v -> asked.abandon().run());
        return Future.fromCompletionStage(asked.answer()).map(answer -> answered(x, request, answer));
    }

    private Reply answered(Exchange x, Acquire request, AcquireAnswer answer) {
        if (answer instanceof AcquireAnswer.Held held) {
            if (x.clientGone().isComplete()) {
                desk.release(request.sessionId(), new Release(request.name(), held.token())); // nobody will hear of it
            }
            return Reply.ok(
                    new HeldDocument(request.name(), held.token(), held.lease().toString(), request.requestId()));
        }
        if (answer instanceof AcquireAnswer.SessionGone) {
            throw SessionRoutes.unknown(request.sessionId());
        }
        if (answer instanceof AcquireAnswer.Stopping) {
            throw new ProblemException(
                    ProblemType.STOPPING,
                    "The server stops; the request keeps its place. Ask again, with requestId \"" + request.requestId()
                            + "\", when it is back.");
        }
        throw refused(request, ((AcquireAnswer.Refused) answer).holder());
    }

    private static ProblemException refused(Acquire request, Optional<AcquireAnswer.HeldBy> holder) {
        Map<String, Object> members = new LinkedHashMap<>();
        holder.ifPresent(h -> members.put(
                "holder", Map.of("owner", h.owner(), "leaseLeft", h.leaseLeft().toString())));
        String who = holder.map(
                        h -> "It is held by " + h.owner() + ", for another " + h.leaseLeft() + " unless renewed.")
                .orElse("It was taken by others all the while.");
        String advice = request.mayWait() ? "Wait longer, or try again later." : "To queue for it, set \"wait\".";
        return new ProblemException(ProblemType.LOCK_NOT_ACQUIRED, who + " " + advice, members);
    }

    private Future<Reply> renew(Exchange x) {
        x.query();
        String name = x.name("lock name");
        RenewBody body = x.read(RenewBody.class);
        String session = Exchange.checkedName("session ID", required("session", body.session()));
        long token = required("token", body.token());
        return Future.fromCompletionStage(desk.renew(session, new Renew(name, token, lease(body.lease()))))
                .map(extended ->
                        Reply.ok(new HeldDocument(name, token, extended.lease().toString(), null)));
    }

    private Future<Reply> release(Exchange x) {
        x.query();
        String name = x.name("lock name");
        ReleaseBody body = x.read(ReleaseBody.class);
        String session = Exchange.checkedName("session ID", required("session", body.session()));
        long token = required("token", body.token());
        return Future.fromCompletionStage(desk.release(session, new Release(name, token)))
                .map(released -> Reply.ok(Map.of("released", released.name())));
    }

    private Future<Reply> show(Exchange x) {
        x.query();
        String name = x.name("lock name");
        return Future.fromCompletionStage(store.inspect(name))
                .map(view -> Reply.ok(
                        view.map(LockRoutes::document).orElse(new LockDocument(name, false, null, List.of()))));
    }

    private Future<Reply> list(Exchange x) {
        Map<String, String> query = x.query("prefix", "after", "limit");
        long limit = Exchange.number(query, "limit").orElse((long) PAGE);
        if (limit < 1 || limit > PAGE_MAX) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST, "\"limit\" must be between 1 and " + PAGE_MAX + ", not " + limit + ".");
        }
        String prefix = optionalName("prefix", query);
        String after = optionalName("after", query);
        return Future.fromCompletionStage(store.list(prefix, after, (int) limit))
                .map(page -> Reply.ok(new PageDocument(
                        page.locks().stream().map(LockRoutes::document).toList(),
                        page.next().orElse(null))));
    }

    private Future<Reply> validate(Exchange x) {
        String name = x.name("lock name");
        long token = Exchange.number(x.query("token"), "token")
                .orElseThrow(() -> new ProblemException(
                        ProblemType.BAD_REQUEST, "Give the token to be checked: /validate?token=…"));
        return Future.fromCompletionStage(store.inspect(name))
                .map(view -> Reply.ok(
                        Map.of("valid", view.map(v -> v.isHeldUnder(token)).orElse(false))));
    }

    private Future<Reply> evict(Exchange x) {
        String name = x.name("lock name");
        Map<String, String> query = x.query("reason", "token");
        String reason = Exchange.checkedName("reason", query.getOrDefault("reason", ""));
        Optional<Long> token = Exchange.number(query, "token");
        return Future.fromCompletionStage(desk.evict(name, token, reason)).map(evicted -> {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", name);
            document.put("owner", evicted.owner());
            document.put("token", evicted.token());
            document.put("floor", evicted.floor());
            return Reply.ok(document);
        });
    }

    private Optional<Duration> lease(@Nullable String text) {
        Optional<Duration> lease = Iso.positive("lease", text, Acquire.LEASE_MAX);
        if (lease.isPresent() && lease.get().compareTo(leastLease) < 0) {
            throw new ProblemException(
                    ProblemType.BAD_DURATION, "\"lease\" must be at least " + leastLease + ", not " + text + ".");
        }
        return lease;
    }

    private static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw new ProblemException(ProblemType.BAD_REQUEST, "The field \"" + field + "\" is missing.");
        }
        return value;
    }

    private static String optionalName(String parameter, Map<String, String> query) {
        String value = query.getOrDefault(parameter, "");
        return value.isEmpty() ? value : Exchange.checkedName(parameter, value);
    }

    private static LockDocument document(LockView view) {
        @Nullable
        HolderDocument holder = view.holder()
                .map(h -> new HolderDocument(
                        h.sessionId(),
                        h.owner(),
                        h.token(),
                        h.since().toString(),
                        h.leaseLeft().toString()))
                .orElse(null);
        List<WaiterDocument> queue = view.queue().stream()
                .map(w -> new WaiterDocument(
                        w.sessionId(),
                        w.owner(),
                        w.since().toString(),
                        w.waitLeft().toString()))
                .toList();
        return new LockDocument(view.name(), holder != null, holder, queue);
    }
}
