package dev.tenon.server.grpc;

import dev.tenon.grpc.TransactionMessages;
import dev.tenon.protocol.LoggedTransaction;
import dev.tenon.protocol.TransactionNote;
import dev.tenon.protocol.UpdateTransactionRequest;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Right;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.tx.TransactionService;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Updates of the log that a client asks for, decided by the record that is stored. What a client says was there before
 * is only held against that; between the look at it and the write, the version that the store compares keeps everybody
 * else out. Thread-safe; blocks.
 */
final class TransactionUpdates {
    private static final String CLOSED = "closed";

    private final Audit audit;

    TransactionUpdates(Audit audit) {
        this.audit = audit;
    }

    /**
     * Writes an update.
     *
     * @return as it is now; empty if it has changed since the client has read it
     * @throws ProblemException if it is not the caller's to change so
     * @throws IllegalArgumentException if a field says what can't be changed
     */
    Optional<TransactionRecord> update(TransactionStore open, UpdateTransactionRequest request, Caller who) {
        Optional<TransactionRecord> found =
                open.find(new TransactionId(request.getBefore().getGid()));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        TransactionRecord stored = found.get();
        requireForeign(stored.service());
        long version = request.getBefore().getProgress().getVersion();
        requireSame(version, request.getProgress().getVersion(), "progress.version");
        if (stored.progress().version() != version) {
            return Optional.empty();
        }
        LoggedTransaction there = TransactionMessages.message(stored);
        requireSameTransaction(there, request.getBefore());
        TransactionRecord after =
                TransactionMessages.after(request.toBuilder().setBefore(there).build());
        requireSameBranches(stored, after);
        boolean resumes = resumes(stored, after);
        if (resumes && !who.has(Right.ADMIN)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN,
                    "Transaction " + stored.gid() + " waits for an operator ("
                            + stored.suspended().orElse("") + "): to resume it, without deciding it, needs admin.");
        }
        List<TransactionEvent> events = request.getNotesList().stream()
                .map(note -> event(note, who, open))
                .toList();
        if (after.state() == TransactionState.CLOSED) {
            return close(open, stored, after, events, who);
        }
        Optional<TransactionRecord> written = open.update(stored, after, events);
        if (resumes && written.isPresent()) {
            String state = written.get().state().name();
            audit.tell("transaction-resumed", who.name(), stored.gid().text(), Map.of("why", "", "state", state));
        }
        return written;
    }

    /** Gives it up as it is: an administrator does so, with a reason, and changes nothing else by that. */
    private Optional<TransactionRecord> close(
            TransactionStore open,
            TransactionRecord stored,
            TransactionRecord after,
            List<TransactionEvent> told,
            Caller who) {
        requireClosable(stored, who);
        requireSame(stored.branches(), after.branches(), "changes");
        String why = told.stream()
                .filter(line -> line.what().equals(CLOSED))
                .map(TransactionEvent::detail)
                .findFirst()
                .orElse(after.suspended().orElse(""));
        if (why.isBlank()) {
            throw new IllegalArgumentException("progress.suspended: say why transaction " + stored.gid()
                    + " is closed as it is, as what is closed is never opened again");
        }
        List<TransactionEvent> events = new ArrayList<>(told);
        if (told.stream().noneMatch(line -> line.what().equals(CLOSED))) {
            events.add(new TransactionEvent(open.now(), CLOSED, who.name(), why));
        }
        TransactionRecord closed = who.proven()
                ? after.suspendedFor(Optional.of("closed by " + who.name() + ": " + why))
                : after.suspendedFor(after.suspended().or(() -> Optional.of(why)));
        Optional<TransactionRecord> written = open.update(stored, closed, events);
        written.ifPresent(tx -> audit.tell(
                "transaction-closed",
                who.name(),
                tx.gid().text(),
                Map.of("why", why, "state", tx.state().name())));
        return written;
    }

    private static void requireClosable(TransactionRecord stored, Caller who) {
        if (!who.has(Right.ADMIN)) {
            throw new ProblemException(
                    ProblemType.FORBIDDEN, "To close transaction " + stored.gid() + " as it is needs admin.");
        }
        if (stored.state() == TransactionState.ACTIVE && stored.suspended().isEmpty()) {
            throw new IllegalArgumentException("progress.state: transaction " + stored.gid()
                    + " is ACTIVE, and its initiator may still continue it: abort or suspend it first");
        }
        if (stored.state().isFinal()) {
            throw new IllegalArgumentException("progress.state: transaction " + stored.gid() + " is " + stored.state()
                    + ", and has nothing left to close");
        }
    }

    /** What this server drives is begun and changed by what the server knows of it: over HTTP. */
    static void requireForeign(String service) {
        if (service.equals(TransactionService.SERVICE)) {
            throw new IllegalArgumentException("service: transactions of \"" + service
                    + "\" are the server's own: begin and change them over HTTP (/v1/transactions, tenon tx)");
        }
    }

    /**
     * A line of the history is by whoever has proved to be that; where nobody is asked, it is by whom the client says.
     */
    private static TransactionEvent event(TransactionNote note, Caller who, TransactionStore open) {
        TransactionEvent told = TransactionMessages.event(note);
        if (!who.proven()) {
            return told;
        }
        Instant now = open.now();
        return new TransactionEvent(told.at().isAfter(now) ? now : told.at(), told.what(), who.name(), told.detail());
    }

    private static void requireSameTransaction(LoggedTransaction there, LoggedTransaction said) {
        requireSame(there.getKind(), said.getKind(), "before.kind");
        requireSame(there.getService(), said.getService(), "before.service");
        requireSame(there.getName(), said.getName(), "before.name");
        requireSame(there.getDigest(), said.getDigest(), "before.digest");
        requireSame(there.getPayload(), said.getPayload(), "before.payload");
        requireSame(there.getParent(), said.getParent(), "before.parent");
        requireSame(there.getRetry(), said.getRetry(), "before.retry");
        requireSame(there.getCreatedAt(), said.getCreatedAt(), "before.created_at");
        requireSame(there.getDeadline(), said.getDeadline(), "before.deadline");
    }

    /** What a branch is stays; how far it is changes; others may come after them. */
    private static void requireSameBranches(TransactionRecord stored, TransactionRecord after) {
        List<BranchRecord> had = stored.branches();
        List<BranchRecord> has = after.branches();
        if (has.size() < had.size()) {
            throw new IllegalArgumentException(
                    "branches: " + had.size() + " exist, and none may be removed; " + has.size() + " were to be left");
        }
        for (int i = 0; i < had.size(); i++) {
            BranchRecord old = had.get(i);
            BranchRecord now = has.get(i);
            requireSame(old.name(), now.name(), field(old, "name"));
            requireSame(old.after(), now.after(), field(old, "after"));
            requireSame(old.pivot(), now.pivot(), field(old, "pivot"));
            requireSame(old.targets(), now.targets(), field(old, "targets"));
            requireSame(old.payload(), now.payload(), field(old, "payload"));
        }
        long length = after.payload().length()
                + has.stream().mapToLong(b -> b.payload().length()).sum();
        if (has.size() > had.size() && length > TransactionDraft.PAYLOAD_LENGTH_MAX) {
            throw new IllegalArgumentException("changes: the payloads would have " + length
                    + " characters together, at most " + TransactionDraft.PAYLOAD_LENGTH_MAX + " are allowed");
        }
    }

    private static String field(BranchRecord branch, String name) {
        return "changes[\"" + branch.name() + "\"].branch." + name;
    }

    /** Whether what waits for an operator would go on, though it is neither decided nor ended by that. */
    private static boolean resumes(TransactionRecord stored, TransactionRecord after) {
        boolean decides = stored.state() == TransactionState.ACTIVE && after.state() != TransactionState.ACTIVE;
        return stored.suspended().isPresent()
                && after.suspended().isEmpty()
                && !decides
                && !after.state().isFinal();
    }

    private static void requireSame(Object stored, Object said, String field) {
        if (!stored.equals(said)) {
            throw new IllegalArgumentException(field
                    + ": an update does not change it; progress and states of branches change, and branches are added");
        }
    }
}
