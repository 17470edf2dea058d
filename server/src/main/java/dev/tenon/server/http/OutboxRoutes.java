package dev.tenon.server.http;

import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.outbox.OutboxService;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import dev.tenon.server.service.BlockingCalls;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.DeadLetterFilter;
import dev.tenon.tx.spi.OutboxMessage;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxOperations.Acted;
import dev.tenon.tx.spi.OutboxOperations.Choice;
import dev.tenon.tx.spi.OutboxOperations.Content;
import dev.tenon.tx.spi.OutboxOperations.Lane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code /v1/outbox}. */
final class OutboxRoutes {
    private static final int WORKERS = 8;
    private static final int PAGE = 20;
    private static final String DEAD_LETTERS = "/v1/outbox/dead-letters";

    private final Optional<OutboxService> outbox;
    private final Audit audit;
    private final BlockingCalls calls;

    /**
     * @param outbox empty if the store under the server has none
     */
    OutboxRoutes(Vertx vertx, Optional<OutboxService> outbox, Audit audit) {
        this.outbox = outbox;
        this.audit = audit;
        this.calls = new BlockingCalls(vertx, "tenon-outbox", WORKERS, "calls about outboxes");
    }

    /** Body of what is done to a dead letter. */
    record ReasonBody(@Nullable String reason) {}

    /** Body of what is done to many. */
    record ChoiceBody(
            @Nullable String outbox,
            @Nullable String target,
            @Nullable String key,
            @Nullable String type,
            @Nullable Long after,
            @Nullable Long limit,
            @Nullable String reason) {}

    /** Does something to a dead letter. */
    @FunctionalInterface
    private interface Act {
        OutboxMessage on(OutboxService service, Caller who, long number, String why);
    }

    /** Does something to many. */
    @FunctionalInterface
    private interface BulkAct {
        Acted on(OutboxService service, Choice choice, Caller who, String why, Consumer<OutboxMessage> told);
    }

    List<Route> routes() {
        return List.of(
                Route.read("/v1/outbox", Need.read(Scope.OUTBOXES), this::outboxes),
                Route.read("/v1/outbox/lanes", Need.read(Scope.OUTBOXES), this::lanes),
                Route.read("/v1/outbox/messages", Need.read(Scope.OUTBOXES), this::messages),
                Route.read("/v1/outbox/messages/{}", Need.read(Scope.OUTBOXES), this::show),
                Route.read(DEAD_LETTERS, Need.read(Scope.OUTBOXES), this::deadLetters),
                act("replay", "message-replayed", OutboxService::replay),
                act("discard", "message-discarded", OutboxService::discard),
                actOnMany("replay", "message-replayed", OutboxService::replayAll),
                actOnMany("discard", "message-discarded", OutboxService::discardAll));
    }

    private Future<RouteResponse> outboxes(Exchange x) {
        Map<String, String> query = x.query("after", "limit");
        OutboxService service = service();
        int limit = limit(Exchange.number(query, "limit"));
        String after = query.getOrDefault("after", "");
        Caller who = x.who();
        return calls.run(() -> {
            OutboxService.Page page = service.outboxes(who, after, limit);
            return RouteResponse.ok(OutboxDocuments.of(page.outboxes(), page.next()));
        });
    }

    private Future<RouteResponse> lanes(Exchange x) {
        Map<String, String> query = x.query("outbox", "target", "key", "failing", "limit");
        OutboxService service = service();
        String name = outbox(x.who(), query.get("outbox"));
        int limit = limit(Exchange.number(query, "limit"));
        String failing = query.getOrDefault("failing", "false");
        if (!failing.equals("true") && !failing.equals("false")) {
            throw new ProblemException(ProblemType.BAD_REQUEST, "\"failing\" must be true or false.");
        }
        if (query.containsKey("target") || query.containsKey("key")) {
            Lane lane = lane(name, query);
            return calls.run(() -> RouteResponse.ok(
                    OutboxDocuments.of(service.lane(lane).stream().toList())));
        }
        return calls.run(
                () -> RouteResponse.ok(OutboxDocuments.of(service.lanes(name, failing.equals("true"), limit))));
    }

    private Future<RouteResponse> messages(Exchange x) {
        Map<String, String> query = x.query("outbox", "target", "key", "after", "limit");
        OutboxService service = service();
        Lane lane = lane(outbox(x.who(), query.get("outbox")), query);
        int limit = limit(Exchange.number(query, "limit"));
        long after = Exchange.number(query, "after").orElse(0L);
        return calls.run(() -> RouteResponse.ok(OutboxDocuments.page(service.messages(lane, after, limit), limit)));
    }

