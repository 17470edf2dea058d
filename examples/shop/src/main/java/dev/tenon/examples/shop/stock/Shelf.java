package dev.tenon.examples.shop.stock;

import dev.tenon.examples.shop.wire.LocalBranch;
import dev.tenon.spring.CurrentLease;
import dev.tenon.spring.Locked;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Pieces of an item: reserved, sold, or put back. One at a time has an item, and shows its token to the row. */
@Service
class Shelf {
    private final LocalBranch branch;
    private final JdbcTemplate jdbc;
    private final CurrentLease lease;

    Shelf(LocalBranch branch, JdbcTemplate jdbc, CurrentLease lease) {
        this.branch = branch;
        this.jdbc = jdbc;
        this.lease = lease;
    }

    // tag::reserve[]
    @Transactional
    @Locked(key = "'stock:' + #item")
    public Reply reserve(String item, BranchCall call) {
        return branch.once(call, () -> {
            Integer left = jdbc.queryForObject("select available from stock where item = ?", Integer.class, item);
            if (left == null || left == 0) {
                return Reply.refused("sold out");
            }
            write(item, "available = " + (left - 1) + ", reserved = reserved + 1");
            return Reply.done();
        });
    }

    private void write(String item, String change) {
        long token = lease.token(); // who was paused past its lease finds a greater one in the row
        int rows = jdbc.update(
                "update stock set " + change + ", token = ? where item = ? and token <= ?", token, item, token);
        if (rows == 0) {
            throw new IllegalStateException("A later holder has been at " + item);
        }
    }
    // end::reserve[]

    @Transactional
    @Locked(key = "'stock:' + #item")
    public Reply sell(String item, BranchCall call) {
        return branch.once(call, () -> {
            write(item, "reserved = reserved - 1, sold = sold + 1");
            return Reply.done();
        });
    }

    @Transactional
    @Locked(key = "'stock:' + #item")
    public Reply putBack(String item, BranchCall call) {
        return branch.once(call, () -> {
            write(item, "reserved = reserved - 1, available = available + 1");
            return Reply.done();
        });
    }
}
