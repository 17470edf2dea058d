package dev.tenon.benchmarks;

import com.arjuna.ats.jta.resources.LastResourceCommitOptimisation;
import java.sql.Connection;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A plain connection, as Narayana takes one: prepared after all others, by its commit. */
record LastResource(Connection connection) implements LastResourceCommitOptimisation {
    @Override
    public void start(Xid xid, int flags) {}

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public int prepare(Xid xid) {
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        try {
            connection.rollback();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private static XAException failed(SQLException cause) {
        XAException failed = new XAException(XAException.XAER_RMERR);
        failed.initCause(cause);
        return failed;
    }

    @Override
    public void forget(Xid xid) {}

    @Override
    public Xid[] recover(int flag) {
        return new Xid[0];
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }
}
