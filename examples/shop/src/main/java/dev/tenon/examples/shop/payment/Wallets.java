package dev.tenon.examples.shop.payment;

import dev.tenon.examples.shop.wire.LocalBranch;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Money of users: frozen, spent, or available again. The row itself makes the changes wait for each other: no lock. */
@Service
class Wallets {
    private final LocalBranch branch;
    private final JdbcTemplate jdbc;

    Wallets(LocalBranch branch, JdbcTemplate jdbc) {
        this.branch = branch;
        this.jdbc = jdbc;
    }

    // tag::wallet[]
    /** A call about {@code user:amount}. */
    @Transactional
    public Reply handle(BranchCall call) {
        String[] payload = call.payload().split(":");
        String user = payload[0];
        long amount = Long.parseLong(payload[1]);
        return branch.once(call, () -> {
            int rows = switch (call.operation()) {
                case TRY ->
                    jdbc.update(
                            "update wallet set available = available - ?, frozen = frozen + ? where owner = ? and available >= ?",
                            amount,
                            amount,
                            user,
                            amount);
                case CONFIRM ->
                    jdbc.update(
                            "update wallet set frozen = frozen - ?, spent = spent + ? where owner = ?",
                            amount,
                            amount,
                            user);
                default ->
                    jdbc.update(
                            "update wallet set frozen = frozen - ?, available = available + ? where owner = ?",
                            amount,
                            amount,
                            user);
            };
            return rows == 1 ? Reply.done() : Reply.refused("not enough money");
        });
    }
    // end::wallet[]
}
