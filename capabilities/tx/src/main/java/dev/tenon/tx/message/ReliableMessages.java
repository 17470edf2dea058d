package dev.tenon.tx.message;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.LocalParticipant;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownTransactionException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Messages whose log is not in the business database: prepared before the local transaction, submitted after it, and,
 * if that word never comes, asked for (<i>check-back</i>). Where the log is in the business database, an {@link Outbox}
 * does with less.
 *
 * <ol>
 *   <li>{@link #prepare}: the message is in the log, and not sent.
 *   <li>The local transaction does its work and {@link #confirm confirms} the message, which writes a row of the
 *       barrier.
 *   <li>{@link #submit}, after the commit: the message is sent. Or {@link #withdraw}, after a rollback.
 *   <li>If neither comes in time, the barrier is asked. A row that the local transaction wrote is a yes. If there is
 *       none, it is written now, and the answer is no, for good: a local transaction that is late fails at {@link
 *       #confirm}.
 * </ol>
 *
 * <p>Promise: the local transaction is committed ⇒ the message is sent at least once; it is not ⇒ never. Thread-safe.
 */
public final class ReliableMessages {
    private static final String CHECK = "tenon-message-check/1";
    private static final String DELIVER = "tenon-message/1";
    /** How many of the messages that were prepared here are confirmed without reading the log. */
    private static final int REMEMBERED = 10_000;

    private static final String SENDER = "sender";
    private static final String DELIVERY = "delivery";

    private final Transactions transactions;
    private final Barrier barrier;
    private final ReentrantLock guard = new ReentrantLock();
    private final Set<TransactionId> prepared = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TransactionId, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    });

    private ReliableMessages(Transactions transactions, Barrier barrier) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.barrier = Objects.requireNonNull(barrier, "barrier");
    }

    /**
     * Reliable messages over a log.
     *
     * @param transactions with {@link #participants} among its participants
     * @param barrier of the database that the local transactions are in
     */
    public static ReliableMessages over(Transactions transactions, Barrier barrier) {
        return new ReliableMessages(transactions, barrier);
    }

    /**
     * The participants that answer check-backs and send what was submitted: for {@link
     * dev.tenon.tx.engine.TransactionEngine#over}.
     *
     * @param connections to the database that the local transactions are in
     */
    public static Participants participants(DataSource connections, Barrier barrier, MessageSink sink) {
        LocalTransactions local = LocalTransactions.of(connections);
        Participant check = call -> LocalParticipant.check(local, barrier, call);
        Participant deliver = call -> sink.send(MessageText.parse(call.payload()));
        Function<String, Optional<Participant>> find = target -> switch (target) {
            case CHECK -> Optional.of(check);
            case DELIVER -> Optional.of(deliver);
            default -> Optional.empty();
        };
        return find::apply;
    }

    /**
     * Writes a message into the log, to be sent when it is submitted. With the ID and the content of one that is there,
     * nothing happens.
     *
     * @param patience after which the barrier is asked, if neither {@link #submit} nor {@link #withdraw} came: longer
     *     than the local transaction takes, 1 ms to 365 days
     * @return its transaction, under the ID of the message
     * @throws TransactionConflictException if there is another transaction of that ID
     */
    public TransactionId prepare(Message message, Duration patience) {
        TransactionId gid = new TransactionId(message.id());
        transactions.open(new TransactionDraft(
                gid,
                TransactionKind.MESSAGE,
                transactions.options().service(),
                message.type(),
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                patience,
                RetryPolicy.FOR_EVER,
                List.of(
                        BranchRecord.planned(SENDER, Map.of(Operation.CHECK, CHECK), ""),
                        BranchRecord.planned(DELIVERY, Map.of(Operation.DELIVER, DELIVER), MessageText.of(message)))));
        guard.lock();
        try {
            prepared.add(gid);
        } finally {
            guard.unlock();
        }
        return gid;
    }

    /**
     * Confirms the message as part of the local transaction: it is sent if, and only if, that is committed. The log is
     * asked for a message that was not prepared by this object.
     *
     * @param connection with the local transaction open
     * @throws UnknownTransactionException if no message of that ID was prepared, or it was forgotten: roll back
     * @throws TransactionConflictException if it is another kind of transaction: roll back
     * @throws TransactionAbortedException if a check-back came first and was told no: roll back
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws Exception what the database throws: roll back
     */
    public void confirm(Connection connection, TransactionId gid) throws Exception {
        requirePrepared(gid);
        BranchCall call = new BranchCall(gid, SENDER, Operation.ACTION, CHECK, "", Map.of(), 1);
        Reply reply = barrier.call(connection, call, open -> Reply.done());
        if (!(reply instanceof Reply.Done)) {
            throw new TransactionAbortedException("Message " + gid
                    + " was given up before this local transaction was committed: roll back, and prepare another one");
        }
    }

    private void requirePrepared(TransactionId gid) {
        guard.lock();
        try {
            if (prepared.contains(gid)) {
                return;
            }
        } finally {
            guard.unlock();
        }
        TransactionRecord found = transactions.find(gid).orElseThrow(() -> new UnknownTransactionException(gid));
        if (found.kind() != TransactionKind.MESSAGE) {
            throw new TransactionConflictException("Transaction " + gid + " is a "
                    + found.kind().text() + ", no message: confirm the ID that prepare has returned");
        }
    }

    /**
     * Sends the message, now that the local transaction is committed. If this is never called, or its answer is lost,
     * the check-back finds out.
     *
     * @return its transaction as it is now
     * @throws TransactionAbortedException if it was withdrawn
     */
    public TransactionRecord submit(TransactionId gid) {
        return transactions.commit(gid);
    }

    /**
     * Gives the message up, now that the local transaction is rolled back.
     *
     * @param reason why, for the history
     * @return its transaction as it is now
     * @throws TransactionConflictException if it was submitted
     */
    public TransactionRecord withdraw(TransactionId gid, String reason) {
        return transactions.abort(gid, SENDER, reason);
    }
}
