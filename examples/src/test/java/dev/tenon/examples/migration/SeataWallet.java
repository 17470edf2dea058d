package dev.tenon.examples.migration;

import io.seata.rm.tcc.api.BusinessActionContext;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** It uses the three methods that {@link FromSeata} has for Tenon. */
record SeataWallet(DataSource database, FromSeata methods) implements SeataEntry {
    /** One of the three methods. */
    private interface Step {
        boolean on(Connection connection) throws SQLException;
    }

    @Override
    public boolean prepare(BusinessActionContext context, long amount) throws SQLException {
        return committed(connection -> methods.prepare(connection, amount));
    }

    @Override
    public boolean commit(BusinessActionContext context) throws SQLException {
        return committed(connection -> {
            methods.commit(connection, amount(context));
            return true;
        });
    }

    @Override
    public boolean rollback(BusinessActionContext context) throws SQLException {
        return committed(connection -> {
            methods.rollback(connection, amount(context));
            return true;
        });
    }

    private static long amount(BusinessActionContext context) {
        return Long.parseLong(String.valueOf(context.getActionContext("amount")));
    }

    private boolean committed(Step step) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            boolean done = step.on(connection);
            connection.commit();
            return done;
        }
    }
}
