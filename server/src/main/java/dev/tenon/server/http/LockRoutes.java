package dev.tenon.server.http;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.locks.AcquireAnswer;
import dev.tenon.server.locks.LockPages;
import dev.tenon.server.locks.LockService;
import dev.tenon.server.locks.LockService.PendingAcquire;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.service.Bulk;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /v1/locks}. */
final class LockRoutes {
    private static final int LOCK_BYTES = 2_000;
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1000;

    private final LockService service;
    private final LockStore store;
    private final LockPages pages;
    private final Bulk bulk = new Bulk(LOCK_BYTES);
    private final Audit audit;
    private final Duration leastLease;

    LockRoutes(LockService service, LockStore store, Audit audit) {
        this.service = service;
        this.pages = new LockPages(store);
        this.audit = audit;
        this.store = store;
        this.leastLease = store.traits().leastLease();
    }

    /** Body of an acquire. */
    record AcquireBody(
            @Nullable String session,
            @Nullable String mode,
            @Nullable Integer permits,
            @Nullable Integer max,
            @JsonProperty("wait") @Nullable String waitTime,
            @Nullable String lease,
            @Nullable String requestId,
            @Nullable Boolean fair,
            @Nullable String lockDelay,
            @Nullable Long converts) {}

    /** Body of a revoke. */
    record RevokeBody(@Nullable String by) {}

    /** Body of a release. */
    record ReleaseBody(@Nullable String session, @Nullable Long token) {}

    /** Body of a renew. */
    record RenewBody(
            @Nullable String session,
            @Nullable Long token,
            @Nullable String lease) {}

    /** A lock that is held, to its holder. */
    record HeldDocument(
            String name,
            long token,
            String lease,
            @Nullable String requestId,
            @Nullable String revokedBy) {}

    List<Route> routes() {
        return List.of(
                Route.read("/v1/locks", Need.read(Scope.LOCKS), this::list),
                Route.read("/v1/locks/{}", Need.read(Scope.LOCKS), this::show),
                Route.of("DELETE", "/v1/locks/{}", Need.admin(Scope.LOCKS), this::evict),
                Route.read("/v1/locks/{}/validate", Need.read(Scope.LOCKS), this::validate),
                Route.of("POST", "/v1/locks/{}/acquire", Need.use(Scope.LOCKS), this::acquire),
                Route.of("POST", "/v1/locks/{}/renew", Need.use(Scope.LOCKS), this::renew),
                Route.of("POST", "/v1/locks/{}/release", Need.use(Scope.LOCKS), this::release),
                Route.of("POST", "/v1/locks/{}/revoke", Need.use(Scope.LOCKS), this::revoke));
    }

    private Future<RouteResponse> acquire(Exchange x) {
        x.query();
        String name = x.name("lock name");
        AcquireBody body = x.read(AcquireBody.class);
        String session = session(x, body.session());
        Acquire.Terms terms = terms(body);
        Duration wait = Iso.duration("wait", body.waitTime()).orElse(Duration.ZERO);
        if (wait.isNegative() || wait.compareTo(Acquire.WAIT_MAX) > 0) {
            throw new ProblemException(
                    ProblemType.BAD_DURATION,
                    "\"wait\" must be between PT0S and " + Acquire.WAIT_MAX + ", not " + body.waitTime() + ".");
        }
        String requestId = body.requestId() == null
                ? UUID.randomUUID().toString()
                : Exchange.checkedName("requestId", x.who().own(body.requestId()));
        Acquire request =
                new Acquire(name, session, requestId, service.ownerOf(session), lease(body.lease()), wait, terms);
        boolean repeatable = body.requestId() != null;
        return terms.converts().isEmpty() ? acquire(x, request, repeatable) : convert(x, request, repeatable);
    }

    private Future<RouteResponse> acquire(Exchange x, Acquire request, boolean repeatable) {
        PendingAcquire asked = service.acquire(request, repeatable);
        x.clientGone().onComplete(v -> asked.abandon().run());
        return Future.fromCompletionStage(asked.answer()).map(answer -> {
            if (answer instanceof AcquireAnswer.Held held
                    && !asked.elsewhere()
                    && x.clientGone().isComplete()) {
                service.release(
                        request.sessionId(), new Release(request.name(), held.token())); // nobody will hear of it
            }
            return answered(x.who(), request, answer);
        });
    }

