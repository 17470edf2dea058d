package dev.tenon.tx.xa;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import java.sql.SQLException;
import javax.transaction.xa.XAException;

/**
 * Ends the branches of one database that their own process did not end, with a connection that has nothing to do with
 * them. No error code decides anything: XAER_NOTA, say, is the answer for what was committed, for what was rolled back,
 * for what was never there, and on MariaDB (and on MySQL that does not detach branches) for what is prepared on a
 * connection that is still open. XA_RB… says that it was rolled back, which the next poll finds as well. What decides
 * is whether the database lists the branch, and then whether its marker is there. Thread-safe.
 */
final class XaParticipant implements Participant {
    private final XaPool pool;

    XaParticipant(XaPool pool) {
        this.pool = pool;
    }

    @Override
    public Reply call(BranchCall call) throws Exception {
        XaId id = new XaId(call.payload(), call.gid(), pool.name());
        return settle(id, call.operation() == Operation.CONFIRM);
    }

    /** Ends a branch as it was decided. */
    Reply settle(XaId id, boolean commits) throws SQLException, XAException {
        if (pool.live().contains(id)) {
            return Reply.notYet("its own process is at it");
        }
        String step = (commits ? "commit " : "rollback ") + id.database() + " in recovery";
        pool.steps().at("before " + step);
        Reply reply = pool.call(link -> commits ? commit(link, id) : rollback(link, id));
        pool.steps().at("after " + step);
        return reply;
    }

    private Reply commit(XaLink link, XaId id) throws SQLException, XAException {
        boolean listed = pool.prepared(link, id.service()).contains(id);
        if (listed) {
            try {
                link.resource().commit(id, false);
                return Reply.done();
            } catch (XAException e) {
                return afterError(link, id, e, XAException.XA_HEURCOM);
            }
        }
        return pool.isMarked(link, id)
                ? Reply.done()
                : Reply.refused(
                        "heuristic rollback: it was prepared, and is neither prepared nor committed now. An operator has"
                                + " rolled it back by hand, or the database has lost it");
    }

    private Reply rollback(XaLink link, XaId id) throws SQLException, XAException {
        boolean listed = pool.prepared(link, id.service()).contains(id);
        if (listed) {
            try {
                link.resource().rollback(id);
            } catch (XAException e) {
                return afterError(link, id, e, XAException.XA_HEURRB);
            }
            // H2 says that all is well when the branch is another connection's.
            return pool.prepared(link, id.service()).contains(id) ? held() : Reply.done();
        }
        return pool.isMarked(link, id)
                ? Reply.refused(
                        "heuristic commit: it was to be rolled back, and is committed. An operator has committed it"
                                + " by hand")
                : Reply.done();
    }

    /** The branch was listed a moment ago. What the database has decided by itself may be what was decided here. */
    private static Reply afterError(XaLink link, XaId id, XAException e, int asDecided) throws XAException {
        String what = switch (e.errorCode) {
            case XAException.XAER_NOTA -> "";
            case XAException.XA_HEURCOM -> "heuristic commit";
            case XAException.XA_HEURRB -> "heuristic rollback";
            case XAException.XA_HEURMIX -> "heuristic mix";
            case XAException.XA_HEURHAZ -> "heuristic hazard";
            default -> throw e;
        };
        if (what.isEmpty()) {
            return held();
        }
        link.resource().forget(id);
        return e.errorCode == asDecided ? Reply.done() : Reply.refused(what + ": the database has ended it by itself");
    }

    private static Reply held() {
        return Reply.notYet("another connection holds it until that is closed, or has just ended it");
    }
}
