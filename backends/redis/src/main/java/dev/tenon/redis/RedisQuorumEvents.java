package dev.tenon.redis;

import dev.tenon.lock.engine.CompositeWaits;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;

/** What one node tells a session of a quorum. */
record RedisQuorumEvents(
        SessionBook book, CompositeWaits<RedisQuorumWait.NodeGrant> waits, QuorumNode node, String sessionId)
        implements StoreEvents {
    @Override
    public void granted(Grant grant) {
        waits.of(grant.requestId()).ifPresent(wait -> wait.granted(new RedisQuorumWait.NodeGrant(node, grant.token())));
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        book.revokeAsked(revocation);
    }

    @Override
    public void sessionLost(String id) {
        book.resync(sessionId); // a node without it is asked to open it again when it is needed
    }

    @Override
    public void resync() {
        book.resync(sessionId);
    }
}