    /** A session converts what it holds itself; whose a token is never changes, so that looking first is enough. */
    private Future<RouteResponse> convert(Exchange x, Acquire request, boolean repeatable) {
        long token = request.terms().converts().orElseThrow();
        return Future.fromCompletionStage(store.inspect(request.name())).compose(view -> {
            boolean others = view.stream()
                    .flatMap(v -> v.holders().stream())
                    .anyMatch(h -> h.token() == token && !h.sessionId().equals(request.sessionId()));
            if (others) {
                throw nothingToConvert(request);
            }
            return acquire(x, request, repeatable);
        });
    }

    private static ProblemException nothingToConvert(Acquire request) {
        return new ProblemException(
                ProblemType.LOCK_NOT_HELD,
                "This session holds nothing under token "
                        + request.terms().converts().orElseThrow() + " that could be converted to mode \""
                        + LockDocuments.named(request.terms().mode()) + "\".");
    }

    private RouteResponse answered(Caller who, Acquire request, AcquireAnswer answer) {
        String requestId = who.namedByCaller(request.requestId());
        if (answer instanceof AcquireAnswer.Held held) {
            return RouteResponse.ok(
                    new HeldDocument(request.name(), held.token(), held.lease().toString(), requestId, null));
        }
        if (answer instanceof AcquireAnswer.SessionGone) {
            throw service.unknownSession(request.sessionId());
        }
        if (answer instanceof AcquireAnswer.Stopping) {
            throw new ProblemException(
                    ProblemType.STOPPING,
                    service.keepsPlaces()
                            ? "The server stops; the request keeps its place. Ask again, here or at another node, with requestId \""
                                    + requestId + "\", when it is back."
                            : "The server stops, and its sessions with it. Open a session at another server over the "
                                    + "same store, and ask there.");
        }
        Optional<AcquireAnswer.HeldBy> holder = ((AcquireAnswer.Refused) answer).holder();
        throw holder.isEmpty() && request.terms().converts().isPresent()
                ? nothingToConvert(request)
                : refused(request, holder);
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

    private Future<RouteResponse> renew(Exchange x) {
        x.query();
        String name = x.name("lock name");
        RenewBody body = x.read(RenewBody.class);
        String session = session(x, body.session());
        long token = required("token", body.token());
        return Future.fromCompletionStage(service.renew(session, new Renew(name, token, lease(body.lease()))))
                .map(extended -> RouteResponse.ok(new HeldDocument(
                        name,
                        token,
                        extended.lease().toString(),
                        null,
                        extended.revokedBy().orElse(null))));
    }

    private Future<RouteResponse> release(Exchange x) {
        x.query();
        String name = x.name("lock name");
        ReleaseBody body = x.read(ReleaseBody.class);
        String session = session(x, body.session());
        long token = required("token", body.token());
        return Future.fromCompletionStage(service.release(session, new Release(name, token)))
                .map(released -> RouteResponse.ok(Map.of("released", released.name())));
    }

    private Future<RouteResponse> revoke(Exchange x) {
        x.query();
        String name = x.name("lock name");
        String by = Exchange.checkedName(
                "by", required("by", x.read(RevokeBody.class).by()));
        return Future.fromCompletionStage(store.revoke(name, by))
                .map(asked -> RouteResponse.ok(Map.of("asked", asked)));
    }

    private Future<RouteResponse> show(Exchange x) {
        x.query();
        String name = x.name("lock name");
        return Future.fromCompletionStage(store.inspect(name))
                .map(view -> RouteResponse.ok(view.map(LockDocuments::of)
                        .orElse(new LockDocuments.LockDocument(name, false, null, List.of(), List.of()))));
    }

    private Future<RouteResponse> list(Exchange x) {
        Map<String, String> query = x.query("prefix", "after", "limit");
        long limit = Exchange.number(query, "limit").orElse((long) PAGE);
        if (limit < 1 || limit > PAGE_MAX) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST, "\"limit\" must be between 1 and " + PAGE_MAX + ", not " + limit + ".");
        }
        String prefix = optionalName("prefix", query);
        String after = optionalName("after", query);
        List<String> prefixes = x.who().visible(prefix);
        return bulk.of(
                        (int) limit,
                        () -> Future.fromCompletionStage(
                                pages.list(prefixes, after, (int) limit), Vertx.currentContext()))
                .map(page -> RouteResponse.ok(new LockDocuments.PageDocument(
                        page.locks().stream().map(LockDocuments::of).toList(),
                        page.next().orElse(null))));
    }

    private Future<RouteResponse> validate(Exchange x) {
        String name = x.name("lock name");
        long token = Exchange.number(x.query("token"), "token")
                .orElseThrow(() -> new ProblemException(
                        ProblemType.BAD_REQUEST, "Give the token to be checked: /validate?token=…"));
        return Future.fromCompletionStage(store.inspect(name))
                .map(view -> RouteResponse.ok(
                        Map.of("valid", view.map(v -> v.isHeldUnder(token)).orElse(false))));
    }

    private Future<RouteResponse> evict(Exchange x) {
        String name = x.name("lock name");
        Map<String, String> query = x.query("reason", "token");
        String reason = Exchange.checkedName("reason", query.getOrDefault("reason", ""));
        Optional<Long> token = Exchange.number(query, "token");
        return Future.fromCompletionStage(service.evict(name, token, reason)).map(evicted -> {
            audit.tell(
                    "lock-evicted",
                    x.caller(),
                    name,
                    Map.of("why", reason, "owner", evicted.owner(), "token", evicted.token()));
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("name", name);
            document.put("owner", evicted.owner());
            document.put("token", evicted.token());
            document.put("floor", evicted.floor());
            return RouteResponse.ok(document);
        });
    }

    private static String session(Exchange x, @Nullable String given) {
        String session = Exchange.checkedName("session ID", required("session", given));
        x.who().requireOwn(session);
        return session;
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

    private static Acquire.Terms terms(AcquireBody body) {
        Duration delay = Iso.duration("lockDelay", body.lockDelay()).orElse(Duration.ZERO);
        if (delay.isNegative() || delay.compareTo(Acquire.LOCK_DELAY_MAX) > 0) {
            throw new ProblemException(
                    ProblemType.BAD_DURATION,
                    "\"lockDelay\" must be between PT0S and " + Acquire.LOCK_DELAY_MAX + ", not " + body.lockDelay()
                            + ".");
        }
        Acquire.Terms terms = Acquire.Terms.of(mode(body)).withLockDelay(delay);
        Acquire.Terms inTurn = Boolean.FALSE.equals(body.fair()) ? terms.barging() : terms;
        return body.converts() == null ? inTurn : inTurn.converting(body.converts());
    }

    private static LockMode mode(AcquireBody body) {
        String mode = body.mode() == null ? "exclusive" : body.mode();
        boolean permits = mode.equals("permits");
        if (permits != (body.permits() != null) || permits != (body.max() != null)) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "Mode \"permits\" needs \"permits\", how many, and \"max\", of how many; the others take neither.");
        }
        try {
            return switch (mode) {
                case "exclusive" -> LockMode.EXCLUSIVE;
                case "shared" -> LockMode.SHARED;
                case "update" -> LockMode.UPDATE;
                case "permits" ->
                    LockMode.permits(Objects.requireNonNull(body.permits()), Objects.requireNonNull(body.max()));
                default ->
                    throw new ProblemException(
                            ProblemType.BAD_REQUEST,
                            "\"mode\" must be \"exclusive\", \"shared\", \"update\" or \"permits\", not \""
                                    + QuotedText.shortened(mode) + "\".");
            };
        } catch (IllegalArgumentException e) {
            throw new ProblemException(ProblemType.BAD_REQUEST, e.getMessage() + ".");
        }
    }
}
