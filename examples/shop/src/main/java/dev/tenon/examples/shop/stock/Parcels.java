package dev.tenon.examples.shop.stock;

import dev.tenon.examples.shop.wire.LocalBranch;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Packs a parcel for each order that is paid. The table would take two for one order: the inbox does not. */
@Service
class Parcels {
    private final LocalBranch branch;
    private final JdbcTemplate jdbc;

    Parcels(LocalBranch branch, JdbcTemplate jdbc) {
        this.branch = branch;
        this.jdbc = jdbc;
    }

    // tag::inbox[]
    @Transactional
    public Reply pack(Message message) {
        return branch.once(message, "parcels", () -> {
            jdbc.update("insert into parcel (order_id) values (?)", Long.valueOf(message.text()));
            return Reply.done();
        });
    }
    // end::inbox[]
}
