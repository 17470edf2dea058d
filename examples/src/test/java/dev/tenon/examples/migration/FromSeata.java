package dev.tenon.examples.migration;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import dev.tenon.tx.tcc.TccParticipant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What was a bean with {@code @LocalTCC}. */
record FromSeata(DataSource database, Barrier barrier) {
    // tag::action[]
    // As it was under @TwoPhaseBusinessAction(name = "wallet", commitMethod = "commit", rollbackMethod = "rollback")
    boolean prepare(Connection connection, long amount) throws SQLException {
        return update(connection, "UPDATE wallet SET free = free - ?, frozen = frozen + ? WHERE free >= ?", amount)
                == 1;
    }

    void commit(Connection connection, long amount) throws SQLException {
        update(connection, "UPDATE wallet SET frozen = frozen - ?, spent = spent + ? WHERE ? > 0", amount);
    }

    void rollback(Connection connection, long amount) throws SQLException {
        update(connection, "UPDATE wallet SET frozen = frozen - ?, free = free + ? WHERE ? > 0", amount);
    }
    // end::action[]

    // tag::participant[]
    TccParticipant wallet() {
        return TccParticipant.of(
                call -> once(call, c -> prepare(c, amount(call)) ? Reply.done() : Reply.refused("not enough")),
                call -> once(call, c -> {
                    commit(c, amount(call));
                    return Reply.done();
                }),
                call -> once(call, c -> {
                    rollback(c, amount(call));
                    return Reply.done();
                }));
    }

    /** In the place of useTCCFence = true. */
    private Reply once(BranchCall call, Barrier.Work work) throws Exception {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            Reply reply = barrier.call(connection, call, work);
            if (reply instanceof Reply.Done) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return reply;
        }
    }
    // end::participant[]

    private static long amount(BranchCall call) {
        return Long.parseLong(call.payload());
    }

    private static int update(Connection connection, String sql, long amount) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= 3; i++) {
                statement.setLong(i, amount);
            }
            return statement.executeUpdate();
        }
    }
}
