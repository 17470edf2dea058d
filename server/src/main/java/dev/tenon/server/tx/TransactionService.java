package dev.tenon.server.tx;

import dev.tenon.TenonException;
import dev.tenon.grpc.GrpcParticipants;
import dev.tenon.server.access.Caller;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionPosition;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import dev.tenon.tx.spi.TransactionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.JsonNode;

/**
 * Transactions for clients that are not in this process: begins them, drives them over HTTP and gRPC, and does what
 * operators ask. Those of services with a Java process of their own, over the same log, are shown and helped, but
 * driven there. Thread-safe; everything but {@link #watch} and {@link #read} blocks.
 */
public final class TransactionService implements AutoCloseable {
    /** Whose transactions a server drives, in a log that it shares with other services. */
    public static final String SERVICE = "tenon-server";

    private static final int PAGE_MAX = 1000;
    private static final TransactionOptions OPTIONS = TransactionOptions.DEFAULT.withService(SERVICE);

    private final TransactionStore store;
    private final Transactions transactions;
    private final TransactionFormat format;
    private final GrpcParticipants grpc = GrpcParticipants.create(OPTIONS.callTimeout());
    private final Map<TransactionId, Set<Watch>> watches = new ConcurrentHashMap<>();
    private final AtomicBoolean counting = new AtomicBoolean();
    private volatile double suspended = Double.NaN;
    private volatile double stuck = Double.NaN;

    /** Hears of each call to a participant. */
    @FunctionalInterface
    public interface CallObserver {
        /**
         * A participant has answered, or not.
         *
         * @param operation such as {@code action}
         * @param outcome {@code done}, {@code refused}, {@code not_yet} or {@code failed}
         */
        void called(String operation, String outcome, Duration took);
    }

    private TransactionService(
            TransactionStore store, HttpTargets targets, WebhookSecrets secrets, CallObserver calls) {
        this.store = store;
        this.format = new TransactionFormat(targets, secrets);
        HttpParticipants http =
                HttpParticipants.create(OPTIONS.callTimeout()).within(targets).signing(secrets);
        Participants all = http.or(grpc.within(targets).signing(secrets));
        this.transactions = TransactionEngine.over(store, observed(all, calls), OPTIONS)
                .forgetEveryService()
                .tell(tx -> watches.getOrDefault(tx.gid(), Set.of()).forEach(watch -> watch.tell(tx)));
    }

    /**
     * Transactions over a log, driven from now on.
     *
     * @param targets which participants may be called, and which of them with signed calls
     * @param secrets that sign notifications and calls
     */
    public static TransactionService open(
            TransactionStore store, HttpTargets targets, WebhookSecrets secrets, CallObserver calls) {
        TransactionService service = new TransactionService(store, targets, secrets, calls);
        service.transactions.start();
        return service;
    }

    private static Participants observed(Participants participants, CallObserver calls) {
        return target -> participants.find(target).map(participant -> timed(participant, calls));
    }

    private static Participant timed(Participant participant, CallObserver calls) {
        return call -> {
            long began = System.nanoTime();
            String outcome = "failed";
            try {
                Reply reply = participant.call(call);
                outcome = reply instanceof Reply.Done ? "done" : reply instanceof Reply.Refused ? "refused" : "not_yet";
                return reply;
            } finally {
                calls.called(call.operation().text(), outcome, Duration.ofNanos(System.nanoTime() - began));
            }
        };
    }

    /**
     * What a body asks for.
     *
     * @throws ProblemException if it describes no transaction, or one that the caller may not see, or is signed with a
     *     secret whose name the caller may not see: who may have a text of its own signed can pass as the one whose
     *     secret that is
     */
    public TransactionRequest read(JsonNode body, Caller who) {
        String prefix =
                who.seesAll() || who.prefixes().isEmpty() ? "" : who.prefixes().get(0);
        TransactionRequest asked = format.read(body, () -> TransactionFields.gid(prefix + transactions.newId()));
        who.requireSees(asked.draft().gid().text());
        if (body.path("secret").isString()) {
            who.requireSees(body.path("secret").asString());
        }
        return asked;
    }

    /**
     * Begins it, unless it has begun.
     *
     * @throws TransactionConflictException if there is another one of that ID
     */
    public TransactionRecord begin(TransactionRequest asked) {
        return asked.waitsForWord() ? transactions.open(asked.draft()) : transactions.begin(asked.draft());
    }

