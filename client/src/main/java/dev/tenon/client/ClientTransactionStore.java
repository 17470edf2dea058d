package dev.tenon.client;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.grpc.TransactionMessages;
import dev.tenon.protocol.BeginTransactionRequest;
import dev.tenon.protocol.BeginTransactionResponse;
import dev.tenon.protocol.ClaimTransactionsRequest;
import dev.tenon.protocol.FindTransactionRequest;
import dev.tenon.protocol.FindTransactionResponse;
import dev.tenon.protocol.ListTransactionsResponse;
import dev.tenon.protocol.LogTimeRequest;
import dev.tenon.protocol.LoggedTransaction;
import dev.tenon.protocol.PurgeTransactionsRequest;
import dev.tenon.protocol.TransactionHistoryRequest;
import dev.tenon.protocol.UpdateTransactionRequest;
import dev.tenon.protocol.UpdateTransactionResponse;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionPosition;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Progress;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import io.grpc.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@link TransactionStore} of a server. A beginning or an update whose reply was lost is sent again: the log knows a
 * beginning by its ID and digest, an update by its version, so that it happens once; and whether it was this one's is
 * told by what is there then.
 */
final class ClientTransactionStore implements TransactionStore {
    private static final int PAGE_MAX = 1000;
    private static final int PURGE_MAX = 10_000;

    private final ClientLink link;

    ClientTransactionStore(ClientLink link) {
        this.link = link;
    }

    @Override
    public Instant now() {
        return TimeMessages.instant(link.await(ClientMethods.LOG_TIME, LogTimeRequest.getDefaultInstance())
                .getNow());
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> owner, Duration lease) {
        BeginTransactionRequest.Builder request = BeginTransactionRequest.newBuilder()
                .setTransaction(TransactionMessages.message(draft))
                .setLease(TimeMessages.message(lease));
        owner.ifPresent(request::setOwner);
        Deadline deadline = link.deadline();
        try {
            return begun(link.await(ClientMethods.BEGIN_TRANSACTION, request.build(), deadline));
        } catch (OutcomeUnknownException lost) {
            Begun again =
                    settled(() -> begun(link.await(ClientMethods.BEGIN_TRANSACTION, request.build(), deadline)), lost);
            Progress progress = again.transaction().progress();
            boolean own = again instanceof Begun.Known
                    && progress.version() == 1
                    && owner.isPresent()
                    && progress.owner().equals(owner);
            return own ? new Begun.Created(again.transaction()) : again;
        }
    }

    private static Begun begun(BeginTransactionResponse answer) {
        TransactionRecord tx = record(answer.getTransaction());
        return switch (answer.getBegun()) {
            case CREATED -> new Begun.Created(tx);
            case KNOWN -> new Begun.Known(tx);
            case CONFLICTING -> new Begun.Conflicting(tx);
            case BEGUN_UNSPECIFIED, UNRECOGNIZED -> throw newer(null);
        };
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        return find(gid, link.deadline());
    }

    private Optional<TransactionRecord> find(TransactionId gid, Deadline deadline) {
        FindTransactionResponse answer = link.await(
                ClientMethods.FIND_TRANSACTION,
                FindTransactionRequest.newBuilder().setGid(gid.text()).build(),
                deadline);
        return answer.hasTransaction() ? Optional.of(record(answer.getTransaction())) : Optional.empty();
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        UpdateTransactionRequest request = TransactionMessages.update(before, after, events);
        Deadline deadline = link.deadline();
        try {
            return updated(request, deadline);
        } catch (OutcomeUnknownException lost) {
            Optional<TransactionRecord> again = settled(() -> updated(request, deadline), lost);
            return again.isPresent() ? again : own(before, after, settled(() -> find(before.gid(), deadline), lost));
        }
    }

    private Optional<TransactionRecord> updated(UpdateTransactionRequest request, Deadline deadline) {
        UpdateTransactionResponse answer = link.await(ClientMethods.UPDATE_TRANSACTION, request, deadline);
        return answer.hasTransaction() ? Optional.of(record(answer.getTransaction())) : Optional.empty();
    }

