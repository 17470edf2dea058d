package dev.tenon.tx.message;

import dev.tenon.Names;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The consumer's side: lets the effect of a message through once, however often the message comes. Its row (source,
 * message ID) is written first in the consumer's own local transaction, and is rolled back with it.
 *
 * <p>Promise: if the local transaction that handled a message is committed, no other one does the work of that message
 * again, as long as the row is kept ({@link dev.tenon.tx.spi.BarrierStore#purge}: longer than the message could still
 * come). It guards what is in that database; a mail, or a call to another service, is not rolled back with it.
 * Thread-safe.
 */
public final class Inbox {
    private final Barrier barrier;
    private final String source;

    private Inbox(Barrier barrier, String source) {
        this.barrier = Objects.requireNonNull(barrier, "barrier");
        this.source = Names.requireValid("source", source);
    }

    /**
     * An inbox.
     *
     * @param barrier of the consumer's database
     * @param source tells apart what different consumers of one database do with the same message, such as {@code
     *     "points"}; the same in every version of a consumer; a name ({@link Names})
     */
    public static Inbox over(Barrier barrier, String source) {
        return new Inbox(barrier, source);
    }

    /**
     * Does the work of a message, unless it was done. Of two at the same time, the second waits for the first. The
     * caller commits if the reply is {@link Reply.Done}, and rolls back if it is anything else, or this throws.
     *
     * @param connection with a transaction open, of the database that has the consumer's tables and the barrier
     * @throws IllegalStateException if {@code connection} is in autocommit mode
     * @throws Exception what {@code work} or the database throws: roll back, and let the message come again
     */
    public Reply once(Connection connection, Message message, Barrier.Work work) throws Exception {
        BranchCall call =
                new BranchCall(new TransactionId(message.id()), source, Operation.DELIVER, source, "", Map.of(), 1);
        return barrier.call(connection, call, work);
    }

    /** What is done with a message, in the transaction of the connection. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Does it, and leaves commit and rollback to its caller.
         *
         * @return {@link Reply.Done} to commit; anything else to roll back, as {@link MessageSink#send} has it
         * @throws Exception to roll back, and be called again
         */
        Reply handle(Connection connection, Message message) throws Exception;
    }

    /**
     * A sink that handles each message once, in a local transaction of its own on a connection of {@code connections}.
     */
    public MessageSink handler(DataSource connections, Handler handler) {
        LocalTransactions local = LocalTransactions.of(connections);
        return message -> local.run(connection -> once(connection, message, open -> handler.handle(open, message)));
    }
}
