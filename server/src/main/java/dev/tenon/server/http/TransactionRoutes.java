package dev.tenon.server.http;

import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.quota.Quotas;
import dev.tenon.server.quota.TransactionQuota;
import dev.tenon.server.service.BlockingCalls;
import dev.tenon.server.service.Bulk;
import dev.tenon.server.tx.TransactionRequest;
import dev.tenon.server.tx.TransactionService;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /v1/transactions}. */
final class TransactionRoutes {
    private static final int WORKERS = 32;
    private static final int TRANSACTION_BYTES = 8_000;
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1000;
    private static final int REASON_LENGTH_MAX = 500;
    private static final Duration WAIT_MAX = Duration.ofDays(1);

    private final Optional<TransactionService> service;
    private final Audit audit;
    private final Quotas quotas;
    private final BlockingCalls calls;
    private final Optional<EndWaits> waits;
    private final Bulk bulk = new Bulk(TRANSACTION_BYTES);

    /**
     * @param service empty if the store under the server has no log of transactions
     */
    TransactionRoutes(Vertx vertx, Optional<TransactionService> service, Audit audit, Quotas quotas) {
        this.quotas = quotas;
        this.service = service;
        this.audit = audit;
        this.calls = new BlockingCalls(vertx, "tenon-transactions", WORKERS, "calls about transactions");
        this.waits = service.map(d -> new EndWaits(vertx, d, calls));
    }

    /** Body of what is done to a transaction. */
    record ReasonBody(@Nullable String reason) {}

    /** Does something to a transaction. */
    @FunctionalInterface
    private interface Act {
        TransactionRecord on(TransactionService service, TransactionId gid, Word word);
    }

    /** Who says so, and why. */
    private record Word(String by, String reason) {}

    List<Route> routes() {
        return List.of(
                Route.of("POST", "/v1/transactions", Need.use(Scope.TRANSACTIONS), this::begin),
                Route.read("/v1/transactions", Need.read(Scope.TRANSACTIONS), this::list),
                Route.read("/v1/transactions/{}", Need.read(Scope.TRANSACTIONS), this::show),
                act("submit", Need.use(Scope.TRANSACTIONS), (service, gid, word) -> service.submit(gid)),
                act("commit", Need.use(Scope.TRANSACTIONS), (service, gid, word) -> service.commit(gid)),
                act(
                        "abort",
                        Need.use(Scope.TRANSACTIONS),
                        told(
                                "transaction-aborted",
                                (service, gid, word) -> service.abort(gid, word.by(), word.reason()))),
                act(
                        "retry",
                        Need.admin(Scope.TRANSACTIONS),
                        told("transaction-retried", (service, gid, word) -> service.retry(gid, word.by()))),
                act(
                        "suspend",
                        Need.admin(Scope.TRANSACTIONS),
                        told(
                                "transaction-suspended",
                                (service, gid, word) -> service.suspend(gid, word.by(), word.reason()))),
                act(
                        "resume",
                        Need.admin(Scope.TRANSACTIONS),
                        told("transaction-resumed", (service, gid, word) -> service.resume(gid, word.by()))),
                act(
                        "close",
                        Need.admin(Scope.TRANSACTIONS),
                        told(
                                "transaction-closed",
                                (service, gid, word) -> service.close(gid, word.by(), required(word)))));
    }

    /** What is given up for good needs a reason. */
    private static String required(Word word) {
        if (word.reason().isBlank()) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"reason\" is needed: what was done about the transaction that is closed as it is?");
        }
        return word.reason();
    }

    private Future<RouteResponse> begin(Exchange x) {
        x.query();
        TransactionService open = open();
        TransactionRequest asked = open.read(Json.readObject(x.body()), x.who());
        String key = x.who().keyId();
        if (!asked.waits()) {
            return begun(open, asked, key).map(tx -> RouteResponse.ok(TransactionDocuments.of(tx)));
        }
        EndWaits waiting = waits.orElseThrow();
        Runnable leaves = quotas.waiter(key);
        return begun(open, asked, key)
                .compose(begun -> calls.run(() -> {
                            Duration left = open.left(begun);
                            return left.compareTo(WAIT_MAX) < 0 ? left : WAIT_MAX;
                        })
                        .compose(left -> waiting.until(begun, left, x.clientGone())))
                .onComplete(v -> leaves.run())
                .map(tx -> RouteResponse.ok(TransactionDocuments.of(tx)));
    }

    private Future<TransactionRecord> begun(TransactionService open, TransactionRequest asked, String key) {
        TransactionQuota.Beginning beginning;
        try {
            beginning = quotas.transactions().begins(key, asked.draft());
        } catch (ProblemException full) {
            return Future.failedFuture(full);
        }
        return calls.run(() -> open.begin(asked)).onSuccess(beginning::begun).onFailure(beginning::failed);
    }

    private Future<RouteResponse> list(Exchange x) {
        Map<String, String> query = TransactionQuery.of(x);
        TransactionService open = open();
        long limit = Exchange.number(query, "limit").orElse((long) PAGE);
        if (limit < 1 || limit > PAGE_MAX) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST, "\"limit\" must be between 1 and " + PAGE_MAX + ", not " + limit + ".");
        }
        TransactionFilter filter = TransactionQuery.filter(query);
        String from = TransactionQuery.after(query);
        List<String> prefixes = x.who().visible("");
        return bulk.of((int) limit, () -> calls.run(() -> open.list(filter, prefixes, from, (int) limit)))
                .map(page -> RouteResponse.ok(document(page)));
    }

    private static TransactionDocuments.PageDocument document(TransactionPage page) {
        List<TransactionRecord> shown = page.transactions();
        return new TransactionDocuments.PageDocument(
                shown.stream().map(TransactionDocuments::of).toList(), page.more() ? page.next() : null);
    }

    private Future<RouteResponse> show(Exchange x) {
        x.query();
        TransactionService open = open();
        TransactionId gid = gid(x.variables().get(0));
        return calls.run(() -> RouteResponse.ok(TransactionDocuments.of(open.require(gid), open.history(gid))));
    }

    private Route act(String word, Need need, Act act) {
        return Route.of("POST", "/v1/transactions/{}/" + word, need, x -> {
            x.query();
            TransactionService open = open();
            TransactionId gid = gid(x.variables().get(0));
            Word said = new Word(x.caller(), reason(x.read(ReasonBody.class).reason()));
            return calls.run(() -> RouteResponse.ok(TransactionDocuments.of(act.on(open, gid, said))));
        });
    }

    /** The same, with a line in the audit log. */
    private Act told(String deed, Act act) {
        return (open, gid, word) -> {
            TransactionRecord after = act.on(open, gid, word);
            audit.tell(
                    deed,
                    word.by(),
                    gid.text(),
                    Map.of("why", word.reason(), "state", after.state().name()));
            return after;
        };
    }

    /** A reason that can stand in a history and in the audit log. */
    static String reason(@Nullable String given) {
        String reason = given == null ? "" : given;
        if (reason.length() > REASON_LENGTH_MAX || reason.chars().anyMatch(Character::isISOControl)) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "\"reason\" may have " + REASON_LENGTH_MAX + " characters at most, and no control character.");
        }
        return reason;
    }

    private static TransactionId gid(String text) {
        try {
            return new TransactionId(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(ProblemType.BAD_NAME, e.getMessage() + ".");
        }
    }

    private TransactionService open() {
        return service.orElseThrow(() -> new ProblemException(
                ProblemType.NO_TRANSACTIONS,
                "The store of this server does not support transactions. Use a data folder (no --store) or a "
                        + "database (--store jdbc:…)."));
    }
}