    /** What is there, if it is what an update whose reply was lost was to leave. */
    private static Optional<TransactionRecord> own(
            TransactionRecord before, TransactionRecord after, Optional<TransactionRecord> found) {
        long written = before.progress().version() + 1;
        if (found.isPresent() && found.get().progress().version() > written) {
            throw new OutcomeUnknownException("The reply to a write of transaction " + before.gid()
                    + " was lost, and it was written again since then: look at it as it is now");
        }
        return found.filter(tx -> tx.progress().version() == written
                && told(tx).equals(told(after))
                && toldBranches(tx).equals(toldBranches(after)));
    }

    /** What an update says of the whole, as exactly as every log keeps it. */
    private static List<Object> told(TransactionRecord tx) {
        Progress progress = tx.progress();
        boolean ended = progress.state().isFinal();
        return List.of(
                progress.state(),
                progress.claims(),
                progress.dueAt().truncatedTo(ChronoUnit.MICROS),
                ended ? Optional.empty() : progress.owner(),
                ended ? Optional.empty() : progress.suspended(),
                !ended && progress.trouble().flatMap(Trouble::stuckAt).isPresent());
    }

    private static List<BranchRecord> toldBranches(TransactionRecord tx) {
        return tx.branches().stream()
                .map(b -> b.dueAt().isEmpty()
                        ? b
                        : b.again(
                                b.dueAt().get().truncatedTo(ChronoUnit.MICROS),
                                b.lastError().orElse("")))
                .toList();
    }

    /** A second call that tells what became of a first; where that is not known either, neither is the first. */
    private static <T> T settled(Supplier<T> second, OutcomeUnknownException lost) {
        try {
            return second.get();
        } catch (TenonException e) {
            lost.addSuppressed(e);
            throw lost;
        }
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        return records(link.await(
                        ClientMethods.CLAIM_TRANSACTIONS,
                        ClaimTransactionsRequest.newBuilder()
                                .setService(claim.service())
                                .setOwner(claim.owner())
                                .setLease(TimeMessages.message(claim.lease()))
                                .setLimit(claim.limit())
                                .build())
                .getTransactionsList());
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        requireLimit(limit, PAGE_MAX);
        TransactionPosition.parse(after);
        ListTransactionsResponse page =
                link.await(ClientMethods.LIST_TRANSACTIONS, TransactionMessages.message(filter, after, limit));
        return new TransactionPage(records(page.getTransactionsList()), page.getMore());
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return link
                .await(
                        ClientMethods.TRANSACTION_HISTORY,
                        TransactionHistoryRequest.newBuilder()
                                .setGid(gid.text())
                                .build())
                .getNotesList()
                .stream()
                .map(TransactionMessages::event)
                .toList();
    }

    @Override
    public int purge(Duration retention, int limit) {
        return purge(PurgeTransactionsRequest.newBuilder(), retention, limit);
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        return purge(PurgeTransactionsRequest.newBuilder().setService(service), retention, limit);
    }

    private int purge(PurgeTransactionsRequest.Builder request, Duration retention, int limit) {
        requireLimit(limit, PURGE_MAX);
        return link.await(
                        ClientMethods.PURGE_TRANSACTIONS,
                        request.setRetention(TimeMessages.message(retention))
                                .setLimit(limit)
                                .build())
                .getPurged();
    }

    private static void requireLimit(int limit, int max) {
        if (limit < 1 || limit > max) {
            throw new IllegalArgumentException("A limit of 1 to " + max + " is needed, not " + limit);
        }
    }

    private static List<TransactionRecord> records(List<LoggedTransaction> messages) {
        return messages.stream().map(ClientTransactionStore::record).toList();
    }

    private static TransactionRecord record(LoggedTransaction message) {
        try {
            return TransactionMessages.record(message);
        } catch (IllegalArgumentException e) {
            throw newer(e);
        }
    }

    private static TenonException newer(@Nullable Throwable cause) {
        return new TenonException(
                "The server is newer than this client, which can't read its log of transactions", cause);
    }
}
