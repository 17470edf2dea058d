package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockScriptContract;
import org.junit.jupiter.api.AfterAll;

/** {@link RedisQuorumLockStore} over three databases, each of which stands for a server of its own. */
class RedisQuorumScriptTest extends LockScriptContract {
    private static final QuorumOfDatabases QUORUM = new QuorumOfDatabases();

    @Override
    protected LockStore store() {
        return QUORUM.here().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return QUORUM.there().lockStore();
    }

    @Override
    protected int steps() {
        return 5_000; // each is several round trips to three nodes
    }

    @AfterAll
    static void close() {
        QUORUM.close();
    }
}
