package dev.tenon.examples.shop.orders;

import dev.tenon.id.IdGenerator;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.saga.Sagas;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes an order. */
@Service
class Checkout {
    static final long PRICE = 100;
    static final long DISCOUNT = 10;

    private final JdbcTemplate jdbc;
    private final DataSource source;
    private final IdGenerator order;
    private final Sagas sagas;

    Checkout(JdbcTemplate jdbc, DataSource source, IdGenerator order, Sagas sagas) {
        this.jdbc = jdbc;
        this.source = source;
        this.order = order; // tenon.ids.order
        this.sagas = sagas;
    }

    // tag::take[]
    /** The order and the start of its saga are committed together. From then on it ends, whatever dies. */
    @Transactional
    public long take(String owner, String item) {
        long id = order.nextId();
        jdbc.update(
                "insert into orders (id, owner, item, amount, status) values (?, ?, ?, ?, 'NEW')",
                id,
                owner,
                item,
                PRICE - DISCOUNT);
        sagas.start(DataSourceUtils.getConnection(source), "order", gid(id), owner);
        return id;
    }
    // end::take[]

    static TransactionId gid(long order) {
        return new TransactionId("order-" + order);
    }
}
