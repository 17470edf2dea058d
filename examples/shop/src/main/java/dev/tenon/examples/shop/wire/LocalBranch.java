package dev.tenon.examples.shop.wire;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Inbox;
import java.sql.Connection;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/**
 * A participant's own work, in the transaction of a method with {@code @Transactional}, behind the barrier.
 * Thread-safe.
 */
public final class LocalBranch {
    private final Barrier barrier;
    private final DataSource source;

    /** Over the database of the service. */
    public LocalBranch(Barrier barrier, DataSource source) {
        this.barrier = barrier;
        this.source = source;
    }

    // tag::once[]
    /** Does the work of a call, unless it was done, or undone, before. Refused: the transaction is rolled back. */
    public Reply once(BranchCall call, Supplier<Reply> work) {
        return inTransaction(connection -> barrier.call(connection, call, same -> work.get()));
    }

    private Reply inTransaction(Barrier.Work work) {
        Connection connection = DataSourceUtils.getConnection(source); // the one that @Transactional has begun
        try {
            Reply reply = work.run(connection);
            if (!(reply instanceof Reply.Done)) {
                TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            }
            return reply;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e); // Spring would commit a checked one
        }
    }
    // end::once[]

    /** Does the work of a message, unless it was done before. */
    public Reply once(Message message, String consumer, Supplier<Reply> work) {
        Inbox inbox = Inbox.over(barrier, consumer);
        return inTransaction(connection -> inbox.once(connection, message, same -> work.get()));
    }

    /** The answer over HTTP. */
    public static ResponseEntity<String> answer(Reply reply) {
        if (reply instanceof Reply.Done done) {
            return ResponseEntity.ok(done.result());
        }
        if (reply instanceof Reply.Refused refused) {
            return ResponseEntity.status(409).body(refused.reason());
        }
        return ResponseEntity.status(425).body("not yet");
    }
}