    /** How long it may yet stay undecided, by the log's clock; not negative. */
    public Duration left(TransactionRecord tx) {
        Duration left = Duration.between(store.now(), tx.deadline());
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Hears of the end of a transaction from now on. */
    public Watch watch(TransactionId gid) {
        Watch watch = new Watch(w -> watches.computeIfPresent(gid, (id, all) -> {
            all.remove(w);
            return all.isEmpty() ? null : all;
        }));
        watches.compute(gid, (id, known) -> {
            Set<Watch> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(watch);
            return all;
        });
        return watch;
    }

    /**
     * The transaction of that ID.
     *
     * @throws UnknownTransactionException if there is none
     */
    public TransactionRecord require(TransactionId gid) {
        return transactions.find(gid).orElseThrow(() -> new UnknownTransactionException(gid));
    }

    /** What was written down of a transaction, oldest first. */
    public List<TransactionEvent> history(TransactionId gid) {
        return transactions.history(gid);
    }

    /** Of those that are {@link #stuck}, how many waited for an operator; NaN if it is not known. Does not block. */
    public double suspended() {
        return suspended;
    }

    /**
     * How many somebody has to look at, suspended or reported as stuck, when that was looked at last: the newest 1000
     * are counted; NaN if it is not known. Does not block.
     */
    public double stuck() {
        return stuck;
    }

    /** Looks how many wait for an operator or are stuck, unless somebody is about to. */
    public void countSuspended() {
        if (counting.compareAndSet(false, true)) {
            try {
                List<TransactionRecord> all = transactions
                        .list(TransactionFilter.ALL.thatAreStuck(), "", PAGE_MAX)
                        .transactions();
                suspended =
                        all.stream().filter(tx -> tx.suspended().isPresent()).count();
                stuck = all.size();
            } catch (TenonException e) {
                suspended = Double.NaN; // the store is away
                stuck = Double.NaN;
            } finally {
                counting.set(false);
            }
        }
    }

    /**
     * Transactions, the newest first.
     *
     * @param prefixes only those whose IDs begin with one of these, as {@link Caller#visible} gives them
     * @param after where to begin, the {@link TransactionPage#next} of the page before; empty: with the first
     * @param limit how many at most
     */
    public TransactionPage list(TransactionFilter filter, List<String> prefixes, String after, int limit) {
        Set<TransactionRecord> found = new TreeSet<>(TransactionPosition.NEWEST_FIRST);
        boolean more = false;
        for (String prefix : prefixes) {
            String asked = filter.idPrefix();
            if (asked.startsWith(prefix) || prefix.startsWith(asked)) {
                String longer = asked.length() > prefix.length() ? asked : prefix;
                TransactionPage page = transactions.list(filter.withIdPrefix(longer), after, limit);
                found.addAll(page.transactions());
                more |= page.more();
            }
        }
        List<TransactionRecord> first = found.stream().limit(limit).toList();
        return new TransactionPage(first, !first.isEmpty() && (more || found.size() > limit));
    }

    /** Lets a message that was prepared be delivered. */
    public TransactionRecord submit(TransactionId gid) {
        return decide(gid, TransactionKind.MESSAGE, "submitted");
    }

    /** Confirms reservations that the client has made himself. */
    public TransactionRecord commit(TransactionId gid) {
        return decide(gid, TransactionKind.TCC, "committed");
    }

    private TransactionRecord decide(TransactionId gid, TransactionKind kind, String word) {
        TransactionRecord tx = require(gid);
        if (tx.kind() != kind || !tx.service().equals(SERVICE)) {
            throw new ProblemException(
                    ProblemType.TRANSACTION_CONFLICT,
                    "Only a transaction of kind \"" + kind.text() + "\" that was begun over HTTP is " + word
                            + " here; this is a " + tx.kind().text()
                            + (tx.service().equals(SERVICE) ? "" : " of service \"" + tx.service() + "\"") + ".");
        }
        return transactions.commit(gid);
    }

    /** Decides that it is aborted. */
    public TransactionRecord abort(TransactionId gid, String by, String reason) {
        return transactions.abort(gid, by, reason);
    }

    /** Calls what is stuck, or waits, at once. */
    public TransactionRecord retry(TransactionId gid, String by) {
        return transactions.retry(gid, by);
    }

    /** Lets nobody drive it until {@link #resume}. */
    public TransactionRecord suspend(TransactionId gid, String by, String reason) {
        return transactions.suspend(gid, by, reason);
    }

    /** Gives it up as it is. */
    public TransactionRecord close(TransactionId gid, String by, String why) {
        return transactions.closeAsIs(gid, by, why);
    }

    /** Lets it be driven again. */
    public TransactionRecord resume(TransactionId gid, String by) {
        return transactions.resume(gid, by);
    }

    /** Drives nothing any more, and tells those who wait; the log keeps everything. Idempotent. */
    @Override
    public void close() {
        ProblemException stopping = new ProblemException(
                ProblemType.STOPPING,
                "The server is stopping; the transaction continues when it is back, or at another server. Query "
                        + "it by its gid.");
        watches.values().forEach(all -> all.forEach(watch -> watch.fail(stopping)));
        transactions.close();
        grpc.close();
    }
}