    private Future<RouteResponse> show(Exchange x) {
        x.query();
        OutboxService service = service();
        long number = number(x);
        Caller who = x.who();
        return calls.run(() -> {
            OutboxMessage message = service.require(who, number);
            // Who may look need not be who may see what customers were sent.
            Optional<Content> content = who.has(Right.ADMIN) ? service.content(number) : Optional.empty();
            return RouteResponse.ok(OutboxDocuments.whole(message, content));
        });
    }

    private Future<RouteResponse> deadLetters(Exchange x) {
        Map<String, String> query = x.query("outbox", "target", "key", "type", "after", "limit");
        OutboxService service = service();
        String name = outbox(x.who(), query.get("outbox"));
        DeadLetterFilter filter = filter(query.get("target"), query.get("key"), query.get("type"));
        int limit = limit(Exchange.number(query, "limit"));
        long after = Exchange.number(query, "after").orElse(0L);
        return calls.run(
                () -> RouteResponse.ok(OutboxDocuments.page(service.deadLetters(name, filter, after, limit), limit)));
    }

    private Route act(String word, String deed, Act act) {
        return Route.of("POST", DEAD_LETTERS + "/{}/" + word, Need.admin(Scope.OUTBOXES), x -> {
            x.query();
            OutboxService service = service();
            String why = TransactionRoutes.reason(x.read(ReasonBody.class).reason());
            long number = number(x);
            Caller who = x.who();
            return calls.run(() -> {
                OutboxMessage after = act.on(service, who, number, why);
                tell(deed, who, after, why);
                return RouteResponse.ok(OutboxDocuments.whole(after, Optional.empty()));
            });
        });
    }

    private Route actOnMany(String word, String deed, BulkAct act) {
        return Route.of("POST", DEAD_LETTERS + "/" + word, Need.admin(Scope.OUTBOXES), x -> {
            x.query();
            OutboxService service = service();
            ChoiceBody body = x.read(ChoiceBody.class);
            String why = TransactionRoutes.reason(body.reason());
            Caller who = x.who();
            Choice choice = new Choice(
                    outbox(who, body.outbox()),
                    filter(body.target(), body.key(), body.type()),
                    body.after() == null ? 0L : body.after(),
                    limit(Optional.ofNullable(body.limit())));
            return calls.run(() -> {
                Acted acted = act.on(service, choice, who, why, letter -> tell(deed, who, letter, why));
                return RouteResponse.ok(OutboxDocuments.of(acted));
            });
        });
    }

    private void tell(String deed, Caller who, OutboxMessage message, String why) {
        audit.tell(
                deed,
                who.name(),
                message.id(),
                Map.of("why", why, "outbox", message.outbox(), "number", message.number()));
    }

    private static String outbox(Caller who, @Nullable String given) {
        String name = Exchange.checkedName("outbox name", given == null ? OutboxOptions.DEFAULT.name() : given);
        who.requireSees(name);
        return name;
    }

    private static Lane lane(String outbox, Map<String, String> query) {
        String target = query.get("target");
        String key = query.get("key");
        if (target == null || key == null) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST, "Give both \"target\" and \"key\": messages go in order by the two.");
        }
        return new Lane(
                outbox, Exchange.checkedName("message target", target), Exchange.checkedName("message key", key));
    }

    private static DeadLetterFilter filter(@Nullable String target, @Nullable String key, @Nullable String type) {
        return new DeadLetterFilter(named("message target", target), named("message key", key), named("type", type));
    }

    private static Optional<String> named(String what, @Nullable String given) {
        return Optional.ofNullable(given).map(text -> Exchange.checkedName(what, text));
    }

    private static int limit(Optional<Long> given) {
        long limit = given.orElse((long) PAGE);
        if (limit < 1 || limit > OutboxOperations.PAGE_MAX) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"limit\" must be between 1 and " + OutboxOperations.PAGE_MAX + ", not " + limit + ".");
        }
        return (int) limit;
    }

    private static long number(Exchange x) {
        String text = x.variables().get(0);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "A message of an outbox goes by its number, such as 42, and not \"" + QuotedText.shortened(text)
                            + "\".");
        }
    }

    private OutboxService service() {
        return outbox.orElseThrow(() -> new ProblemException(
                ProblemType.NO_OUTBOX,
                "The store under this server has no outbox. Messages stand in the database of the service that sends"
                        + " them: start a server over that one (--store jdbc:…)."));
    }
}
