package dev.tenon.redis;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreEvents;

/** What one node tells a session of a quorum. */
record RedisQuorumEvents(RedisQuorumLockStore quorum, QuorumNode node, String sessionId) implements StoreEvents {
    @Override
    public void granted(Grant grant) {
        quorum.handed(node, grant);
    }

    @Override
    public void revokeAsked(Revocation revocation) {
        quorum.revokeAsked(sessionId, revocation);
    }

    @Override
    public void sessionLost(String id) {
        quorum.resync(sessionId); // a node without it is asked to open it again when it is needed
    }

    @Override
    public void resync() {
        quorum.resync(sessionId);
    }
}
