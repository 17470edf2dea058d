package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterAll;

/** {@link RedisQuorumLockStore} over three databases, each of which stands for a server of its own. */
class RedisQuorumLockStoreTest extends LockStoreContract {
    private static final QuorumOfDatabases QUORUM = new QuorumOfDatabases();

    @Override
    protected LockStore store() {
        return QUORUM.here().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return QUORUM.there().lockStore();
    }

    @AfterAll
    static void close() {
        QUORUM.close();
    }
}
