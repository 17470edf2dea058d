package dev.tenon.examples.shop.orders;

import dev.tenon.spring.TransactionalOutbox;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccTransaction;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** The steps of the saga that are about the order itself. */
@Service
class Purchase {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private final JdbcTemplate jdbc;
    private final DataSource source;
    private final TransactionTemplate transaction;
    private final Tcc tcc;
    private final TransactionalOutbox outbox;

    Purchase(
            JdbcTemplate jdbc,
            DataSource source,
            TransactionTemplate transaction,
            Tcc tcc,
            TransactionalOutbox outbox) {
        this.jdbc = jdbc;
        this.source = source;
        this.transaction = transaction;
        this.tcc = tcc;
        this.outbox = outbox;
    }

    record Order(long id, String item, String owner, long amount, String status) {}

    // tag::buy[]
    /** Reserves the piece and the money; then one commit has the order paid, both sold, and the parcel on its way. */
    Reply buy(BranchCall call) {
        Order order = find(call);
        TccBranch piece = TccBranch.of("stock", order.item());
        TccBranch money = TccBranch.of("wallet", order.owner() + ":" + order.amount());
        try (TccTransaction tx = tcc.begin(new TransactionId("buy-" + order.id()), DEADLINE, piece, money)) {
            transaction.executeWithoutResult(status -> {
                jdbc.update("update orders set status = 'PAID' where id = ?", order.id());
                outbox.send(Message.of("parcels", "order-paid", Long.toString(order.id()))
                        .withId("order-paid-" + order.id()));
                tx.commit(DataSourceUtils.getConnection(source));
            });
            return Reply.done();
        } catch (TransactionAbortedException e) {
            return Reply.refused(String.valueOf(e.getMessage())); // sold out, no money, or it took too long
        } catch (TransactionConflictException e) {
            if (find(call).status().equals("PAID")) {
                return Reply.done(); // it was this that was killed before it could answer
            }
            throw e;
        }
    }
    // end::buy[]

    // tag::cancel[]
    /** The last of the compensations. As often as it likes: an order that is paid stays so. */
    Reply cancel(BranchCall call) {
        jdbc.update(
                "update orders set status = 'CANCELLED' where id = ? and status = 'NEW'",
                find(call).id());
        return Reply.done();
    }
    // end::cancel[]

    /** The order of a saga, whose ID is {@code order-} and the order's. */
    private Order find(BranchCall call) {
        long id = Long.parseLong(call.gid().text().substring("order-".length()));
        return jdbc.queryForObject(
                "select * from orders where id = ?",
                (row, number) -> new Order(
                        id,
                        row.getString("item"),
                        row.getString("owner"),
                        row.getLong("amount"),
                        row.getString("status")),
                id);
    }
}
