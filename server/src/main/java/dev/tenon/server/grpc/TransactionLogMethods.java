package dev.tenon.server.grpc;

import static dev.tenon.server.grpc.GrpcMethod.sifted;
import static dev.tenon.server.grpc.GrpcMethod.unary;
import static dev.tenon.server.grpc.GrpcMethod.unaryFor;

import dev.tenon.grpc.TimeMessages;
import dev.tenon.grpc.TransactionMessages;
import dev.tenon.protocol.BeginTransactionRequest;
import dev.tenon.protocol.BeginTransactionResponse;
import dev.tenon.protocol.ClaimTransactionsRequest;
import dev.tenon.protocol.ClaimTransactionsResponse;
import dev.tenon.protocol.FindTransactionResponse;
import dev.tenon.protocol.ListTransactionsRequest;
import dev.tenon.protocol.ListTransactionsResponse;
import dev.tenon.protocol.LogTime;
import dev.tenon.protocol.LoggedTransaction;
import dev.tenon.protocol.NewTransaction;
import dev.tenon.protocol.PurgeTransactionsRequest;
import dev.tenon.protocol.PurgeTransactionsResponse;
import dev.tenon.protocol.TransactionHistoryResponse;
import dev.tenon.protocol.TransactionLogGrpc;
import dev.tenon.protocol.UpdateTransactionRequest;
import dev.tenon.protocol.UpdateTransactionResponse;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.quota.TransactionQuota;
import dev.tenon.server.service.BlockingCalls;
import dev.tenon.server.service.NodeServices;
import dev.tenon.server.tx.TransactionService;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The service {@code tenon.v1.TransactionLog}: the log of transactions, as it is, on threads that may block. Whoever
 * may use it sees payloads, as those have to who drive a transaction; so looking asks for the right to use. What this
 * server drives itself is shown without its secrets, and changed over HTTP alone.
 */
final class TransactionLogMethods {
    private static final Need USE = Need.use(Scope.TRANSACTIONS);

    /** How many are fetched at a time, and how large an answer may be before no more are added: clients take 64 MiB. */
    private static final int CLAIM_AT_ONCE = 10;

    private static final int LIST_AT_ONCE = 50;
    private static final int ANSWER_BYTES = 16 << 20;
    private static final int PAGE_MAX = 1000;

    private final Optional<TransactionStore> log;
    private final Optional<TransactionService> service;
    private final BlockingCalls blocking;
    private final TransactionUpdates updates;
    private final TransactionQuota quota;

    TransactionLogMethods(NodeServices services, BlockingCalls blocking, Audit audit) {
        this.updates = new TransactionUpdates(audit);
        this.log = services.backend().transactions();
        this.service = services.transactions();
        this.blocking = blocking;
        this.quota = services.quotas().transactions();
    }

    List<GrpcMethod<?, ?>> methods() {
        return List.of(
                sifted(
                        TransactionLogGrpc.getNowMethod(),
                        USE,
                        (q, who) -> stage(open -> LogTime.newBuilder()
                                .setNow(TimeMessages.message(open.now()))
                                .build())),
                unaryFor(TransactionLogGrpc.getBeginMethod(), USE, TransactionLogMethods::begun, this::begin),
                unary(
                        TransactionLogGrpc.getFindMethod(),
                        USE,
                        q -> List.of(q.getGid()),
                        q -> stage(open -> {
                            FindTransactionResponse.Builder answer = FindTransactionResponse.newBuilder();
                            open.find(new TransactionId(q.getGid()))
                                    .ifPresent(tx -> answer.setTransaction(message(tx)));
                            return answer.build();
                        })),
                unaryFor(
                        TransactionLogGrpc.getUpdateMethod(),
                        USE,
                        q -> List.of(q.getBefore().getGid()),
                        (q, who) -> stage(open -> update(open, q, who))),
                unaryFor(
                        TransactionLogGrpc.getClaimMethod(),
                        USE,
                        q -> List.of(q.getService()),
                        (q, who) -> stage(open -> claim(open, q, who))),
                sifted(TransactionLogGrpc.getListMethod(), USE, (q, who) -> stage(open -> list(q, who))),
                unary(
                        TransactionLogGrpc.getHistoryMethod(),
                        USE,
                        q -> List.of(q.getGid()),
                        q -> stage(open -> TransactionHistoryResponse.newBuilder()
                                .addAllNotes(open.history(new TransactionId(q.getGid())).stream()
                                        .map(TransactionMessages::message)
                                        .toList())
                                .build())),
                sifted(
                        TransactionLogGrpc.getPurgeMethod(),
                        USE,
                        (q, who) -> stage(open -> {
                            // Others' transactions end in the same log; this server forgets them in its own time.
                            int purged = who.seesAll() ? purge(open, q, who) : 0;
                            return PurgeTransactionsResponse.newBuilder()
                                    .setPurged(purged)
                                    .build();
                        })));
    }

    private <A> CompletionStage<A> stage(Function<TransactionStore, A> work) {
        TransactionStore open = log.orElseThrow(() -> new ProblemException(
                ProblemType.NO_TRANSACTIONS,
                "The store of this server does not support transactions. Use a data folder (no --store) or a "
                        + "database (--store jdbc:…)."));
        return blocking.run(() -> work.apply(open)).toCompletionStage();
    }

