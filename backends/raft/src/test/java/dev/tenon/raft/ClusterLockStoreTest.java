package dev.tenon.raft;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Some calls go through the leader, some through a follower. */
class ClusterLockStoreTest extends LockStoreContract {
    @RegisterExtension
    static final ThreeNodes NODES = new ThreeNodes();

    @Override
    protected LockStore store() {
        return NODES.leader().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return NODES.follower().lockStore();
    }
}