    private CompletionStage<BeginTransactionResponse> begin(BeginTransactionRequest request, Caller who) {
        TransactionUpdates.requireForeign(request.getTransaction().getService());
        TransactionDraft draft = TransactionMessages.draft(request.getTransaction());
        TransactionQuota.Beginning beginning = quota.begins(who.keyId(), draft);
        return stage(open -> begin(open, draft, request))
                .whenComplete((begun, failure) -> {
                    if (begun == null || begun instanceof Begun.Conflicting) {
                        beginning.failed(failure);
                    } else {
                        beginning.begun(begun.transaction());
                    }
                })
                .thenApply(TransactionLogMethods::message);
    }

    private static Begun begin(TransactionStore open, TransactionDraft draft, BeginTransactionRequest request) {
        return open.begin(
                draft,
                request.hasOwner() ? Optional.of(request.getOwner()) : Optional.empty(),
                TimeMessages.duration(request.getLease()));
    }

    private static BeginTransactionResponse message(Begun begun) {
        return BeginTransactionResponse.newBuilder()
                .setBegun(
                        begun instanceof Begun.Created
                                ? BeginTransactionResponse.Begun.CREATED
                                : begun instanceof Begun.Known
                                        ? BeginTransactionResponse.Begun.KNOWN
                                        : BeginTransactionResponse.Begun.CONFLICTING)
                .setTransaction(message(begun.transaction()))
                .build();
    }

    /** The names that a beginning is about: its own, its service's, its parent's. */
    private static List<String> begun(BeginTransactionRequest request) {
        NewTransaction begun = request.getTransaction();
        return begun.hasParent()
                ? List.of(begun.getGid(), begun.getService(), begun.getParent())
                : List.of(begun.getGid(), begun.getService());
    }

    private UpdateTransactionResponse update(TransactionStore open, UpdateTransactionRequest request, Caller who) {
        UpdateTransactionResponse.Builder answer = UpdateTransactionResponse.newBuilder();
        updates.update(open, request, who).ifPresent(tx -> answer.setTransaction(message(tx)));
        return answer.build();
    }

    /** Who forgets a transaction lets its ID be used again: only an administrator does so before the server would. */
    private static int purge(TransactionStore open, PurgeTransactionsRequest request, Caller who) {
        return request.hasService()
                ? open.purge(request.getService(), retention(request, who), request.getLimit())
                : open.purge(retention(request, who), request.getLimit());
    }

    private static Duration retention(PurgeTransactionsRequest request, Caller who) {
        Duration asked = TimeMessages.duration(request.getRetention());
        Duration own = TransactionOptions.DEFAULT.retention();
        return who.has(Right.ADMIN) || asked.compareTo(own) > 0 ? asked : own;
    }

    private static ClaimTransactionsResponse claim(
            TransactionStore open, ClaimTransactionsRequest request, Caller who) {
        TransactionUpdates.requireForeign(request.getService());
        Claim whole = new Claim(
                request.getService(),
                request.getOwner(),
                TimeMessages.duration(request.getLease()),
                request.getLimit());
        ClaimTransactionsResponse.Builder answer = ClaimTransactionsResponse.newBuilder();
        int bytes = 0;
        boolean more = true;
        while (more && bytes < ANSWER_BYTES) {
            int some = Math.min(CLAIM_AT_ONCE, whole.limit() - answer.getTransactionsCount());
            List<TransactionRecord> claimed =
                    open.claim(new Claim(whole.service(), whole.owner(), whole.lease(), some));
            more = claimed.size() == some;
            for (TransactionRecord tx : claimed) {
                if (who.sees(tx.gid().text())) {
                    LoggedTransaction message = message(tx);
                    bytes += message.getSerializedSize();
                    answer.addTransactions(message);
                } else {
                    // Due again, behind all that is due by now: for those of the service who may drive it.
                    open.update(tx, tx.due(open.now(), Optional.empty()), List.of());
                    more = false;
                }
            }
            more = more && answer.getTransactionsCount() < whole.limit();
        }
        return answer.build();
    }

    private ListTransactionsResponse list(ListTransactionsRequest request, Caller who) {
        if (request.getLimit() < 1 || request.getLimit() > PAGE_MAX) {
            throw new IllegalArgumentException("A limit of 1 to " + PAGE_MAX + " is needed, not " + request.getLimit());
        }
        TransactionFilter filter = TransactionMessages.filter(request);
        List<LoggedTransaction> found = new ArrayList<>();
        String after = request.getAfter();
        int bytes = 0;
        boolean more = true;
        while (more && found.size() < request.getLimit() && bytes < ANSWER_BYTES) {
            TransactionPage page = service.orElseThrow()
                    .list(filter, who.visible(""), after, Math.min(LIST_AT_ONCE, request.getLimit() - found.size()));
            more = page.more();
            for (TransactionRecord tx : page.transactions()) {
                LoggedTransaction message = message(tx);
                bytes += message.getSerializedSize();
                found.add(message);
            }
            after = page.next();
        }
        return ListTransactionsResponse.newBuilder()
                .addAllTransactions(found)
                .setMore(more)
                .setNext(after)
                .build();
    }

    /** Without the secrets of this server's own. */
    private static LoggedTransaction message(TransactionRecord tx) {
        LoggedTransaction whole = TransactionMessages.message(tx);
        if (!tx.service().equals(TransactionService.SERVICE)) {
            return whole;
        }
        LoggedTransaction.Builder shown = whole.toBuilder();
        shown.getBranchesBuilderList()
                .forEach(branch -> branch.getTargetsMap()
                        .forEach((operation, target) -> branch.putTargets(operation, HttpParticipants.shown(target))));
        return shown.build();
    }
}
